// Lines of CPython saying hello: cold, in a new worker, in a used one, and the memory it takes; Node.

import type { Page } from "playwright";
import { peakMemory } from "./bench-browser.ts";
import { benchLine, median, type BenchLine } from "./bench-line.ts";
import type { PythonStarts, PythonWay } from "./page/python-starts.ts";
import type { BenchRun } from "./run-bench.ts";

type Who = "ours" | "bare";

/** A start, and another page's life, in milliseconds and MiB. */
interface Start {
  readonly cold: number;
  readonly fresh: number;
  readonly pooled: number;
  readonly peak: number | undefined;
}

const SHIM = "bare browser_wasi_shim, compileStreaming, same module";

/** Each sample is of pages of its own with empty caches, ours and the bare shim's in turns. */
export async function pythonLines(run: BenchRun): Promise<BenchLine[]> {
  const starts: Record<Who, Start[]> = { ours: [], bare: [] };
  for (let round = 0; round < (run.quick ? 6 : 14); round++) {
    for (const who of round % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      starts[who].push(await startPython(run, who));
    }
  }
  const { ours, bare } = starts;
  const ms = (of: readonly Start[], what: "cold" | "fresh" | "pooled"): number[] =>
    of.map((start) => start[what]);
  const line = (name: string, goal: number, what: "cold" | "fresh" | "pooled"): BenchLine =>
    benchLine({ name, unit: "ms", goal, peer: SHIM }, ms(ours, what), ms(bare, what));
  const part = (name: string, goal: number, what: "fresh" | "pooled", of: "cold" | "fresh") =>
    benchLine(
      { name, unit: "ms", goal, peer: `Python, ${names[of]}` },
      ms(ours, what),
      ms(ours, of),
    );
  return [
    line(`Python, ${names.cold}`, 1.1, "cold"),
    line(`Python, ${names.fresh}`, 1.15, "fresh"),
    part(`Python, ${names.fresh}`, 0.2, "fresh", "cold"),
    line(`Python, ${names.pooled}`, 1.15, "pooled"),
    part(`Python, ${names.pooled}`, 0.07, "pooled", "cold"),
    part(`Python, ${names.pooled}`, 1, "pooled", "fresh"),
    ...memoryLine(run, ours, bare),
  ];
}

const names = { cold: "cold", fresh: "second run in a new worker", pooled: "pooled worker" };

async function startPython({ browser }: BenchRun, who: Who): Promise<Start> {
  const cold = await browser.unwatched<number>("/bench/python.html", "coi", who);
  return browser.inPage("/bench/python.html", "coi", async (page, pid) => {
    await callPython(page, who, "cold");
    const peak = pid === undefined ? undefined : peakMemory(pid);
    const fresh = await callPython(page, who, "fresh");
    const pooled: number[] = [];
    for (let i = 0; i < 3; i++) pooled.push(await callPython(page, who, "pooled"));
    return { cold, fresh, pooled: median(pooled), peak };
  });
}

/** Milliseconds of one start in a page that offers the ways of starting Python. */
export function callPython(page: Page, who: PythonWay, what: keyof PythonStarts): Promise<number> {
  return page.evaluate(
    ([way, name]) =>
      (globalThis as unknown as { python: Record<PythonWay, PythonStarts> }).python[way][name](),
    [who, what] as const,
  );
}

/** Only where the system tells a process's peak. */
function memoryLine(run: BenchRun, ours: readonly Start[], bare: readonly Start[]): BenchLine[] {
  const peaks = (of: readonly Start[]): number[] => of.flatMap(({ peak }) => peak ?? []);
  if (peaks(ours).length < ours.length || peaks(bare).length < bare.length) {
    run.log("the peak of a process's memory is not to be had on this system: left out");
    return [];
  }
  const name = "Python, peak of the page's process";
  return [
    benchLine({ name, unit: "MiB", goal: { above: 10 }, peer: SHIM }, peaks(ours), peaks(bare)),
  ];
}
