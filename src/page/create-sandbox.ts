// createSandbox as a page calls it; page.

import { createSandboxIn, type Realm, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

const PAGE: Realm = { spawn, fetch: (...request) => fetch(...request) };

/**
 * Loads and compiles a guest once, ready to run any number of times, each in a worker of its own.
 *
 * Rejects with SandboxError; its `code` says what was wrong: `load_failed`, `not_wasm`, `truncated`, `component`,
 * `no_entry`, `no_memory`, `integrity_mismatch`, `worker_failed`, `bad_option` and others.
 *
 * @example
 * const python = await createSandbox({ module: "/guests/python.wasm" });
 * const { stdoutText } = await python.run({ args: ["-c", "print(6 * 7)"] }).result;
 */
export function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  return createSandboxIn(PAGE, options);
}
