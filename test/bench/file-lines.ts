// Lines of guests that work on files: beside the bare shim, beside plain arrays, and beside themselves; Node.

import type { BenchBrowser } from "./bench-browser.ts";
import { benchLine, type BenchLine } from "./bench-line.ts";
import type { FileRuns, FileSamples } from "./page/file-runs.ts";
import type { BenchRun } from "./run-bench.ts";

/** One guest and what its times mean. */
interface Work {
  readonly guest: string;
  readonly peer: string;
  readonly beside: Omit<FileRuns, "guest" | "rounds">;
  /** One for each time that the guest prints; `per` divides it, and what stands beside it by `besidePer`. */
  readonly lines: readonly {
    readonly name: string;
    readonly unit: "ns" | "us" | "ms";
    readonly goal: number | { readonly above: number };
    readonly per?: number;
    readonly besidePer?: number;
  }[];
  readonly rounds: readonly [quick: number, full: number];
}

const MiB = 2 ** 20;
const nanoseconds = { ns: 1, us: 1e3, ms: 1e6 } as const;
/** At least five times as fast where the shim goes quadratic, and nowhere slower. */
const FIVE_TIMES = 1 / 5;
const shim = { peer: "browser_wasi_shim 0.4.2", beside: { host: "bare-files" } };

const blocks = (part: number) => ({ copy: "blocks" as const, bytes: 64 * MiB, part });
const sets = { copy: "set" as const, bytes: 64 * MiB, part: 4096 };
const floors = (part: number) => ({
  peer: "64 KiB blocks in a list; Uint8Array.set",
  beside: { loops: [blocks(part), sets] },
});

const appended = (size: string, part: string, goals: readonly [number, number]): Work["lines"] => [
  { name: `${size} written by ${part} appends`, unit: "ms", goal: goals[0] },
  { name: `${size} read by 4 KiB, after that`, unit: "ms", goal: goals[1] },
];

const named = (count: string, rest: { goal: number; besidePer?: number }): Work["lines"] =>
  ["created", "stat-ed", "removed"].map((what) => ({
    name: `${count} files ${what}`,
    unit: "ms",
    ...rest,
  }));

const tenth = { peer: "a tenth of it, ten times" };

const works: readonly Work[] = [
  {
    ...shim,
    guest: "yields",
    lines: [{ name: "sched_yield", unit: "ns", goal: { above: 10 }, per: 1e6 }],
    rounds: [8, 20],
  },
  {
    ...shim,
    guest: "bytes-to-file",
    lines: [{ name: "1-byte write to a file", unit: "ns", goal: 1, per: 20_000 }],
    rounds: [6, 15],
  },
  {
    peer: "browser_wasi_shim 0.4.2, each write posted to the page",
    beside: shim.beside,
    guest: "bytes-to-stdout",
    lines: [{ name: "1-byte write to stdout", unit: "ns", goal: 1, per: 20_000 }],
    rounds: [6, 15],
  },
  {
    ...shim,
    guest: "appends-1-by-4",
    lines: appended("1 MiB", "4 KiB", [FIVE_TIMES, 1]),
    rounds: [2, 6],
  },
  {
    ...shim,
    guest: "appends-1-by-64",
    lines: appended("1 MiB", "64 KiB", [FIVE_TIMES, 1]),
    rounds: [6, 20],
  },
  {
    ...floors(4096),
    guest: "appends-64-by-4",
    lines: appended("64 MiB", "4 KiB", [1.5, 3]),
    rounds: [5, 15],
  },
  {
    ...floors(65_536),
    guest: "appends-64-by-64",
    lines: appended("64 MiB", "64 KiB", [1.5, 3]),
    rounds: [5, 15],
  },
  {
    peer: "a quarter of it, four times",
    beside: { other: "appends-16-by-4" },
    guest: "appends-64-by-4",
    lines: [
      { name: "64 MiB written by 4 KiB appends", unit: "ms", goal: 1.5, besidePer: 1 / 4 },
      { name: "64 MiB read by 4 KiB, after that", unit: "ms", goal: 1.5, besidePer: 1 / 4 },
    ],
    rounds: [5, 15],
  },
  {
    ...shim,
    guest: "log-500",
    lines: [{ name: "open, append, close on 4 MiB", unit: "us", goal: FIVE_TIMES, per: 500 }],
    rounds: [1, 4],
  },
  {
    ...shim,
    guest: "names-10000",
    lines: named("10,000", { goal: 1 }),
    rounds: [6, 15],
  },
  {
    ...shim,
    guest: "listing-10000",
    lines: [{ name: "10,000 files listed", unit: "ms", goal: FIVE_TIMES }],
    rounds: [2, 5],
  },
  {
    ...tenth,
    beside: { other: "names-1000" },
    guest: "names-10000",
    lines: named("10,000", { goal: 1.5, besidePer: 1 / 10 }),
    rounds: [8, 20],
  },
  {
    ...tenth,
    beside: { other: "listing-1000" },
    guest: "listing-10000",
    lines: [{ name: "10,000 files listed", unit: "ms", goal: 1.5, besidePer: 1 / 10 }],
    rounds: [8, 20],
  },
];

/** Calls and files, each guest in turns with what stands beside it. */
export async function fileLines({ browser, quick }: BenchRun): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const work of works) {
    const { guest, beside, rounds } = work;
    const runs: FileRuns = { guest, ...beside, rounds: rounds[quick ? 0 : 1] };
    lines.push(...linesOf(work, await browser.measure("coi", "fileRuns", runs)));
  }
  return lines;
}

/** What runno does with them: it cannot do them all in an evening, so these few. */
export async function runnoFileLines(browser: BenchBrowser, peer: string): Promise<BenchLine[]> {
  const few: readonly [guest: string, lines: Work["lines"]][] = [
    ["appends-16-by-4", appended("16 MiB", "4 KiB", [1, 1])],
    ["log-500", [{ name: "open, append, close on 4 MiB", unit: "us", goal: 1, per: 500 }]],
    ["names-1000", named("1,000", { goal: 1 })],
    ["listing-1000", [{ name: "1,000 files listed", unit: "ms", goal: 1 }]],
  ];
  const lines: BenchLine[] = [];
  for (const [guest, texts] of few) {
    const runs: FileRuns = { guest, host: "runno-files", rounds: 4 };
    const samples = await browser.measure("coi", "fileRuns", runs);
    lines.push(...linesOf({ peer, lines: texts }, samples));
  }
  return lines;
}

function linesOf({ peer, lines }: Pick<Work, "peer" | "lines">, samples: FileSamples): BenchLine[] {
  return lines.map(({ name, unit, goal, per = 1, besidePer = per }, index) => {
    const times = (all: FileSamples["ours"], divisor: number): number[] =>
      all.map((round) => round[index]! / divisor / nanoseconds[unit]);
    return benchLine(
      { name, unit, goal, peer },
      times(samples.ours, per),
      times(samples.beside, besidePer),
    );
  });
}
