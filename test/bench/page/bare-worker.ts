// The worker of the floors: asks for an answer without a pause, and copies it into memory of its own; worker.

import type { BareStart } from "./bare-calls.ts";

const DATA = 64;

/** As far as it is used here; not in every TypeScript library yet. */
interface Jspi {
  Suspending: new (call: () => Promise<number>) => () => number;
  promising: (this: void, call: unknown) => () => Promise<unknown>;
}

function askShared({ way, requestBytes, buffer }: BareStart): void {
  const words = new Int32Array(buffer!, 0, DATA / 4);
  const data = new Uint8Array(buffer!, DATA);
  const request = new Uint8Array(requestBytes).fill(98);
  const memory = new Uint8Array(data.byteLength);
  for (;;) {
    data.set(request);
    Atomics.store(words, 0, 1);
    if (way === "message") postMessage(0);
    else Atomics.notify(words, 0);
    while (Atomics.load(words, 0) === 1) Atomics.wait(words, 0, 1);
    memory.set(data);
    if (words[0] === 2) return;
  }
}

async function askSuspending({ requestBytes, module }: BareStart): Promise<void> {
  const { Suspending, promising } = WebAssembly as unknown as Jspi;
  let answered!: (over: number) => void;
  const ask = (): Promise<number> => {
    const request = new Uint8Array(memory.buffer, 1024, requestBytes).slice();
    return new Promise((resolve) => {
      answered = resolve;
      postMessage(request, { transfer: [request.buffer] });
    });
  };
  addEventListener("message", ({ data }: MessageEvent<Uint8Array>) => {
    new Uint8Array(memory.buffer).set(data, 4096);
    answered(data.byteLength === 0 ? 1 : 0);
  });
  const imports = { bench: { ask: new Suspending(ask) } };
  const { exports } = await WebAssembly.instantiate(module!, imports);
  const memory = exports["memory"] as WebAssembly.Memory;
  await promising(exports["run"])();
}

addEventListener(
  "message",
  ({ data }: MessageEvent<BareStart>) => {
    const asked = data.way === "suspend" ? askSuspending(data) : askShared(data);
    void Promise.resolve(asked).then(() => postMessage("over"));
  },
  { once: true },
);
