// createSandbox and doctor as a page calls them: small, the rest is loaded when one of them is called; page.

import type { Diagnosis, DoctorOptions } from "./doctor.ts";
import { MODULE_BYTES } from "../limits.ts";
import { loadPart } from "./load-part.ts";
import type { EarlyFetch, EarlyStart } from "./page-realm.ts";
import { type BegunBody, readOn } from "./read-on.ts";
import type { Sandbox } from "./sandbox.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import { spawn } from "./spawn.ts";

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
  // What is small is asked for first: a server that is busy with the guest answers it late.
  const code = loadPart(() => import("./page-realm.ts"));
  const early = beginEarly(options);
  try {
    const { createSandboxInPage } = await Promise.race([code, early.aborted]);
    return await createSandboxInPage(options, early);
  } finally {
    // Code that did not come, options that were wrong: nobody took these.
    early.endpoint?.terminate();
    early.over.abort();
  }
}

/**
 * The worker, the guest's bytes and its snapshot's are asked for while the code is still loading: each takes a round trip,
 * and the guest is the largest.
 */
function beginEarly(options: SandboxOptions): EarlyStart {
  const fetches: EarlyFetch[] = [];
  const over = new AbortController();
  let abort!: (reason: unknown) => void;
  const aborted = new Promise<never>((_, reject) => (abort = reject));
  const early: EarlyStart = { fetches, over, aborted };
  try {
    early.endpoint = spawn(options.worker);
  } catch (error) {
    early.refused = error;
  }
  try {
    const { module, snapshot, signal, onProgress } = options;
    // A controller has a `signal`, as the options of listeners and requests do.
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => abort(signal.reason), over);
    for (const source of [module, snapshot?.image]) {
      if (typeof source !== "string" && !(source instanceof URL)) continue;
      const one: EarlyFetch = { source, response: fetch(source, over), began: performance.now() };
      if (source !== module || !onProgress) one.body = readEarly(one);
      (one.body ?? one.response).catch(() => {}); // told by who takes it
      fetches.push(one);
    }
  } catch {
    // What is wrong with the options, or with the page, is told once the options are checked.
  }
  return early;
}

/** In front of what is read: room for the limits that a module lacks. */
const ROOM_BYTES = 16;

/**
 * A body read in one go, where its size is known: a stream's pieces cost more, and stand still until the code is there, which
 * then goes on. Undefined, or rejected, where it is left to others.
 */
async function readEarly(one: EarlyFetch): Promise<BegunBody | undefined> {
  const { ok, headers, body } = await one.response;
  const length = Number(headers.get("content-length")) || Infinity;
  if (!ok || length > MODULE_BYTES) return undefined;
  // A body that was packed on its way is longer than its header says. Throws where there is no room, or never was such a length.
  const bytes = new Uint8Array(ROOM_BYTES + length + 1).subarray(ROOM_BYTES, ROOM_BYTES);
  // Throws in an engine whose bodies cannot be read into an array.
  const rest = body!.getReader({ mode: "byob" });
  return readOn({ bytes, rest }, () => one.taken);
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
