// createSandbox and doctor on worker_threads: the same interface as in a page; Node 20 and newer.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { examine, type Diagnosis } from "../page/doctor.ts";
import type { SandboxOptions } from "../page/sandbox-options.ts";
import { createSandboxIn, type Realm, type Sandbox } from "../page/sandbox.ts";
import { spawn } from "./spawn.ts";

const NODE: Realm = { spawn, fetch: fetchOrRead };

/** Reads file: URLs and plain paths, which Node's own fetch does not. */
async function fetchOrRead(source: string | URL | Request, init?: RequestInit): Promise<Response> {
  const address = source instanceof Request ? source.url : String(source);
  if (/^(https?|data|blob):/i.test(address)) return fetch(source, init);
  const path = /^file:/i.test(address) ? fileURLToPath(address) : resolve(address);
  const bytes = await readFile(path, init?.signal ? { signal: init.signal } : {});
  return new Response(bytes, { headers: { "content-length": String(bytes.byteLength) } });
}

/**
 * Loads and compiles a guest once, ready to run any number of times, each in a thread of its own. A path or a file: URL
 * works as well as an address. The process exits by itself when no run is left, closed or not.
 *
 * @example
 * import { createSandbox } from "sallyport/node";
 * const guest = await createSandbox({ module: "./hello.wasm" });
 * const { stdoutText } = await guest.run({ args: ["a"] }).result;
 */
export function createSandbox(options: Omit<SandboxOptions, "worker">): Promise<Sandbox> {
  return createSandboxIn(NODE, options);
}

/** Looks at this process as the page's `doctor()` looks at a page. Never rejects. */
export function doctor(): Promise<Diagnosis> {
  return examine(spawn);
}
