// What a page gives its sandboxes: web workers and its own fetch; page.

import type { SandboxOptions } from "./sandbox-options.ts";
import type { WorkerEndpoint } from "./guest-worker.ts";
import { createSandboxIn, type Realm, type Sandbox } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

/** A request that is under way already. */
export interface EarlyFetch {
  readonly source: string | URL;
  readonly response: Promise<Response>;
  /** Its body, where that was taken in one go. */
  readonly bytes: Promise<ArrayBuffer | undefined>;
}

/** What was begun before the code was there. */
export interface EarlyStart {
  readonly fetches: readonly EarlyFetch[];
  readonly endpoint: WorkerEndpoint | undefined;
}

/** createSandbox in a page, once its code is loaded. */
export async function createSandboxInPage(
  options: SandboxOptions,
  { fetches, endpoint }: EarlyStart,
): Promise<Sandbox> {
  const waiting = new Set(fetches);
  let worker = endpoint;
  const realm: Realm = {
    spawn(factory) {
      const started = worker ?? spawn(factory);
      worker = undefined;
      return started;
    },
    fetch(source, init) {
      const found = [...waiting].find((one) => one.source === source);
      if (!found) return fetch(source, init);
      waiting.delete(found);
      return found.response;
    },
    async early(source) {
      const found = [...waiting].find((one) => one.source === source);
      const bytes = await found?.bytes.catch(() => undefined);
      if (bytes) waiting.delete(found!);
      return bytes;
    },
  };
  try {
    return await createSandboxIn(realm, options);
  } finally {
    // Options that were wrong: nobody took these.
    worker?.terminate();
    for (const { response } of waiting) {
      response.then(
        ({ body, bodyUsed }) => (bodyUsed ? undefined : body?.cancel()),
        () => {},
      );
    }
  }
}
