// What a page gives its sandboxes: web workers and its own fetch; page.

import type { SandboxOptions } from "./sandbox-options.ts";
import { createSandboxIn, type Sandbox } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

/** A request that is under way already. */
export interface EarlyFetch {
  readonly source: string | URL;
  readonly response: Promise<Response>;
}

/** createSandbox in a page, once its code is loaded. */
export async function createSandboxInPage(
  options: SandboxOptions,
  early: readonly EarlyFetch[],
): Promise<Sandbox> {
  const waiting = new Set(early);
  const fetchOnce: typeof fetch = (source, init) => {
    const found = [...waiting].find((one) => one.source === source);
    if (!found) return fetch(source, init);
    waiting.delete(found);
    return found.response;
  };
  try {
    return await createSandboxIn({ spawn, fetch: fetchOnce }, options);
  } finally {
    // Options that were wrong: nobody took the body.
    for (const { response } of waiting) {
      response.then(
        ({ body }) => body?.cancel(),
        () => {},
      );
    }
  }
}
