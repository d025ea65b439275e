// Functions of traps: from the stacks of engines and from name sections; Node.
import { describe, expect, test } from "vitest";
import { functionName, trapSite } from "../../../src/wasm/trap-site.ts";
import { wat } from "./wat.ts";

const TEXT = `(module
  (import "env" "f" (func $imported))
  (func $inner unreachable)
  (func $outer (export "run") call $inner))`;

function trapOf(bytes: Uint8Array<ArrayBuffer>): unknown {
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { f() {} } })
    .exports;
  try {
    (run as () => void)();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("this engine", () => {
  test("with names", () => {
    const bytes = wat(TEXT, true);
    const site = trapSite(trapOf(bytes));
    expect(site).toMatchObject({ functionName: "inner", functionIndex: 1 });
    expect(bytes[site?.offset as number]).toBe(0x00); // unreachable
  });

  test("without names", () => {
    expect(trapSite(trapOf(wat(TEXT)))).toEqual({ functionIndex: 1, offset: expect.any(Number) });
  });

  test("an error of the host, or no error", () => {
    expect(trapSite(new Error("host"))).toBeUndefined();
    expect(trapSite("thrown")).toBeUndefined();
    expect(trapSite(Object.assign(new Error("x"), { stack: 5 }))).toBeUndefined();
  });
});

describe("stacks as engines write them", () => {
  const siteOf = (stack: string) => trapSite(Object.assign(new Error("x"), { stack }));
  test.each<[string, object]>([
    [
      "RuntimeError: unreachable\n    at wasm://wasm/1c4e02:wasm-function[12]:0x1f2\n    at a.js:1:2",
      { functionIndex: 12, offset: 0x1f2 },
    ],
    [
      "RuntimeError: x\n    at parse (http://localhost:1/p.wasm:wasm-function[3]:0x45)",
      { functionName: "parse", functionIndex: 3, offset: 0x45 },
    ],
    [
      "E\n    at std::pair<int, int>::get(char const*) const (wasm://wasm/app-1c4e:wasm-function[7]:0x9)",
      { functionName: "std::pair<int, int>::get(char const*) const", functionIndex: 7, offset: 9 },
    ],
    [
      "E\n    at async main (wasm://wasm/1:wasm-function[7]:0x9)",
      { functionName: "main", functionIndex: 7, offset: 9 },
    ],
    [
      "E\n    at host (file:///a.js:1:1)\n    at inner (wasm://wasm/1:wasm-function[2]:0x3)\n    at outer (wasm://wasm/1:wasm-function[1]:0x2)",
      { functionName: "inner", functionIndex: 2, offset: 3 },
    ],
    [
      "parse@http://localhost/a.js line 5 > WebAssembly.instantiate:wasm-function[3]:0x45\nrun@http://localhost/a.js:5:1",
      { functionName: "parse", functionIndex: 3, offset: 0x45 },
    ],
    [
      "parse@http://localhost/p.wasm:wasm-function[3]:0x45",
      { functionName: "parse", functionIndex: 3, offset: 0x45 },
    ],
    ["<?>.wasm-function[parse]@[wasm code]\nwasm-stub@[wasm code]", { functionName: "parse" }],
    ["<?>.wasm-function[12]@[wasm code]", { functionIndex: 12 }],
    [
      "parse@<?>:wasm-function[12]\nmodule code@http://localhost:1/a.js:6:73",
      { functionName: "parse", functionIndex: 12 },
    ],
    ["12@<?>:wasm-function[12]\nmodule code@http://localhost:1/a.js:6:73", { functionIndex: 12 }],
  ])("%j", (stack, site) => {
    expect(siteOf(stack)).toEqual(site);
  });

  test("the text of a stack does too", () => {
    expect(trapSite("E\n    at f (wasm://wasm/1:wasm-function[7]:0x9)")).toMatchObject({
      functionName: "f",
      functionIndex: 7,
    });
  });

  test("a name without end is cut", () => {
    expect(
      siteOf(`    at ${"a".repeat(5_000)} (wasm://wasm/1:wasm-function[1]:0x1)`)?.functionName,
    ).toHaveLength(257);
  });
});

describe("name sections", () => {
  const module = new WebAssembly.Module(wat(TEXT, true));
  test.each([
    [0, "imported"],
    [1, "inner"],
    [2, "outer"],
    [3, undefined],
  ])("function %i", (index, name) => {
    expect(functionName(module, index)).toBe(name);
  });

  test("none, or a broken one", () => {
    expect(functionName(new WebAssembly.Module(wat(TEXT)), 1)).toBeUndefined();
    expect(functionName(Uint8Array.of(1, 100, 1, 0, 50), 0)).toBeUndefined();
    expect(functionName(Uint8Array.of(1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f), 7)).toBeUndefined();
  });
});
