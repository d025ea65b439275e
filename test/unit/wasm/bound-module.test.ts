// Bounding of memories and tables, and facts, on whole modules; Node.
import { describe, expect, test } from "vitest";
import { boundInPlace, boundModule, readModule } from "../../../src/wasm/bound-module.ts";
import { errorOf, lebOf, moduleOf, wat } from "./wat.ts";

const PAGE = 65_536;
const GROW = `(func (export "grow") (param i32) (result i32) local.get 0 memory.grow)`;

function grower(bytes: Uint8Array<ArrayBuffer>): (pages: number) => number {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return instance.exports.grow as (pages: number) => number;
}

describe("memory", () => {
  test("without a maximum gets one, and growth past it gives -1", () => {
    const { bytes, facts } = boundModule(wat(`(module (memory (export "memory") 2) ${GROW})`), {
      memoryBytes: 4 * PAGE,
    });
    const grow = grower(bytes);
    expect([grow(2), grow(1), grow(0)]).toEqual([2, -1, 4]);
    expect(facts.memory).toEqual({
      initial: 2,
      maximum: 4,
      imported: false,
      shared: false,
      is64: false,
      pageBytes: PAGE,
    });
  });

  test("with a larger maximum gets the limit, with a smaller one keeps it and its bytes", () => {
    const large = boundModule(wat(`(module (memory 1 1000) ${GROW})`), { memoryBytes: 300 * PAGE });
    expect(large.facts.memory).toMatchObject({ maximum: 300, declaredMaximum: 1000 });
    expect(grower(large.bytes)(300)).toBe(-1);
    const source = wat(`(module (memory 1 10) ${GROW})`);
    const small = boundModule(source, { memoryBytes: 300 * PAGE });
    expect(small.bytes).toBe(source);
    expect(grower(small.bytes)(10)).toBe(-1);
  });

  test("a limit that is no whole number of pages rounds down", () => {
    const { facts } = boundModule(wat(`(module (memory 1))`), { memoryBytes: 3 * PAGE - 1 });
    expect(facts.memory?.maximum).toBe(2);
  });

  test("that starts larger than the limit is refused", () => {
    expect(
      errorOf(() => boundModule(wat(`(module (memory 5))`), { memoryBytes: 4 * PAGE })),
    ).toMatchObject({
      code: "too_large",
      data: { initialBytes: 5 * PAGE, memoryBytes: 4 * PAGE },
    });
  });

  test.each([Number.NaN, -1, "256" as unknown as number])(
    "a limit of %j is no limit",
    (memoryBytes) => {
      expect(errorOf(() => boundModule(wat(`(module)`), { memoryBytes })).code).toBe("bad_option");
    },
  );

  test("`declared` leaves the module as it is", () => {
    const source = wat(`(module (memory 1) (table 1 funcref))`);
    const { bytes, facts } = boundModule(source, { memoryBytes: "declared" });
    expect(bytes).toBe(source);
    expect(facts.memory).not.toHaveProperty("maximum");
  });

  test("that is imported is reported with the maximum that the host must give it", () => {
    const source = wat(`(module (import "env" "memory" (memory 1 9000)))`);
    const { bytes, facts } = boundModule(source, { memoryBytes: 8 * PAGE });
    expect(bytes).toBe(source);
    expect(facts.memory).toMatchObject({
      imported: true,
      initial: 1,
      maximum: 8,
      declaredMaximum: 9000,
    });
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 8 });
    expect(
      () => new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } }),
    ).not.toThrow();
  });

  test("several memories share the limit", () => {
    const source = moduleOf([5, [3, 0, 1, 1, 2, 3, 0, 1]]); // 1 and up, 2 up to 3, 1 and up
    const { facts } = boundModule(source, { memoryBytes: 10 * PAGE });
    expect(facts.memories.map(({ maximum }) => maximum)).toEqual([7, 2, 1]);
  });

  test("of 64-bit addresses and of one-byte pages are bounded in their own units", () => {
    const huge = [...lebOf(2 ** 40)];
    const { facts, bytes } = boundModule(moduleOf([5, [1, 5, 1, ...huge]]), {
      memoryBytes: 6 * PAGE,
    });
    expect(facts.memory).toMatchObject({ is64: true, maximum: 6, declaredMaximum: 2 ** 40 });
    expect(Array.from(bytes.subarray(8))).toEqual([5, 4, 1, 5, 1, 6]);
    const small = boundModule(moduleOf([5, [1, 8, 5, 0]]), { memoryBytes: 1000 });
    expect(small.facts.memory).toMatchObject({ pageBytes: 1, initial: 5, maximum: 1000 });
    expect(Array.from(small.bytes.subarray(8))).toEqual([5, 6, 1, 9, 5, 0xe8, 0x07, 0]);
  });
});

