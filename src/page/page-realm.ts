// What a page gives its sandboxes: web workers and its own fetch; page.

import type { SandboxOptions } from "./sandbox-options.ts";
import type { WorkerEndpoint } from "./guest-worker.ts";
import type { BegunBody } from "./read-on.ts";
import { createSandboxIn, type Realm, type Sandbox } from "./sandbox.ts";
import { spawn } from "./spawn.ts";

/** A request that is under way already. */
export interface EarlyFetch {
  readonly source: string | URL;
  readonly response: Promise<Response>;
  /** When, as `performance.now()` has it. */
  readonly began: number;
  /** Its body, where that is being read. */
  body?: Promise<BegunBody | undefined>;
  /** Somebody has come to read on. */
  taken?: boolean;
}

/** What was begun before the code was there. */
export interface EarlyStart {
  readonly fetches: readonly EarlyFetch[];
  /** The first worker, until somebody takes it. */
  endpoint?: WorkerEndpoint | undefined;
  /** Why there is none; whoever wants the first worker is told, since a function of the page is not asked twice. */
  refused?: unknown;
  /** Ends the requests. */
  readonly over: AbortController;
  /** Rejects when the caller's signal aborts. */
  readonly aborted: Promise<never>;
}

/** createSandbox in a page, once its code is loaded. */
export async function createSandboxInPage(
  options: SandboxOptions,
  early: EarlyStart,
): Promise<Sandbox> {
  const waiting = new Set(early.fetches);
  const realm: Realm = {
    spawn(factory) {
      const { endpoint, refused } = early;
      early.endpoint = early.refused = undefined;
      if (refused) throw refused;
      return endpoint ?? spawn(factory);
    },
    fetch(source, init) {
      const found = [...waiting].find((one) => one.source === source);
      if (!found) return fetch(source, init);
      waiting.delete(found);
      return found.response;
    },
    async early(source) {
      // Module and image may have the same address: each gets a body of its own.
      const found = [...waiting].find((one) => one.source === source && !one.taken);
      if (!found) return undefined;
      found.taken = true;
      const body = await found.body?.catch(async (cause: unknown) => {
        // Where no answer came, whoever asks for that is told. One that broke off cannot be read again.
        if ((await found.response.catch(() => undefined))?.bodyUsed) throw cause;
        return undefined;
      });
      if (!body) return undefined;
      waiting.delete(found);
      return { ...body, response: await found.response, began: found.began };
    },
  };
  try {
    return await createSandboxIn(realm, options);
  } finally {
    waiting.clear(); // what nobody took is stopped by whoever began it
  }
}
