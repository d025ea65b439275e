// Our own CPython and the Pythons of others on one page, a fresh interpreter for each program; page.

import { FIB, ownPython, PROGRAMS } from "./own-python.ts";

/** What a peer's worker is told. It fetches what it needs the first time, keeps what can be kept, and starts anew. */
export interface FreshRun {
  readonly code: string;
}
/** What it says when the program has ended. */
export interface FreshAnswer {
  readonly stdout: string;
}

const workers = {
  shim: "fresh-shim.js",
  runno: "fresh-runno.js",
  pyodide: "fresh-pyodide.js",
};
/** Whose Python it is. */
export type PythonPeer = keyof typeof workers;
export type PythonProgram = keyof typeof PROGRAMS;

const started = new Map<PythonPeer, Worker>();

/** Runs a program in a fresh interpreter, in the worker that is kept. */
async function run(peer: PythonPeer, code: string): Promise<string> {
  let worker = started.get(peer);
  if (!worker) {
    worker = new Worker(new URL(workers[peer], location.href), { type: "module" });
    started.set(peer, worker);
  }
  const request: FreshRun = { code };
  const { stdout } = await new Promise<FreshAnswer>((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
    worker.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
    worker.postMessage(request);
  });
  return stdout;
}

/** Milliseconds of a fresh interpreter and one of the programs; the first time of all it is the cold start. */
async function fresh(peer: PythonPeer, program: PythonProgram): Promise<number> {
  const { code, output } = PROGRAMS[program];
  const begin = performance.now();
  const stdout = await run(peer, code);
  const ms = performance.now() - begin;
  if (stdout !== output) throw new Error(`${peer}: ${stdout}`);
  return ms;
}

/** Ours and theirs in turns: the middle of ten of our runs beside one of theirs, both warm. */
async function warm(
  peer: PythonPeer,
  program: PythonProgram,
  rounds: number,
): Promise<{ ours: number[]; theirs: number[] }> {
  await ownPython.warm(program, 20);
  await fresh(peer, program);
  const [ours, theirs]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const ten = await ownPython.warm(program, 10);
    ours!.push(ten.sort((a, b) => a - b)[5]!);
    theirs!.push(await fresh(peer, program));
  }
  return { ours: ours!, theirs: theirs! };
}

/** Milliseconds of fib(25), as each measures it. */
async function fib(
  peer: PythonPeer,
  rounds: number,
): Promise<{ ours: number[]; theirs: number[] }> {
  const [ours, theirs]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours!.push(await ownPython.fib("own-python"));
    theirs!.push(Number(await run(peer, FIB)));
  }
  return { ours: ours!, theirs: theirs! };
}

/** Runs the shortest program so many times. */
async function many(peer: PythonPeer, runs: number): Promise<void> {
  for (let at = 0; at < runs; at++) await fresh(peer, "hi");
}

const benches = { fresh, warm, fib, many };

/** What the page offers. */
export type PythonPeers = typeof benches;

(globalThis as { pythonPeers?: unknown }).pythonPeers = benches;