describe("in place", () => {
  const source = moduleOf(
    [1, [1, 0x60, 0, 0]],
    [4, [1, 0x70, 0, 1]],
    [5, [1, 0, 1]],
    [11, [1, 1, 200, 1, ...Array.from({ length: 200 }, (_, index) => index)]],
    [0, [7, ...new TextEncoder().encode(".debug_"), 1, 2]],
    [0, [1, 97]],
  );
  const limits = { memoryBytes: 300 * PAGE };
  const within = (before: number, after: number): Uint8Array<ArrayBuffer> => {
    const room = new Uint8Array(before + source.length + after).fill(77);
    room.set(source, before);
    return room.subarray(before, before + source.length);
  };

  test("the bytes are those of a copy, lie in the same buffer, and are put back", () => {
    const bytes = within(16, 1);
    const bounded = boundInPlace(bytes, limits);
    const copied = boundModule(source, limits);
    expect(bounded.bytes.buffer).toBe(bytes.buffer);
    expect(Buffer.compare(bounded.bytes, copied.bytes)).toBe(0);
    expect(bounded.facts).toEqual(copied.facts);
    bounded.restore();
    expect(Buffer.compare(new Uint8Array(bytes.buffer), new Uint8Array(within(16, 1).buffer))).toBe(
      0,
    );
  });

  test("without room they are a copy, and with nothing to write they are the bytes", () => {
    const tight = within(1, 0);
    const bounded = boundInPlace(tight, limits);
    expect(bounded.bytes.buffer).not.toBe(tight.buffer);
    expect(Buffer.compare(bounded.bytes, boundModule(source, limits).bytes)).toBe(0);
    const declared = boundInPlace(tight, { memoryBytes: "declared" });
    expect(declared.bytes.buffer).toBe(tight.buffer);
    expect(Buffer.compare(declared.bytes, source)).toBe(0);
  });
});

describe("debugging information", () => {
  const named = (name: string, ...rest: number[]): [0, number[]] => [
    0,
    [name.length, ...new TextEncoder().encode(name), ...rest],
  ];
  const code: [number, number[]][] = [
    [1, [1, 0x60, 0, 0]],
    [3, [1, 0]],
    [5, [1, 1, 1, 2]],
    [10, [1, 2, 0, 0x0b]],
  ];
  const debug = [
    named(".debug_info", ...Array.from({ length: 300 }, (_, index) => index % 128)),
    named(".debug_"),
    named(".debug_str_offsets", 1, 2, 3),
  ];
  const others = [named(".debug", 95), named("name"), named("producing", 0)];
  const notes = [named("producers", 0), named("target_features", 0)];
  const source = moduleOf(
    ...code,
    debug[0]!,
    others[0]!,
    debug[1]!,
    others[1]!,
    debug[2]!,
    others[2]!,
    ...notes,
  );

  test("stays behind, with what tools note of themselves behind it, and nothing else does", () => {
    const { bytes, facts } = boundModule(source, { memoryBytes: 10 * PAGE });
    expect(Array.from(bytes)).toEqual(Array.from(moduleOf(...code, ...others)));
    expect(facts).toMatchObject({ byteLength: source.length, hasNameSection: true });
    expect(WebAssembly.validate(bytes)).toBe(true);
  });

  test("stays where the module is to be left as it is", () => {
    expect(boundModule(source, { memoryBytes: "declared" }).bytes).toBe(source);
  });

  test("without it, the notes stay", () => {
    const bytes = moduleOf(...code, ...notes);
    expect(boundModule(bytes, { memoryBytes: 10 * PAGE }).bytes).toBe(bytes);
  });

  test("that breaks off is told as before", () => {
    const cut = moduleOf(...code, debug[0]!).slice(0, -7);
    const limits = { memoryBytes: 10 * PAGE };
    expect(errorOf(() => boundModule(cut, limits))).toMatchObject({
      code: "truncated",
      message: expect.stringContaining("7 bytes before the end of its custom section"),
    });
  });
});

