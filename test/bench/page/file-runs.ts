// Guests that work on files, in a sandbox and beside it, in turns; page.

import type { BareFiles } from "./bare-files.ts";
import type { BenchEnv } from "./bench-env.ts";

/** Which guest, how often, and what runs beside it: another host's worker, or plain loops, one for each of its times. */
export interface FileRuns {
  readonly guest: string;
  readonly rounds: number;
  /** A worker script that runs the same guest. */
  readonly host?: string;
  readonly loops?: readonly Exclude<BareFiles, { module: unknown }>[];
  /** Another guest of ours, for what has to grow in proportion. */
  readonly other?: string;
}

/** Nanoseconds: for each round the times that the guest printed. */
export interface FileSamples {
  readonly ours: readonly (readonly number[])[];
  readonly beside: readonly (readonly number[])[];
}

/** Runs both in turns, the order changing with every round, after one round that is not counted. */
export async function fileRuns(env: BenchEnv, runs: FileRuns): Promise<FileSamples> {
  const ours = await sandboxRun(env, runs.guest);
  const beside =
    runs.other === undefined ? await bareRun(env, runs) : await sandboxRun(env, runs.other);
  const samples: { ours: number[][]; beside: number[][] } = { ours: [], beside: [] };
  for (let round = -1; round < runs.rounds; round++) {
    const order = round % 2 === 0 ? ([ours, beside] as const) : ([beside, ours] as const);
    const [first, second] = [await order[0].run(), await order[1].run()];
    if (round < 0) continue;
    samples.ours.push(order[0] === ours ? first : second);
    samples.beside.push(order[0] === ours ? second : first);
  }
  ours.end();
  beside.end();
  return samples;
}

interface Runner {
  run(): Promise<number[]>;
  end(): void;
}

async function sandboxRun(env: BenchEnv, guest: string): Promise<Runner> {
  const sandbox = await env.api.createSandbox({ module: env.guest(guest) });
  return {
    run: async () => {
      const limits = { timeoutMs: 120_000 };
      const result = await sandbox.run({ files: {}, limits }).result;
      if (result.status !== "exited") throw new Error(`${guest}: ${result.status}`);
      return numbers(result.stderrText);
    },
    end: () => sandbox.close(),
  };
}

async function bareRun(env: BenchEnv, { guest, host, loops = [] }: FileRuns): Promise<Runner> {
  const worker = new Worker(env.script(host ?? "bare-files"), { type: "module" });
  const module = await WebAssembly.compileStreaming(fetch(env.guest(guest)));
  const ask = (what: BareFiles): Promise<number[]> =>
    new Promise((resolve, reject) => {
      const over = new AbortController();
      const { signal } = over;
      worker.addEventListener("error", ({ message }) => reject(new Error(message)), { signal });
      const hear = ({ data }: MessageEvent<{ told?: string }>): void => {
        if (data.told === undefined) return;
        over.abort();
        resolve(numbers(data.told));
      };
      worker.addEventListener("message", hear, { signal });
      worker.postMessage(what);
    });
  return {
    run: async () => {
      if (loops.length === 0) return ask({ module, source: env.guest(guest) });
      const times: number[] = [];
      for (const loop of loops) times.push(...(await ask(loop)));
      return times;
    },
    end: () => worker.terminate(),
  };
}

function numbers(text: string): number[] {
  const found = text.trim().split("\n").map(Number);
  if (found.length === 0 || found.some((one) => !(one > 0))) throw new Error(`no times: ${text}`);
  return found;
}
