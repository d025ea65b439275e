// The tables of instructions against the engine's own decoder, instruction by instruction; Node.
import { describe, expect, test } from "vitest";
import { inspectModule } from "../../../src/package/inspect-module.ts";
import { STANDARD_FEATURES } from "../../../src/wasm/features.ts";
import { IMMEDIATE as I, OPCODES, PREFIXED } from "../../../src/wasm/opcodes.ts";
import { lebOf, moduleOf } from "./wat.ts";

/** Something valid that can follow the opcode, by what follows it. */
const FOLLOWING: Readonly<Record<number, readonly number[]>> = {
  [I.index]: [0],
  [I.memarg]: [0, 0],
  [I.i32]: [0],
  [I.i64]: [0],
  [I.f32]: [0, 0, 0, 0],
  [I.f64]: [0, 0, 0, 0, 0, 0, 0, 0],
  [I.block]: [0x40],
  [I.brTable]: [1, 0, 0],
  [I.twoIndices]: [0, 0],
  [I.memoryIndex]: [0],
  [I.heapType]: [0x70],
  [I.selectTypes]: [1, 0x7f],
  [I.lane]: [0],
  [I.memargLane]: [0, 0, 0],
  [I.bytes16]: Array.from({ length: 16 }, () => 0),
  [I.twoMemoryIndices]: [0, 0],
  [I.memoryInit]: [0, 0],
};

/** A module whose one function runs the opcode with a stack that fits anything, because nothing gets there. */
function moduleWith(opcode: readonly number[], immediate: number): Uint8Array<ArrayBuffer> {
  const close = immediate === I.block ? [0x0b] : [];
  const body = [1, 1, 0x7f, 0x00, ...opcode, ...(FOLLOWING[immediate] ?? []), 0x00, ...close, 0x0b];
  return moduleOf(
    [1, [1, 0x60, 0, 0]],
    [3, [1, 0]],
    [4, [1, 0x70, 0, 1]],
    [5, [1, 0, 1]],
    [6, [1, 0x7f, 1, 0x41, 0, 0x0b]],
    [7, [2, 1, 0x66, 0, 0, 6, ...Array.from("memory", (c) => c.charCodeAt(0)), 2, 0]],
    [9, [1, 1, 0, 1, 0]],
    [12, [1]],
    [10, [1, ...lebOf(body.length), ...body]],
    [11, [1, 1, 0]],
  );
}

const spaces = [
  { name: "one byte", prefix: [], table: OPCODES, size: 256 },
  ...PREFIXED.map((table, i) => ({
    name: `0x${(0xfb + i).toString(16)}`,
    prefix: [0xfb + i],
    table,
    size: 0x180,
  })),
];

describe.each(spaces)("$name", ({ prefix, table, size }) => {
  const all = Array.from({ length: size }, (_, number) => ({
    number,
    opcode: prefix.length === 0 ? [number] : [...prefix, ...lebOf(number)],
    immediate: table.immediate[number] ?? I.unknown,
    feature: table.feature[number] ?? 0,
  })).filter(
    ({ immediate }) => immediate !== I.end && immediate !== I.else && immediate !== I.prefix,
  );

  test("what is WebAssembly 2.0 compiles here, with what follows it, and has no problem", async () => {
    const standard = all.filter(
      ({ immediate, feature }) => immediate !== I.unknown && feature <= STANDARD_FEATURES.length,
    );
    for (const { number, opcode, immediate } of standard) {
      const bytes = moduleWith(opcode, immediate);
      expect([number, WebAssembly.validate(bytes)]).toEqual([number, true]);
      const codes = (await inspectModule(bytes)).problems.map(({ code }) => code);
      expect([number, codes]).toEqual([number, ["export_missing"]]);
    }
  });

  test("everything else is a problem of its feature, or no instruction", async () => {
    const others = all.filter(
      ({ immediate, feature }) => immediate === I.unknown || feature > STANDARD_FEATURES.length,
    );
    for (const { number, opcode, immediate } of others) {
      const { problems } = await inspectModule(moduleWith(opcode, immediate));
      const codes = problems.map(({ code }) => code).filter((code) => code !== "export_missing");
      expect([number, codes.length > 0]).toEqual([number, true]);
      if (immediate === I.unknown) expect([number, codes]).toEqual([number, ["malformed"]]);
    }
  });

  test("what is no instruction here is none to the engine", () => {
    const unknown = all.filter(({ immediate }) => immediate === I.unknown);
    const taken = unknown.filter(({ opcode }) => WebAssembly.validate(moduleWith(opcode, I.none)));
    expect(taken.map(({ number }) => number)).toEqual([]);
  });
});
