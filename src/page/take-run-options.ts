// What run() was given, read once and kept: a run may wait in line, and the page's objects may change meanwhile; page and Node.

import { copyOfBytes, isBytes } from "./byte-source.ts";
import { PACKAGE_RUN } from "./package-run.ts";
import { KNOWN_OPTIONS, wrong, type RunOptions } from "./run-options.ts";

/**
 * Copies the options, with their lists, records and stdin's bytes; files are copied by name, their bytes cross later. Throws
 * SandboxError `bad_option` for what cannot be copied, and whatever a getter of the caller throws.
 */
export function takeRunOptions(given: unknown): RunOptions {
  if (typeof given !== "object" || given === null) wrong("options", "an object");
  for (const name of Object.keys(given)) {
    if (!KNOWN_OPTIONS.includes(name))
      wrong(name, `unknown; known are ${KNOWN_OPTIONS.join(", ")}`);
  }
  const taken: Record<string | symbol, unknown> = {};
  for (const name of [...KNOWN_OPTIONS, PACKAGE_RUN]) {
    const value = (given as Record<string | symbol, unknown>)[name];
    if (value !== undefined) taken[name] = COPIED[name as string]?.(value, name as string) ?? value;
  }
  return taken;
}

/** How an option is copied. What is of the wrong kind stays as it is, for the checks to name. */
const COPIED: Readonly<Record<string, (value: unknown, name: string) => unknown>> = {
  args: copyList,
  tty: copyList,
  tools: copyList,
  env: copyRecord,
  files: copyRecord,
  mounts: copyRecord,
  limits: copyRecord,
  budget: copyRecord,
  http: copyRecord,
  deterministic: copyRecord,
  terminal: copyRecord,
  stdin: copyBytes,
};

/** Holes become undefined, so that a check sees them. */
function copyList(value: unknown): unknown {
  return Array.isArray(value) ? Array.from(value) : value;
}

function copyRecord(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    wrong(name, "an object");
  }
  // Spreading makes own properties of all names, `__proto__` too.
  return { ...value };
}

function copyBytes(value: unknown, name: string): unknown {
  try {
    return isBytes(value) ? copyOfBytes(value) : value;
  } catch {
    return wrong(name, "bytes that are still here, not transferred to somebody else");
  }
}
