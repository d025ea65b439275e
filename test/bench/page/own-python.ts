// Our own CPython: cold, from its snapshot, a thousand times, and at work beside the stock build; page.

import { pythonAt } from "../../../guests/python/page/options.js";
import { answerInTitle } from "./answer-title.ts";
import type { Sallyport } from "./bench-env.ts";
import { importLibrary, type Shipped } from "./library.ts";

const HI = "print('hi')";
const IMPORTS =
  "import json, re, datetime, random\nprint(json.dumps({'a': re.sub('x', 'y', 'x')}), datetime.date(2024, 1, 2), random.random() < 1)";
/** Prints the milliseconds of the fifth fib(25). */
export const FIB = `import time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for _ in range(5):
    start = time.perf_counter(); fib(25); last = (time.perf_counter() - start) * 1000
print(last)`;

/** The programs that start again and again, and what they print. */
export const PROGRAMS = {
  hi: { code: HI, output: "hi\n" },
  imports: { code: IMPORTS, output: '{"a": "y"} 2024-01-02 True\n' },
} as const;

/**
 * Milliseconds from nothing to the end of the first run, as the package ships it, and of a later run in the same worker.
 * Once per page.
 */
async function start(library: Shipped = "app"): Promise<{ cold: number; pooled: number }> {
  const started = performance.now();
  snapshots = open("shipped", library);
  await check(await snapshots, "hi");
  const cold = performance.now() - started;
  const times = (await warm("hi", 20)).toSorted((a, b) => a - b);
  return { cold, pooled: times[10]! };
}

/** Milliseconds of each of `count` runs of a program, one after the other, each from the snapshot. */
async function warm(program: keyof typeof PROGRAMS, count: number): Promise<number[]> {
  snapshots ??= open("shipped");
  const sandbox = await snapshots;
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    await check(sandbox, program);
    times.push(performance.now() - started);
  }
  return times;
}

/** Milliseconds of the fifth fib(25) as the guest measures it: before that, the engine still makes the code fast. */
async function fib(build: "own-python" | "python"): Promise<number> {
  const sandbox = await (plain[build] ??= open(build));
  const { stdoutText } = await sandbox.run({ args: ["-c", FIB] }).result;
  return Number(stdoutText);
}

let snapshots: Promise<Sallyport.Sandbox> | undefined;
const plain: Record<string, Promise<Sallyport.Sandbox>> = {};

async function open(
  name: "shipped" | "own-python" | "python",
  library: Shipped = "app",
): Promise<Sallyport.Sandbox> {
  const { createSandbox } = await importLibrary(library);
  const folder = new URL("../interpreters/", location.href);
  if (name === "shipped") return createSandbox(pythonAt(new URL("own/", folder)));
  return createSandbox({
    module: new URL(name === "own-python" ? "own/python.wasm" : "python.wasm", folder),
  });
}

async function check(sandbox: Sallyport.Sandbox, program: keyof typeof PROGRAMS): Promise<void> {
  const { code, output } = PROGRAMS[program];
  const { status, stdoutText, stderrText } = await sandbox.run({ args: ["-c", code] }).result;
  if (stdoutText !== output) throw new Error(`${status}: ${stdoutText} ${stderrText}`);
}

/** What the page offers. */
export const ownPython = { start, warm, fib };

export type OwnPython = typeof ownPython;

(globalThis as { ownPython?: unknown }).ownPython = ownPython;

answerInTitle({ start: () => start(), startDist: () => start("dist") });
