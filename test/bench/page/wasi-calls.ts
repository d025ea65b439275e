// A WASI call that never blocks, on the rung that shares memory and on the one that suspends; page.

import type { BenchEnv } from "./bench-env.ts";
import type { Samples } from "./turns.ts";

/** The guest's loop: calls between its two looks at the clock. */
const CALLS = 1_000_000;

/** Nanoseconds per sched_yield, as the guest itself times them, the rungs in turns. */
export async function plainWasiCalls(
  env: BenchEnv,
  rounds: number,
): Promise<Samples<"shared-memory" | "suspending">> {
  const rungs = ["shared-memory", "suspending"] as const;
  const samples: Samples<(typeof rungs)[number]> = { "shared-memory": [], suspending: [] };
  const sandboxes = await Promise.all(
    rungs.map((transport) => env.api.createSandbox({ module: env.guest("yield-loop"), transport })),
  );
  for (let round = -1; round < rounds; round++) {
    for (const [index, rung] of rungs.entries()) {
      const { status, stdout } = await sandboxes[index]!.run().result;
      if (status !== "exited" || stdout.byteLength !== 8) throw new Error(`${rung}: ${status}`);
      const ns = Number(new DataView(stdout.buffer, stdout.byteOffset).getBigUint64(0, true));
      if (round >= 0) samples[rung].push(ns / CALLS);
    }
  }
  for (const sandbox of sandboxes) sandbox.close();
  return samples;
}
