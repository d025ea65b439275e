// The floors of a door call: the same bytes there and back with nothing around them, in each way a worker can wait; page.

import type { BenchEnv } from "./bench-env.ts";
import { Turnstile, type Batch } from "./turns.ts";

/** How the worker asks: a message or `Atomics.waitAsync` over shared memory, or a suspended stack and two messages. */
export type BareWay = "message" | "wait" | "suspend";

/** What the worker is told once. */
export interface BareStart {
  readonly way: BareWay;
  readonly requestBytes: number;
  /** Shared memory: a state word (0: the worker's turn, 1: the page's, 2: over), data from byte 64 on. */
  readonly buffer?: SharedArrayBuffer;
  /** The module that calls an import which suspends, until that answers 1. */
  readonly module?: WebAssembly.Module;
}

/** A worker that asks without a pause, as long as the page lets it. */
export interface BareCalls {
  readonly batch: Batch;
  end(): Promise<void>;
}

const BYTES = 100;
const DATA = 64;

/** Starts a worker that asks with 100 bytes and is answered with `answerBytes` (100 unless told). */
export async function startBareCalls(
  env: BenchEnv,
  way: BareWay,
  answer: Uint8Array<ArrayBuffer> = new Uint8Array(BYTES).fill(97),
): Promise<BareCalls> {
  const worker = new Worker(env.script("bare-worker"), { type: "module" });
  const over = new Promise<void>((resolve, reject) => {
    worker.addEventListener("error", ({ message }) => reject(new Error(`bare worker: ${message}`)));
    worker.addEventListener("message", ({ data }) => {
      if (data === "over") resolve();
    });
  });
  const turnstile = new Turnstile();
  const stop =
    way === "suspend"
      ? await suspend(env, worker, turnstile, answer)
      : share(worker, way, turnstile, answer);
  return {
    batch: (calls) => Promise.race([turnstile.batch(calls), over.then(endedEarly)]),
    end: async () => {
      stop();
      await turnstile.release();
      await over;
      worker.terminate();
    },
  };
}

function endedEarly(): never {
  throw new Error("the bare worker ended before its batch did");
}

function share(
  worker: Worker,
  way: BareWay,
  turnstile: Turnstile,
  answer: Uint8Array<ArrayBuffer>,
): () => void {
  const buffer = new SharedArrayBuffer(DATA + Math.max(BYTES, answer.byteLength));
  const words = new Int32Array(buffer, 0, DATA / 4);
  const data = new Uint8Array(buffer, DATA);
  let over = 0;
  const reply = (): void => {
    data.set(answer);
    Atomics.store(words, 0, over);
    Atomics.notify(words, 0);
  };
  const take = (): Promise<void> | undefined => {
    data.slice(0, BYTES);
    const held = turnstile.hold();
    if (held) return held.then(reply);
    reply();
    return undefined;
  };
  const watch = (): void => {
    for (;;) {
      if (over) return;
      const later = words[0] === 1 ? take() : Atomics.waitAsync(words, 0, 0).value;
      if (later instanceof Promise) return void later.then(watch);
    }
  };
  if (way === "wait") watch();
  else
    worker.addEventListener("message", ({ data: message }) => {
      if (message === 0) void take();
    });
  const start: BareStart = { way, requestBytes: BYTES, buffer };
  worker.postMessage(start);
  return () => {
    over = 2;
  };
}

async function suspend(
  env: BenchEnv,
  worker: Worker,
  turnstile: Turnstile,
  answer: Uint8Array<ArrayBuffer>,
): Promise<() => void> {
  let over = false;
  worker.addEventListener("message", ({ data }) => {
    if (data === "over") return;
    const reply = (): void => {
      const bytes = over ? new Uint8Array(0) : answer.slice();
      worker.postMessage(bytes, [bytes.buffer]);
    };
    const held = turnstile.hold();
    if (held) void held.then(reply);
    else reply();
  });
  const module = await WebAssembly.compileStreaming(fetch(env.guest("suspend-loop")));
  const start: BareStart = { way: "suspend", requestBytes: BYTES, module };
  worker.postMessage(start);
  return () => {
    over = true;
  };
}
