// What bodies tell for a reset in place: table writes, dropped segments, globals; whole and streamed; Node.
import { describe, expect, test } from "vitest";
import { WALK_BODIES } from "../../../src/wasm/deep-walk.ts";
import type { ModuleFacts } from "../../../src/wasm/module-facts.ts";
import { ModuleWalker } from "../../../src/wasm/module-walker.ts";
import { whyNoReset, whyNoResetWith } from "../../../src/wasm/reset-in-place.ts";
import { errorOf, moduleOf, wat } from "./wat.ts";

function factsOf(bytes: Uint8Array, size = bytes.length): ModuleFacts {
  const walker = new ModuleWalker({ memoryBytes: "declared", deep: WALK_BODIES }, () => {});
  for (let at = 0; at < bytes.length; at += size) walker.push(bytes.subarray(at, at + size));
  return walker.end();
}

const RIGHT = `(memory (export "memory") 1) (global (export "sp") (mut i32) (i32.const 9)) (global i32 (i32.const 1))
  (table 2 funcref) (elem (i32.const 0) $f) (func $f (export "_start") (drop (memory.grow (i32.const 1))))`;

test("a module that can be reset", () => {
  expect(whyNoReset(factsOf(wat(`(module ${RIGHT})`)))).toBeUndefined();
});

describe("table writes", () => {
  test.each([
    `(table.set 0 (i32.const 0) (ref.null func))`,
    `(drop (table.grow 0 (ref.null func) (i32.const 1)))`,
    `(table.fill 0 (i32.const 0) (ref.null func) (i32.const 1))`,
    `(table.copy 0 0 (i32.const 0) (i32.const 0) (i32.const 1))`,
    `(table.init 0 0 (i32.const 0) (i32.const 0) (i32.const 1))`,
  ])("%s", (instruction) => {
    const bytes = wat(`(module ${RIGHT} (func nop) (func ${instruction}) (func nop))`);
    for (const size of [bytes.length, 1, 5]) {
      const facts = factsOf(bytes, size);
      expect(facts.bodies).toEqual({ tableWrites: true, segmentDrops: false });
      expect(whyNoReset(facts)).toMatch(/tables/);
    }
  });

  test("reading a table is none", () => {
    const bytes = wat(
      `(module ${RIGHT} (func (drop (table.get 0 (i32.const 0))) (drop (table.size 0))))`,
    );
    expect(factsOf(bytes).bodies).toEqual({ tableWrites: false, segmentDrops: false });
  });
});

test.each([`(data.drop 0)`, `(elem.drop 0)`])("%s drops a segment", (instruction) => {
  const bytes = wat(`(module ${RIGHT} (data "x") (func ${instruction}))`);
  expect(factsOf(bytes).bodies).toEqual({ tableWrites: false, segmentDrops: true });
  expect(whyNoReset(factsOf(bytes))).toMatch(/segments/);
});

test.each([
  [`(global (mut i32) (i32.const 1))`, /does not export/],
  [`(global (export "v") (mut v128) (v128.const i64x2 0 0))`, /cannot hold/],
  [`(type (struct))`, /outside its memory/],
])("%s", (text, why) => {
  expect(whyNoReset(factsOf(wat(`(module ${text} ${RIGHT})`)))).toMatch(why);
});

test("an imported mutable global, a hidden memory, unread bodies", () => {
  expect(whyNoReset(factsOf(wat(`(module (import "a" "g" (global (mut i32))))`)))).toBe(
    "its function bodies were not read",
  );
  const hidden = RIGHT.replace(`(export "memory")`, "");
  expect(whyNoReset(factsOf(wat(`(module ${hidden})`)))).toMatch(/memory that it does not export/);
  const imported = `(module (import "a" "g" (global (mut i32))) ${RIGHT})`;
  expect(whyNoReset(factsOf(wat(imported)))).toMatch(/imports a mutable global/);
});

test("a malformed body ends the walk with its function", () => {
  const bytes = moduleOf([1, [1, 0x60, 0, 0]], [3, [1, 0]], [10, [1, 3, 0, 0xff, 0x0b]]);
  for (const size of [bytes.length, 1]) {
    expect(errorOf(() => factsOf(bytes, size))).toMatchObject({
      code: "malformed",
      data: { functionIndex: 0, offset: 23 },
    });
  }
});

describe("code that joins an instance", () => {
  const code = (more: string): Uint8Array =>
    wat(`(module
    (import "primary" "memory" (memory 1)) (import "primary" "table" (table 1 funcref))
    (import "primary" "sp" (global (mut i32))) (elem (i32.const 0) $f) (func $f)
    (global i32 (i32.const 1)) ${more})`);

  test.each([
    ["", undefined],
    [`(data (i32.const 0) "x")`, /data segments/],
    [`(data "passive")`, /data segments/],
    [`(global (mut i32) (i32.const 1))`, /mutable global/],
    [`(global (export "g") (mut i32) (i32.const 1))`, /mutable global/],
    [`(func (table.set 0 (i32.const 0) (ref.null func)))`, /tables/],
    [`(func (elem.drop 0))`, /segments/],
    [`(type (struct))`, /outside its memory/],
  ])("%s", (more, why) => {
    for (const size of [4096, 1, 5]) {
      const said = whyNoResetWith(factsOf(code(more), size));
      if (why) expect(said).toMatch(why);
      else expect(said).toBeUndefined();
    }
  });
});
