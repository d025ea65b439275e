// Lines of large answers; Node.

import { benchLine, type BenchLine } from "./bench-line.ts";
import type { BenchRun } from "./run-bench.ts";

const MIB = 2 ** 20;

/** 1 MiB and 16 MiB beside one big shared buffer. */
export async function answerLines({ browser, quick }: BenchRun): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const [mib, calls] of [
    [1, 10],
    [16, 2],
  ] as const) {
    const turns = { rounds: quick ? 20 : 60, calls };
    const { ours, floor } = await browser.measure("coi", "largeAnswers", mib * MIB, turns);
    lines.push(
      benchLine(
        { name: `answer of ${mib} MiB`, unit: "us", goal: 1.3, peer: "one big shared buffer" },
        ours,
        floor,
      ),
    );
  }
  return lines;
}
