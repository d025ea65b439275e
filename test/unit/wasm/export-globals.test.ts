// Exports that are added for globals which a module changes; Node.
import { describe, expect, test } from "vitest";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { ModuleWalker } from "../../../src/wasm/module-walker.ts";
import { wat } from "./wat.ts";

const LIMITS = { memoryBytes: 2 ** 20, exportGlobals: true };

function exportsOf(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Exports {
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

describe("globals", () => {
  const source = wat(`(module
    (global $constant i32 (i32.const 1))
    (global $count (mut i32) (i32.const 2))
    (global $shown (export "shown") (mut f32) (f32.const 3))
    (global $large (mut i64) (i64.const -4))
    (memory (export "memory") 1 1)
    (func (export "count") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      (global.get $count)))`);

  test("that change and are not exported get names, and nothing else does", () => {
    const { bytes, facts } = boundModule(source, LIMITS);
    const found = exportsOf(bytes) as Record<string, WebAssembly.Global>;
    expect(Object.keys(found)).toEqual(["shown", "memory", "count", "sallyport:1", "sallyport:3"]);
    const count = found["count"] as unknown as () => number;
    expect([count(), count(), found["sallyport:1"]!.value]).toEqual([3, 4, 4]);
    found["sallyport:1"]!.value = 40;
    expect([count(), found["sallyport:3"]!.value]).toEqual([41, -4n]);
    // What people are told of the module is what it says itself.
    expect(facts.exports.map(({ name }) => name)).toEqual(["shown", "memory", "count"]);
  });

  test("are left alone where nobody asks for them, or memories stay as declared", () => {
    expect(boundModule(source, { memoryBytes: 2 ** 20 }).bytes).toBe(source);
    expect(boundModule(source, { memoryBytes: "declared", exportGlobals: true }).bytes).toBe(
      source,
    );
  });

  test.each([
    ["nothing to add", `(global (export "a") (mut i32) (i32.const 0)) (global i32 (i32.const 0))`],
    ["such a name already", `(global (mut i32) (i32.const 0)) (func (export "sallyport:0"))`],
    ["more than pays", `(global (mut i32) (i32.const 0))`.repeat(65) + `(func (export "f"))`],
    ["no exports", `(global (mut i32) (i32.const 0))`],
    ["imported ones", `(import "a" "b" (global (mut i32))) (func (export "f"))`],
  ])("are left alone in a module with %s", (_, inside) => {
    const plain = wat(`(module ${inside})`);
    expect(boundModule(plain, LIMITS).bytes).toBe(plain);
  });

  test("make a module of 127 exports one of 128, whose count takes a byte more", () => {
    const functions = Array.from({ length: 127 }, (_, at) => `(func (export "f${at}"))`).join("");
    const { bytes } = boundModule(
      wat(`(module (global (mut i32) (i32.const 9)) ${functions})`),
      LIMITS,
    );
    const found = exportsOf(bytes);
    expect(Object.keys(found)).toHaveLength(128);
    expect((found["sallyport:0"] as WebAssembly.Global).value).toBe(9);
  });

  test("come out the same from bytes in any pieces", () => {
    const { bytes } = boundModule(source, LIMITS);
    for (const size of [1, 3, 16, 1000]) {
      const parts: number[] = [];
      const walker = new ModuleWalker(LIMITS, (part) => parts.push(...part));
      for (let at = 0; at < source.length; at += size) walker.push(source.slice(at, at + size));
      walker.end();
      expect(Uint8Array.from(parts)).toEqual(bytes);
    }
  });
});
