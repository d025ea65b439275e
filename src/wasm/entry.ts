// Which export a guest starts with; page, worker and Node.

import { SandboxError } from "../errors.ts";

/** The export to start with: the one asked for, else a command's `_start`, else a reactor's `run`. */
export function entryName(asked: string | undefined, has: (name: string) => boolean): string {
  return asked ?? (has("_start") ? "_start" : "run");
}

/** The error for a module without the entry; `exports` are the functions that it has. */
export function noEntry(name: string, exports: readonly string[]): SandboxError {
  const list = exports.length > 0 ? exports.join(", ") : "no function";
  return new SandboxError(
    "no_entry",
    `the module exports no function \`${name}\` to start with; it exports ${list}. A command has _start, a reactor ` +
      "_initialize and run; run({ entry }) names another",
    { data: { exports } },
  );
}