describe("tables", () => {
  test("without a maximum get one", () => {
    const source = wat(`(module (table (export "t") 3 funcref) (memory 1)
      (func (export "grow") (param i32) (result i32) ref.null func local.get 0 table.grow))`);
    const { bytes, facts } = boundModule(source, { memoryBytes: 4 * PAGE });
    expect(facts.tables).toMatchObject([{ element: "funcref", initial: 3, maximum: 2 ** 20 }]);
    expect(grower(bytes)(2 ** 20)).toBe(-1);
    expect(grower(bytes)(100)).toBe(3);
  });

  test("with initial values keep them", () => {
    const source = moduleOf(
      [1, [1, 0x60, 0, 0]],
      [3, [1, 0]],
      [4, [1, 0x40, 0, 0x70, 0, 2, 0xd2, 0, 0x0b]],
      [10, [1, 2, 0, 0x0b]],
    );
    const { bytes } = boundModule(source, { memoryBytes: PAGE });
    expect(Array.from(bytes.subarray(18, 31))).toEqual([
      4, 12, 1, 0x40, 0, 0x70, 1, 2, 0x80, 0x80, 0x40, 0xd2, 0,
    ]);
  });

  test("that start too large are refused", () => {
    const source = moduleOf([4, [2, 0x70, 0, ...lebOf(2 ** 20), 0x70, 0, 1]]);
    expect(errorOf(() => boundModule(source, { memoryBytes: PAGE })).code).toBe("too_large");
  });
});

describe("facts", () => {
  test("imports and exports with their types", () => {
    const facts = readModule(
      wat(`(module
        (import "host" "call" (func (param i32 i32) (result i32)))
        (import "env" "g" (global i64))
        (global (export "sp") (mut i32) (i32.const 1))
        (global (mut f64) (f64.const 1))
        (memory (export "memory") 1)
        (func (export "_start"))
        (func (export "wide") (result i32 v128) i32.const 1 v128.const i64x2 0 0)
        (export "again" (func 0)))`),
    );
    expect(facts.imports).toMatchObject([
      {
        module: "host",
        name: "call",
        kind: "function",
        type: { params: ["i32", "i32"], results: ["i32"] },
      },
      { module: "env", name: "g", kind: "global" },
    ]);
    expect(facts.exports).toMatchObject([
      { name: "sp", kind: "global", index: 1 },
      { name: "memory", kind: "memory" },
      { name: "_start", kind: "function", index: 1, type: { params: [], results: [] } },
      { name: "wide", type: { params: [], results: ["i32", "v128"] } },
      { name: "again", type: { params: ["i32", "i32"], results: ["i32"] } },
    ]);
    expect(facts.globals.map((g) => [g.type, g.mutable, g.imported, g.exportedAs])).toEqual([
      ["i64", false, true, []],
      ["i32", true, false, ["sp"]],
      ["f64", true, false, []],
    ]);
    expect(facts).toMatchObject({
      functionCount: 3,
      importedFunctionCount: 1,
      mutableGlobalsExported: false,
    });
  });

  test("names that are object properties are plain names", () => {
    const facts = readModule(
      wat(`(module (func (export "__proto__")) (func (export "constructor")) (func (export "")))`),
    );
    expect(facts.exports.map(({ name }) => name)).toEqual(["__proto__", "constructor", ""]);
  });

  test("a name section is seen, another custom section is not one", () => {
    expect(readModule(wat(`(module (func $f))`, true)).hasNameSection).toBe(true);
    expect(readModule(moduleOf([0, [4, 0x6e, 0x61, 0x6d, 0x66]])).hasNameSection).toBe(false);
    expect(
      readModule(moduleOf([0, [20, ...Array.from("a".repeat(20), () => 97)]])).hasNameSection,
    ).toBe(false);
  });
});

