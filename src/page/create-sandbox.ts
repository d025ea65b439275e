// createSandbox and doctor as a page calls them: small, the rest is loaded when one of them is called; page.

import type { Diagnosis, DoctorOptions } from "./doctor.ts";
import { loadPart } from "./load-part.ts";
import type { EarlyFetch } from "./page-realm.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

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
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const early = fetchEarly(options);
  const { createSandboxInPage } = await loadPart(() => import("./page-realm.ts"));
  return createSandboxInPage(options, early);
}

/**
 * The guest's bytes, and its snapshot's, are asked for while the code is still loading: each takes a round trip, and the
 * guest is the larger.
 */
function fetchEarly(options: SandboxOptions): EarlyFetch[] {
  try {
    const { module, snapshot, signal } = options;
    const early: EarlyFetch[] = [];
    for (const source of [module, snapshot?.image]) {
      if (typeof source !== "string" && !(source instanceof URL)) continue;
      const response = fetch(source, signal ? { signal } : {});
      response.catch(() => {}); // told by who takes it
      early.push({ source, response });
    }
    return early;
  } catch {
    return []; // what is wrong with the options is told once they are checked
  }
}

/**
 * Looks at this page: how guests would block and why, whether the worker starts, what the policy refuses, how much memory
 * there is. Each finding that is not ok says the fix. Never rejects.
 *
 * @example
 * const diagnosis = await doctor();
 * console.log(String(diagnosis)); // a table; diagnosis.findings has the same for programs
 */
export async function doctor(options: DoctorOptions = {}): Promise<Diagnosis> {
  const [{ spawn }, { examine }] = await Promise.all([import("./spawn.ts"), import("./doctor.ts")]);
  return examine(() => spawn(options.worker));
}
