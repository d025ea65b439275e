// Lines of warm package calls: beside the bare shim running the same module, and many of them, whose memory stays flat; Node.

import { peakMemory } from "./bench-browser.ts";
import { benchLine, median, type BenchLine } from "./bench-line.ts";
import type { BenchRun } from "./run-bench.ts";

/** Calls of one group, and how many of them are under way together in the second kind of group. */
const CALLS = 1000;
const AT_ONCE = 8;
/**
 * Thousands of calls in which the engine's heaps find their size, and as many in which they have to keep it. Calls leave so
 * little behind that the page's engine first looks through all of its heap after some forty thousand.
 */
const SETTLING = 50;

/** One call end to end on both rungs, then a thousand one after another and a thousand eight at once. */
export async function packageLines(run: BenchRun): Promise<BenchLine[]> {
  const turns = { rounds: run.quick ? 20 : 60, calls: 20 };
  const shared = await run.browser.measure("coi", "packageCalls", turns);
  const suspending = await run.browser.measure("plain", "packageCalls", turns);
  const texts = { unit: "us", goal: 1.5, peer: "browser_wasi_shim 0.4.2, warm worker" };
  return [
    benchLine({ name: "package call", ...texts }, shared.ours, shared.floor),
    benchLine({ name: "package call, suspending", ...texts }, suspending.ours, suspending.floor),
    ...(await manyLines(run, "one after another", 1)),
    ...(await manyLines(run, `${AT_ONCE} at once`, AT_ONCE)),
  ];
}

async function manyLines(
  { browser, quick }: BenchRun,
  how: string,
  atOnce: number,
): Promise<BenchLine[]> {
  const timed = quick ? 3 : 7;
  const { times, peaks } = await browser.inPage("/bench/", "coi", async (page, pid) => {
    const found = { times: [] as number[][], peaks: [] as number[] };
    for (let group = 1; group <= 2 * SETTLING; group++) {
      const ms = await page.evaluate<number[]>(
        `bench.manyPackageCalls({ calls: ${CALLS}, atOnce: ${atOnce} })`,
      );
      if (group <= timed) found.times.push(ms.map((time) => time * 1000));
      const peak = pid === undefined ? undefined : peakMemory(pid);
      if (peak !== undefined && group % SETTLING === 0) found.peaks.push(peak);
    }
    return found;
  });
  const lines = [
    benchLine(
      {
        name: `package call, p99 of 1,000 ${how}`,
        unit: "us",
        goal: 10,
        peer: "p50 of the same",
      },
      times.map(percentile99),
      times.map(median),
    ),
  ];
  const [settled, later] = peaks;
  if (settled === undefined || later === undefined) return lines;
  const name = `page's peak after ${2 * SETTLING},000 package calls ${how}`;
  const texts = { name, unit: "MiB", goal: 1.05, peer: `after the first ${SETTLING},000` };
  return [...lines, benchLine(texts, [later], [settled])];
}

function percentile99(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!;
}
