// The same call, 100 bytes each way to an async function of the page, as other libraries make it; page.

import * as Comlink from "comlink";
import coincident from "coincident/main";
import { createPlugin } from "@extism/extism";
import * as api from "sallyport";
import type { BenchEnv } from "../page/bench-env.ts";
import { DoorLoop } from "../page/door-calls.ts";
import {
  callsInTurns,
  inTurns,
  Turnstile,
  type Batch,
  type Samples,
  type Turns,
} from "../page/turns.ts";

type Name = "ours" | "coincident" | "comlink" | "extism";

const env: BenchEnv = {
  api,
  guest: (name) => new URL(`../guests/${name}.wasm`, location.href).href,
  script: (name) => new URL(`${name}.js`, location.href).href,
};

/** As long as it makes our own answer frame. */
const pad = "the answer of the page is a hundred bytes too";

/** What they call. */
function counter(turnstile: Turnstile): (args: { n: number }) => Promise<object> {
  return async ({ n }) => {
    const held = turnstile.hold();
    if (held) await held;
    return { n, pad };
  };
}

/** A worker that calls synchronously, through a proxy over shared memory. */
function coincidentCalls(): { batch: Batch; end(): void } {
  const { Worker: ProxyWorker } = coincident();
  const worker = new ProxyWorker(env.script("coincident-worker"));
  const turnstile = new Turnstile();
  worker.proxy["count"] = counter(turnstile);
  return { batch: (calls) => turnstile.batch(calls), end: () => worker.terminate() };
}

/** A worker that awaits each call: what a guest could not do. */
function comlinkCalls(): { batch: Batch; end(): void } {
  const worker = new Worker(env.script("comlink-worker"), { type: "module" });
  const turnstile = new Turnstile();
  Comlink.expose({ count: counter(turnstile) }, worker);
  return { batch: (calls) => turnstile.batch(calls), end: () => worker.terminate() };
}

/** A plugin in a worker that calls a host function as often as it is told. Its calls slow down unless it is reset. */
async function extismCalls(): Promise<{ batch: Batch; end(): Promise<void> }> {
  const module = await WebAssembly.compileStreaming(fetch(env.guest("extism-loop")));
  const plugin = await createPlugin(module, {
    runInWorker: true,
    functions: {
      "extism:host/user": {
        count: async (context, offset) => {
          const { args } = context.read(offset).json();
          return context.store(
            JSON.stringify({ v: 1, id: 1, ok: true, value: { n: args.n, pad } }),
          );
        },
      },
    },
  });
  return {
    batch: async (calls) => {
      await plugin.reset();
      const started = performance.now();
      await plugin.call("run", new Uint8Array([calls]));
      return performance.now() - started;
    },
    end: () => plugin.close(),
  };
}

/** Microseconds per call; at most 255 calls in a batch. */
async function peerCalls(turns: Turns): Promise<Samples<Name>> {
  const ours = await DoorLoop.start(env, "shared-memory", callsInTurns(turns, 4) + 1);
  const byCoincident = coincidentCalls();
  const byComlink = comlinkCalls();
  const byExtism = await extismCalls();
  const batches: Record<Name, Batch> = {
    ours: ours.batch,
    coincident: byCoincident.batch,
    comlink: byComlink.batch,
    extism: byExtism.batch,
  };
  const samples = await inTurns(batches, turns);
  await ours.end();
  byCoincident.end();
  byComlink.end();
  await byExtism.end();
  return samples;
}

export type PeerBenches = { readonly peerCalls: typeof peerCalls };

(globalThis as { bench?: PeerBenches }).bench = { peerCalls };
