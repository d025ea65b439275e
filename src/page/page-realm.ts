// What a page gives its sandboxes: web workers and its own fetch; page.

import type { SandboxOptions } from "./sandbox-options.ts";
import { createSandboxIn, type Sandbox } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

/** A request for the module that is under way already. */
export interface EarlyFetch {
  readonly module: string | URL;
  readonly response: Promise<Response>;
}

/** createSandbox in a page, once its code is loaded. */
export async function createSandboxInPage(
  options: SandboxOptions,
  early: EarlyFetch | undefined,
): Promise<Sandbox> {
  let waiting = early;
  const fetchOnce: typeof fetch = (source, init) => {
    if (source !== waiting?.module) return fetch(source, init);
    const { response } = waiting;
    waiting = undefined;
    return response;
  };
  try {
    return await createSandboxIn({ spawn, fetch: fetchOnce }, options);
  } finally {
    // Options that were wrong: nobody took the body.
    waiting?.response.then(
      ({ body }) => body?.cancel(),
      () => {},
    );
  }
}
