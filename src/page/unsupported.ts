// What to say, and to change, on a page that offers no way to block; page and Node.

import { SandboxError } from "../errors.ts";

/** What isolates a page. */
export const ISOLATION_HEADERS =
  "`Cross-Origin-Opener-Policy: same-origin` and `Cross-Origin-Embedder-Policy: require-corp`";

/** For a guest that has to wait (`for` names what) on a page without shared memory and without JSPI. */
export function cannotBlock(what: string): SandboxError {
  return new SandboxError(
    "unsupported",
    `the guest has to wait (${what}), and this page offers no way to: it is not cross-origin isolated, and this browser ` +
      `has no JavaScript Promise Integration. Serve the page, and the worker script, with the headers ${ISOLATION_HEADERS} ` +
      "(or `Document-Isolation-Policy: isolate-and-credentialless` in Chromium), or use a browser with JSPI",
    { data: { wanted: what } },
  );
}

/** For a guest that has to wait in its start function, where JSPI can put nothing aside. */
export function cannotBlockInStart(what: string): SandboxError {
  return new SandboxError(
    "unsupported",
    `the guest has to wait (${what}) in its start function, which this page cannot suspend: it runs before any export is ` +
      `called. Serve the page with the headers ${ISOLATION_HEADERS}, or build the guest so that it waits in an export ` +
      "such as `_start`",
    { data: { wanted: what } },
  );
}

/** For a sandbox that was told to use shared memory on a page that has none. */
export function notIsolated(): SandboxError {
  return new SandboxError(
    "unsupported",
    `transport "shared-memory" needs a cross-origin isolated page: serve it with the headers ${ISOLATION_HEADERS}, or leave ` +
      "transport out and let the sandbox choose",
  );
}

/** For a sandbox that was told to use JSPI in a browser without it. */
export function noJspi(): SandboxError {
  return new SandboxError(
    "unsupported",
    'transport "suspending" needs JavaScript Promise Integration (WebAssembly.Suspending), which this browser does not have; ' +
      `serve the page with the headers ${ISOLATION_HEADERS} and leave transport out`,
  );
}
