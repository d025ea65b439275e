// Lines of WASI calls that never block; Node.

import { benchLine, type BenchLine } from "./bench-line.ts";
import type { BenchRun } from "./run-bench.ts";

/** sched_yield on the suspending rung beside the shared-memory one. */
export async function wasiLines({ browser, quick }: BenchRun): Promise<BenchLine[]> {
  const samples = await browser.measure("coi", "plainWasiCalls", quick ? 12 : 40);
  return [
    benchLine(
      {
        name: "plain WASI call, suspending",
        unit: "ns",
        goal: { above: 25 },
        peer: "plain WASI call, shared memory",
      },
      samples.suspending,
      samples["shared-memory"],
    ),
  ];
}
