// A module that is bounded while it is read into one array: the same bytes and facts as in one go, whatever the pieces; Node.

import { describe, expect, test } from "vitest";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { PlacedModule } from "../../../src/wasm/placed-module.ts";
import { errorOf, moduleOf } from "./wat.ts";

const PAGE = 65_536;
const limits = { memoryBytes: 10 * PAGE };
const custom = (name: string, size = 3): [number, number[]] => [
  0,
  [name.length, ...new TextEncoder().encode(name), ...Array.from({ length: size }, (_, i) => i)],
];
const source = moduleOf(
  [1, [1, 0x60, 0, 0]],
  [3, [1, 0]],
  [4, [1, 0x70, 0, 1]],
  [5, [1, 0, 1]],
  custom(".debug_abbrev", 90),
  [10, [1, 2, 0, 0x0b]],
  [11, [1, 1, 100, ...Array.from({ length: 100 }, (_, index) => index)]],
  custom(".debug_info", 120),
  custom(".debug_line", 0),
  custom("other"),
  custom(".debug_str", 70),
  custom("name", 0),
  custom("producers"),
  custom("target_features"),
);

/** Gives it pieces of so many bytes, each in a buffer that is another one, as a reader does. */
function place(bytes: Uint8Array, size: number) {
  const start = 24;
  const placed = new PlacedModule(limits, start);
  let array = new Uint8Array(start + bytes.length);
  let [passed, most] = [0, 0];
  for (let at = 0; at < bytes.length;) {
    const isOut = placed.leftOut > 0;
    const piece = bytes.subarray(at, at + (isOut ? Math.min(placed.leftOut, size) : size));
    at += piece.length;
    if (isOut) {
      passed += piece.length;
      placed.pass(piece.slice());
      continue;
    }
    array = structuredClone(array, { transfer: [array.buffer] });
    array.set(piece, placed.next);
    most = Math.max(most, placed.next + piece.length);
    placed.push(array.subarray(placed.next, placed.next + piece.length));
  }
  return { placed, array, passed, most };
}

describe("in pieces", () => {
  const whole = boundModule(source, limits);

  test.each([1, 2, 3, 7, 16, 50, 130, 400, 10_000])("of %i bytes", (size) => {
    const { placed, array } = place(source, size);
    const before = array.slice();
    const joined = placed.join(array.buffer);
    expect(Buffer.compare(joined.bytes, whole.bytes)).toBe(0);
    expect(placed.kept).toBe(whole.bytes.length);
    expect(placed.end()).toEqual(whole.facts);
    expect(placed.hasCode).toBe(true);
    joined.restore();
    expect(Buffer.compare(array, before)).toBe(0);
  });

  test("what is left out is written over by what comes behind it", () => {
    const { passed, most } = place(source, 16);
    expect(passed).toBeGreaterThan(200);
    expect(most).toBeLessThan(24 + source.length - 200);
  });
});

test("what is kept so far is a module, and no more is kept where notes of tools follow", () => {
  const code: [number, number[]][] = [
    [1, [1, 0x60, 0, 0]],
    [3, [1, 0]],
    [5, [1, 1, 1, 2]],
    [10, [1, 2, 0, 0x0b]],
  ];
  const debug = custom(".debug_info", 100);
  for (const [behind, isKept] of [
    ["producers", false],
    ["target_features", false],
    ["name", true],
    ["sourceMappingURL", true],
  ] as const) {
    const bytes = moduleOf(...code, debug, custom(behind));
    const at = moduleOf(...code).length + 40;
    const placed = new PlacedModule(limits, 0);
    const array = bytes.slice();
    placed.push(array.subarray(0, at));
    expect(placed.leftOut).toBeGreaterThan(0);
    const { kept } = placed;
    const joined = placed.join(array.buffer).bytes;
    expect(Buffer.compare(joined, moduleOf(...code))).toBe(0);
    placed.pass(bytes.subarray(at, at + placed.leftOut));
    placed.push(bytes.slice(bytes.length - moduleOf(custom(behind)).length + 8));
    expect(placed.kept > kept, behind).toBe(isKept);
    placed.end();
  }
});

test("a module that breaks off is told as before, in what is left out, too", () => {
  for (const length of [5, 60, 200, source.length - 3]) {
    const cut = source.slice(0, length);
    const { code, message } = errorOf(() => boundModule(cut, limits));
    const { placed } = place(cut, 30);
    expect(errorOf(() => placed.end())).toMatchObject({ code, message });
  }
});
