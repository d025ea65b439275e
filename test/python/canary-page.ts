// Runs on the shipped build in a worker whose guests' memories can be looked through; page.

import * as api from "sallyport";
import { pythonAt } from "../../guests/python/page/options.js";

/** How often each pattern stands in each memory that the worker's instances have had, in the order of their making. */
type Counts = readonly (readonly number[])[];

/** What the page found. */
export interface CanaryReport {
  readonly output: readonly string[];
  /** At each call through the door of the programs that call; none where that suspends the guest. */
  readonly during: readonly Counts[];
  /** Once the first run was over, once the second was, and once one was whose memory had grown. */
  readonly after: readonly Counts[];
}

/** Its own page loads it, so it has the paths of that page. */
const LIBRARY_WORKER = new URL("../dist/worker.js", location.href).href;

/** Keeps each memory, and looks through all of them when it is asked, and when the guest calls the door. */
const WORKER = `
  const memories = [], during = [];
  let patterns = [];
  const count = (bytes, pattern) => {
    let found = 0;
    for (let at = bytes.indexOf(pattern[0]); at >= 0; at = bytes.indexOf(pattern[0], at + 1)) {
      if (pattern.every((byte, n) => bytes[at + n] === byte)) found += 1;
    }
    return found;
  };
  const look = () =>
    memories.map(({ buffer }) => patterns.map((pattern) => count(new Uint8Array(buffer), pattern)));
  const channel = new BroadcastChannel("memories");
  channel.onmessage = ({ data }) => {
    patterns = data.patterns;
    channel.postMessage({ counts: look(), during });
  };
  WebAssembly.Instance = new Proxy(WebAssembly.Instance, {
    construct(made, [module, given]) {
      const door = given?.host?.call;
      // Where a guest is suspended, nothing may stand between it and the engine.
      const call = (a, b, c, d) => (during.push(look()), door(a, b, c, d));
      const imports = ${crossOriginIsolated} && door ? { ...given, host: { call } } : given;
      const instance = Reflect.construct(made, [module, imports]);
      if (instance.exports.snapshot_run) memories.push(instance.exports.memory);
      return instance;
    },
  });
  await import(${JSON.stringify(LIBRARY_WORKER)});`;

const channel = new BroadcastChannel("memories");

function ask(
  patterns: readonly (readonly number[])[],
): Promise<{ counts: Counts; during: Counts[] }> {
  return new Promise((resolve) => {
    channel.addEventListener("message", ({ data }) => resolve(data as never), { once: true });
    channel.postMessage({ patterns });
  });
}

/** Its text as Python keeps it: in 1, 2 or 4 bytes a character, and as digits of an int. */
function patternsOf(canary: string): number[][] {
  const bytes = [...new TextEncoder().encode(canary)];
  const digits: number[] = [];
  let value = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
  // The last digit is not a whole one.
  for (; value >> 30n > 0n; value >>= 30n) {
    const digit = Number(value & 0x3fff_ffffn);
    digits.push(digit & 255, (digit >> 8) & 255, (digit >> 16) & 255, digit >> 24);
  }
  const wide = (width: number): number[] =>
    bytes.flatMap((byte) => [byte, ...Array.from({ length: width - 1 }, () => 0)]);
  return [bytes, wide(2), wide(4), digits];
}

const LEAVES = `import builtins, functools, json, os, sys
from host import tools
canary = sys.argv[1]
assert canary == os.environ["CANARY"] == open("/secret").read() == sys.stdin.read()
two, four = canary + "\\u0416", canary + "\\U0001F600"
number = int.from_bytes(canary.encode(), "little")
builtins.left = json.left = [canary, two, four, number]
open("/left", "w").write(two)
os.environ["LEFT"] = canary
buffer = bytearray(canary.encode() * 20_000)
class Left:
    text = four
    def __del__(self): pass
cached = functools.lru_cache(lambda text: text + canary)
cached(four)
def deep(n, text=canary): return tools.peek(text=text) if n == 0 else deep(n - 1, text + str(n))
print(deep(50))
print(canary, two, four, number, file=sys.stderr)`;

/** Runs a program that is given a secret and spreads it, then others, and looks for it in between. */
async function lookForCanary(): Promise<CanaryReport> {
  const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
  const peek = api.tool({
    name: "peek",
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
    execute: () => "seen",
  });
  const sandbox = await api.createSandbox({
    ...pythonAt(new URL("../shipped/", location.href)),
    worker: () => new Worker(url, { type: "module" }),
    maxGuests: 1,
  });
  const canary = crypto.randomUUID();
  const patterns = patternsOf(canary);
  const output: string[] = [];
  const run = async (program: string, secret?: string): Promise<void> => {
    const { stdoutText, exitCode } = await sandbox.run({
      args: ["-c", program, ...(secret ? [secret] : [])],
      env: secret ? { CANARY: secret } : {},
      files: secret ? { "/secret": secret } : {},
      stdin: secret ?? "",
      tools: [peek],
    }).result;
    output.push(`${exitCode} ${stdoutText.trim()}`);
  };
  const after: Counts[] = [];
  const look = async (): Promise<void> => void after.push((await ask(patterns)).counts);
  // Until the page has read the module's code, no instance is put back.
  let memories = 0;
  for (let runs = 0; runs < 50; runs += 1) {
    await run("pass");
    output.pop();
    const { length } = (await ask([])).counts;
    if (crossOriginIsolated ? length === memories : runs > 0) break;
    memories = length;
  }
  await ask(patterns);
  await run(LEAVES, canary);
  await look();
  await run("from host import tools\nprint(tools.peek())");
  await look();
  await run(
    "import sys\nheld = bytearray(sys.argv[1].encode() * 700_000)\nprint(len(held))",
    canary,
  );
  await look();
  await run("print('hi')");
  const { during } = await ask(patterns);
  sandbox.close();
  return { output, during, after };
}

Object.assign(globalThis, { lookForCanary });
