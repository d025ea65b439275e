// What our QuickJS does, by program: given and expected; page and Node.

import type { RunOptions } from "../../src/index.ts";

/** One program, and its end. */
export interface QuickjsCase {
  readonly name: string;
  readonly options: Omit<RunOptions, "tools">;
  readonly code: number;
  readonly out: string;
  /** What stderr begins with; nothing is expected there without it. */
  readonly err?: string;
}

const code = (program: string, ...rest: string[]): RunOptions => ({
  args: ["-e", program, ...rest],
});

/** They run in this order on one sandbox, with the tool `lookup_region`. */
export const QUICKJS_CASES: readonly QuickjsCase[] = [
  {
    name: "arguments, numbers, big integers, expressions, dates",
    options: code(
      "print(scriptArgs, 6 * 7, 2n ** 70n, /(\\d+)/u.exec('a12').at(1), new Date(0).toISOString())",
      "a",
      "b",
    ),
    code: 0,
    out: "a,b 42 1180591620717411303424 12 1970-01-01T00:00:00.000Z\n",
  },
  {
    name: "tools of the page over the import, and what they refuse",
    options: code(`import { tools, ToolError } from "host";
print(tools.lookup_region({ code: "A" }), Object.keys(tools));
for (const wrong of [() => tools.lookup_region({ code: 7 }), () => tools.nope()])
  try { wrong() } catch (error) { print(error instanceof ToolError, error.kind) }`),
    code: 0,
    out: "region of A lookup_region\ntrue invalid_arguments\ntrue unknown_tool\n",
  },
  {
    name: "files, modules, lines of input, the environment",
    options: {
      args: ["/app/main.js"],
      files: {
        "/app/main.js": `import { X } from "./lib/x.js";
import * as std from "std";
std.saveFile("/text", "n" + X);
std.saveFile("/bytes", new Uint8Array([1, 2, 3]).subarray(1));
print(std.loadFile("/text"), std.readLine(), std.readLine(), std.readLine(), std.getenv("A"));
try { std.loadFile("/none") } catch (error) { print(error.message) }`,
        "/app/lib/x.js": "export const X = 5;",
      },
      stdin: "one\n\n",
      env: { A: "ü" },
    },
    code: 0,
    out: "n5 one  null ü\n/none: No such file or directory\n",
  },
  {
    name: "top-level await and timers, in their order",
    options: code(`setTimeout(() => print("last"), 40);
clearTimeout(setTimeout(() => print("never"), 5));
await new Promise((resolve) => setTimeout(resolve, 10));
print("first");`),
    code: 0,
    out: "first\nlast\n",
  },
  {
    name: "an error shows its lines",
    options: {
      args: ["/main.js"],
      files: { "/main.js": "function boom() {\n  throw new RangeError('bang');\n}\nboom();\n" },
    },
    code: 1,
    out: "",
    err: "RangeError: bang\n    at boom (/main.js:2:",
  },
  {
    name: "a rejection that nobody handles",
    options: code("Promise.reject(new Error('r'))"),
    code: 1,
    out: "",
    err: "Error: r\n",
  },
  {
    name: "a promise that nothing settles",
    options: code("await new Promise(() => {})"),
    code: 13,
    out: "",
    err: "quickjs: the program waits",
  },
  {
    name: "exit, with what was written before",
    options: code("import { exit } from 'std'; print('x'); exit(7); print('y')"),
    code: 7,
    out: "x\n",
  },
  {
    name: "deep recursion is an error of the program, and what is usual goes",
    options: code(`const deep = (n) => (n === 0 ? 0 : 1 + deep(n - 1));
const nested = (n, from = []) => { let value = from; while (n-- > 0) value = [value]; return value };
const wide = (depth) => "(".repeat(depth) + "1" + ")".repeat(depth);
print(deep(500), JSON.stringify(nested(150)).length, JSON.parse("[".repeat(150) + "]".repeat(150)).length, eval(wide(20)));
class Nest { constructor() { this.inner = new Nest() } }
const again = () => [1].map(again);
const text = { toString: () => "" + text };
const looking = new Proxy({}, { get: (_, name, proxy) => proxy[name] });
function* gathering() { yield* gathering() }
const far = [() => deep(1e6), () => new Nest(), again, () => "" + text, () => looking.x, () => [...gathering()],
  () => "a".replace(/a/g, far[6]), () => [0, 1].sort(far[7]), () => JSON.parse("[".repeat(1e6)), () => JSON.stringify(nested(1e5)),
  () => String(nested(1e5)), () => nested(1e5).flat(Infinity), () => eval(wide(1e5)), () => eval("far[13]()"),
  () => Reflect.apply(far[14], null, []), () => eval("[".repeat(1e5))];
globalThis.far = far;
const ends = far.map((call) => { try { call(); return "no limit" } catch (error) { return error.message } });
print(ends.length, ...new Set(ends));
const chain = async () => { await chain() };
try { await chain(); print("no limit") } catch (error) { print(error.message) }
nested(1e6); print("freed")`),
    code: 0,
    out: "500 302 1 1\n16 stack overflow\nstack overflow\nfreed\n",
  },
  {
    name: "nothing of the runs before is left",
    options: code(
      "print(globalThis.left, Array.prototype.left); globalThis.left = 1; Array.prototype.left = 1",
    ),
    code: 0,
    out: "undefined undefined\n",
  },
  {
    name: "nothing of the run before is left",
    options: code("import * as std from 'std'; print(globalThis.left, [].left, std.getenv('A'))"),
    code: 0,
    out: "undefined undefined undefined\n",
  },
  {
    name: "a program on standard input",
    options: { stdin: "print('from stdin')" },
    code: 0,
    out: "from stdin\n",
  },
];
