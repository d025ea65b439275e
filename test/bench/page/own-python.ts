// Our own CPython: cold, from its snapshot, a thousand times, and at work beside the stock build; page.

import type { Sallyport } from "./bench-env.ts";

const HI = "print('hi')";
const IMPORTS =
  "import json, re, datetime, random\nprint(json.dumps({'a': re.sub('x', 'y', 'x')}), datetime.date(2024, 1, 2), random.random() < 1)";
const FIB = `import time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
for _ in range(5):
    start = time.perf_counter(); fib(25); last = (time.perf_counter() - start) * 1000
print(last)`;

const EXPECTED: Readonly<Record<string, string>> = {
  [HI]: "hi\n",
  [IMPORTS]: '{"a": "y"} 2024-01-02 True\n',
};

/** Milliseconds from nothing to the end of the first run; the library is fetched too. Once per page. */
async function cold(): Promise<number> {
  const started = performance.now();
  const sandbox = await open("own-python");
  await check(sandbox, HI);
  return performance.now() - started;
}

/** Milliseconds of each of `count` runs of a program, one after the other, each from the snapshot. */
async function warm(program: "hi" | "imports", count: number): Promise<number[]> {
  const code = program === "hi" ? HI : IMPORTS;
  snapshots ??= open("own-python", {
    init: "snapshot_init",
    run: "snapshot_run",
    args: ["json", "re", "datetime", "random"],
  });
  const sandbox = await snapshots;
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    await check(sandbox, code);
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
  name: string,
  snapshot?: Sallyport.SandboxOptions["snapshot"],
): Promise<Sallyport.Sandbox> {
  const library = new URL("../dist/index.js", location.href).href;
  const { createSandbox } = (await import(library)) as typeof Sallyport;
  const module = new URL(`../interpreters/${name}.wasm`, location.href).href;
  return createSandbox({ module, ...(snapshot ? { snapshot } : {}) });
}

async function check(sandbox: Sallyport.Sandbox, code: string): Promise<void> {
  const { status, stdoutText, stderrText } = await sandbox.run({ args: ["-c", code] }).result;
  if (stdoutText !== EXPECTED[code]) throw new Error(`${status}: ${stdoutText} ${stderrText}`);
}

const benches = { cold, warm, fib };

/** What the page offers. */
export type OwnPython = typeof benches;

(globalThis as { ownPython?: unknown }).ownPython = benches;