describe("what is no module", () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  test.each([
    ["<!DOCTYPE html><html>", /HTML page/],
    ["\n<html>", /HTML page/],
    ["(module)", /WAT/],
    ["version https://git-lfs.github.com/spec/v1", /LFS/],
    ['{"error": "x"}', /JSON/],
    ["Not found, sorry", /text that begins "Not found, sorry"/],
    ["", /empty/],
    ["PK\x03\x04....", /zip/],
    ["\x7fELF\x02\x01\x01\x00", /ELF/],
    ["\x01\x02\x03\x04\x05\x06\x07\x08", /01 02 03 04/],
  ])("%j", (content, message) => {
    const { code, message: said } = errorOf(() => readModule(text(content)));
    expect(code).toBe("not_wasm");
    expect(said).toMatch(message);
  });

  test("a component", () => {
    expect(errorOf(() => readModule(Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0))).code).toBe(
      "component",
    );
  });

  test("an unknown version", () => {
    expect(errorOf(() => readModule(Uint8Array.of(0, 0x61, 0x73, 0x6d, 2, 0, 0, 0)))).toMatchObject(
      {
        code: "malformed",
        data: { offset: 4 },
      },
    );
  });

  test("one cut anywhere is truncated, but between sections when none was announced", () => {
    const whole = wat(
      `(module (memory (export "memory") 1) (data (i32.const 0) "hello") (func (export "_start") nop))`,
    );
    // After the header, after the type section, and before the data, which nothing announces here.
    const beforeData = whole.length - 13;
    expect(whole[beforeData]).toBe(11);
    const boundaries = new Set([8, 10 + (whole[9] as number), beforeData]);
    for (let length = 1; length < whole.length; length++) {
      const { code } = errorOf(() => readModule(whole.subarray(0, length)));
      expect([length, code]).toEqual([length, boundaries.has(length) ? "none" : "truncated"]);
    }
  });

  test.each<[string, Uint8Array, number]>([
    ["an unknown section", moduleOf([14, []]), 8],
    ["sections out of order", moduleOf([5, [1, 0, 1]], [4, [1, 0x70, 0, 1]]), 13],
    ["a section twice", moduleOf([5, [1, 0, 1]], [5, [1, 0, 1]]), 13],
    [
      "a size that never ends",
      Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 128, 128, 128, 128, 128, 1),
      9,
    ],
    ["a section with bytes left over", moduleOf([5, [1, 0, 1, 0]]), 13],
    ["a section that is too short", moduleOf([5, [1, 5, 0x80]]), 13],
    ["a memory whose maximum is below its start", moduleOf([5, [1, 1, 3, 2]]), 11],
    ["a memory larger than its addresses", moduleOf([5, [1, 1, 1, 0x81, 0x80, 0x04]]), 11],
    ["a start larger than its addresses", moduleOf([5, [1, 0, 0x81, 0x80, 0x04]]), 11],
    ["a shared memory without a maximum", moduleOf([5, [1, 2, 1]]), 11],
    ["unknown limits", moduleOf([5, [1, 16, 3]]), 11],
    ["a name that is no UTF-8", moduleOf([7, [1, 1, 0xff, 0, 0]]), 12],
    ["a count beyond the section", moduleOf([7, [...lebOf(100_000), 0, 0, 0]]), 10],
    ["more imports than are taken", moduleOf([2, [...lebOf(100_001), 0, 0, 0]]), 10],
    ["a custom section's name beyond it", moduleOf([0, [5, 97]]), 10],
    ["an unknown type", moduleOf([1, [1, 0x60, 1, 0x30, 0]]), 13],
  ])("%s is malformed, and where", (_, bytes, offset) => {
    expect(errorOf(() => readModule(bytes))).toMatchObject({ code: "malformed", data: { offset } });
  });

  test("a file over the limit", () => {
    const source = wat(`(module (memory 1))`);
    expect(
      errorOf(() => boundModule(source, { memoryBytes: PAGE, maxBytes: source.length })).code,
    ).toBe("none");
    expect(
      errorOf(() => boundModule(source, { memoryBytes: PAGE, maxBytes: source.length - 1 })).code,
    ).toBe("too_large");
  });
});
