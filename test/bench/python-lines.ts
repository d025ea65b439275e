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

/** What a line says of a page that loads the library file by file. */
export const WITHOUT_BUNDLER = "dist files without a bundler";

/** Each comes first, last and behind each other as often as the others do. */
export function inTurn<T>(all: readonly T[], round: number): T[] {
  const turned = all.map((_, index) => all[(index + round) % all.length]!);
  return Math.floor(round / all.length) % 2 === 0 ? turned : turned.toReversed();
}

/** Each sample is of pages of its own with empty caches, ours and the bare shim's in turns. */
export async function pythonLines(run: BenchRun): Promise<BenchLine[]> {
  const starts: Record<Who, Start[]> = { ours: [], bare: [] };
  const dist: number[] = [];
  for (let round = 0; round < (run.quick ? 6 : 18); round++) {
    for (const who of inTurn(["ours", "dist", "bare"] as const, round)) {
      if (who === "dist") dist.push(await startCold(run, who));
      else starts[who].push(await startPython(run, who));
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
    benchLine(
      { name: `Python, ${names.cold}, ${WITHOUT_BUNDLER}`, unit: "ms", goal: 1.1, peer: SHIM },
      dist,
      ms(bare, "cold"),
    ),
    line(`Python, ${names.fresh}`, 1.15, "fresh"),
    part(`Python, ${names.fresh}`, 0.2, "fresh", "cold"),
    line(`Python, ${names.pooled}`, 1.15, "pooled"),
    part(`Python, ${names.pooled}`, 0.07, "pooled", "cold"),
    part(`Python, ${names.pooled}`, 1, "pooled", "fresh"),
    ...memoryLine(run, ours, bare),
  ];
}

const names = { cold: "cold", fresh: "second run in a new worker", pooled: "pooled worker" };

function startCold({ browser }: BenchRun, who: PythonWay): Promise<number> {
  return browser.unwatched<number>("/bench/python.html", "coi", who);
}

async function startPython(run: BenchRun, who: Who): Promise<Start> {
  const cold = await startCold(run, who);
  return run.browser.inPage("/bench/python.html", "coi", async (page, pid) => {
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
