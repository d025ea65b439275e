// createSandbox and doctor as a page calls them: small, the rest is loaded when one of them is called; page.

import type { Diagnosis, DoctorOptions } from "./doctor.ts";
import { MODULE_BYTES } from "../limits.ts";
import { loadPart } from "./load-part.ts";
import type { EarlyFetch, EarlyStart } from "./page-realm.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import { spawn } from "./spawn.ts";
import { untilAborted } from "./until-aborted.ts";

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
  const early = beginEarly(options);
  try {
    const code = loadPart(() => import("./page-realm.ts"));
    const { createSandboxInPage } = await untilAborted(code, early.signal);
    return await createSandboxInPage(options, early);
  } finally {
    // Code that did not come, options that were wrong: nobody took these.
    early.endpoint?.terminate();
    early.stop();
  }
}

/**
 * The worker, the guest's bytes and its snapshot's are asked for while the code is still loading: each takes a round trip,
 * and the guest is the largest.
 */
function beginEarly(options: SandboxOptions): EarlyStart {
  const fetches: EarlyFetch[] = [];
  const over = new AbortController();
  const early: EarlyStart = { fetches, stop: () => over.abort() };
  try {
    const { module, snapshot, signal, onProgress } = options;
    if (signal instanceof AbortSignal) early.signal = signal;
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    for (const source of [module, snapshot?.image]) {
      if (typeof source !== "string" && !(source instanceof URL)) continue;
      const response = fetch(source, { signal: either });
      const whole = snapshot && !onProgress;
      const bytes = response.then((answer) => (whole ? bytesOf(answer) : undefined));
      bytes.catch(() => {}); // told by who takes it
      fetches.push({ source, response, bytes });
    }
  } catch {
    // What is wrong with the options, or with the page, is told once the options are checked.
  }
  try {
    early.endpoint = spawn(options.worker);
  } catch (error) {
    early.refused = error;
  }
  return early;
}

/** Taken in one go where the size is known before: a stream's pieces cost more than their overlap with compiling gains. */
async function bytesOf(response: Response): Promise<ArrayBuffer | undefined> {
  const length = Number(response.headers.get("content-length") ?? Infinity);
  const packed = response.headers.has("content-encoding");
  return response.ok && !packed && length <= MODULE_BYTES ? response.arrayBuffer() : undefined;
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
  const { examine } = await import("./doctor.ts");
  return examine(() => spawn(options.worker));
}
