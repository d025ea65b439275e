// Warm calls of a package that greets, beside the bare shim running the same module; and many of them; page.

import { loadPackage } from "sallyport/package";
import type { BareMessage } from "./bare-package.ts";
import type { BenchEnv } from "./bench-env.ts";
import { inTurns, type Samples, type Turns } from "./turns.ts";

const GUEST = "packages/greet";

/** The request as our session writes it, for the floor. */
const REQUEST =
  '{"jsonrpc":"2.0","id":"call-0123456789abcdef","method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"},' +
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench",' +
  '"version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}\n';

/** Our call beside the floor: microseconds per call. */
export async function packageCalls(
  env: BenchEnv,
  turns: Turns,
): Promise<Samples<"ours" | "floor">> {
  const greet = await loadPackage(env.guest(GUEST));
  const floor = await startFloor(env);
  const samples = await inTurns(
    {
      ours: timed(async () => {
        const { structuredContent } = await greet.call("greet", { name: "Ada" });
        if ((structuredContent as { message?: string }).message !== "Hello, Ada!")
          throw new Error("wrong");
      }),
      floor: timed(async () => {
        if (!(await floor.ask()).includes('"Hello, Ada!"')) throw new Error("wrong");
      }),
    },
    turns,
  );
  floor.end();
  greet.close();
  return samples;
}

/** Milliseconds of every single one of many calls, `atOnce` under way at any time, after a tenth as many that start workers. */
export async function manyPackageCalls(
  env: BenchEnv,
  { calls, atOnce }: { readonly calls: number; readonly atOnce: number },
): Promise<number[]> {
  const greet = await loadPackage(env.guest(GUEST));
  const times: number[] = [];
  const warmUps = calls / 10;
  let left = calls + warmUps;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const begin = performance.now();
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
      await greet.call("greet", { name: "Ada" });
      times.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  greet.close();
  return times.slice(warmUps);
}

function timed(call: () => Promise<void>): (calls: number) => Promise<number> {
  return async (calls) => {
    const begin = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    for (let i = 0; i < calls; i++) await call();
    return performance.now() - begin;
  };
}

async function startFloor(env: BenchEnv): Promise<{ ask(): Promise<string>; end(): void }> {
  const worker = new Worker(env.script("bare-package"), { type: "module" });
  const module = await WebAssembly.compileStreaming(fetch(env.guest(GUEST)));
  worker.postMessage(module satisfies BareMessage);
  const encoder = new TextEncoder();
  return {
    ask: () =>
      new Promise((resolve, reject) => {
        const over = new AbortController();
        const { signal } = over;
        worker.addEventListener("error", ({ message }) => reject(new Error(message)), { signal });
        const hear = ({ data }: MessageEvent<string>): void => {
          over.abort();
          resolve(data);
        };
        worker.addEventListener("message", hear, { signal });
        worker.postMessage(encoder.encode(REQUEST) satisfies BareMessage);
      }),
    end: () => worker.terminate(),
  };
}
