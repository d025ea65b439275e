// The import sallyport::load_code: what joins the guest that asks, and what is refused however it is dressed up; Node.
import { beforeEach, describe, expect, test, vi } from "vitest";
import { DEFERRED_CODE_BYTES, LOAD_AGAIN_MS, MODULE_LINKS } from "../../../src/limits.ts";
import { DeferredCode } from "../../../src/worker/load-code.ts";
import { lebOf, moduleOf, wat } from "../wasm/wat.ts";

const [LOADED, IO, NOEXEC, NOSYS] = [0, 29, 45, 52];

/** One page of memory, a table whose slot 1 gives 1 and whose slot 2 is empty, and what calls its slots. */
const GUEST = `(module
  (memory (export "memory") 1 400)
  (table (export "__indirect_function_table") 3 4 funcref)
  (table (export "more") 1 1 externref)
  (tag (export "tag"))
  (global (export "counter") (mut i32) (i32.const 5))
  (global (export "fixed") i32 (i32.const 2))
  (func $one (result i32) (i32.const 1))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "7") (result i32) (i32.const 77))
  (func (export "__proto__") (result i32) (i32.const 99))
  (elem (i32.const 1) $one)
  (func (export "call") (param i32) (result i32) (call_indirect (result i32) (local.get 0))))`;
const COMPILED = new WebAssembly.Module(wat(GUEST));

interface Guest {
  readonly instance: WebAssembly.Instance;
  readonly memory: WebAssembly.Memory;
}

let guest: Guest;

function newGuest(): Guest {
  const instance = new WebAssembly.Instance(COMPILED);
  return { instance, memory: instance.exports["memory"] as WebAssembly.Memory };
}

beforeEach(() => {
  guest = newGuest();
});

/** Has the guest ask for its code, and answers with these bytes. */
function load(bytes: Uint8Array): number {
  const asked = new DeferredCode().join(guest.instance);
  if (typeof asked === "number" || asked.wait !== "call") throw new Error("it did not ask");
  expect([asked.kind, asked.request.length]).toEqual(["code", 0]);
  return asked.resume({ ok: true, bytes: Uint8Array.from(bytes) }) as number;
}

const loadText = (text: string): number => load(wat(text));

function call(name: string, ...args: number[]): unknown {
  return (guest.instance.exports[name] as (...args: number[]) => unknown)(...args);
}

/** A module of one export, and so many bytes in a custom section. */
function moduleOfBytes(bytes: number): Uint8Array {
  const empty = 8 + 1 + 5 + 1;
  const length = bytes - empty + 1;
  const size = [0, 7, 14, 21].map((shift) => ((length >> shift) & 127) | 128);
  const code = new Uint8Array(bytes);
  code.set([...moduleOf(), 0, ...size, 0, 0]);
  return code;
}

describe("code that is loaded", () => {
  test("takes the guest's functions, memory, table and globals, and joins them", () => {
    const answer = loadText(`(module
      (import "primary" "add" (func $add (param i32 i32) (result i32)))
      (import "primary" "1" (func $one (result i32)))
      (import "primary" "7" (func $named (result i32)))
      (import "primary" "memory" (memory 1))
      (import "primary" "__indirect_function_table" (table 1 funcref))
      (import "primary" "counter" (global $counter (mut i32)))
      (import "primary" "fixed" (global $fixed i32))
      (data (i32.const 16) "joined")
      (elem (i32.const 0) $sum)
      (func $sum (result i32)
        (global.set $counter (call $add (global.get $counter) (call $one)))
        (call $add (call $add (global.get $counter) (global.get $fixed)) (call $named))))`);
    expect(answer).toBe(LOADED);
    expect(call("call", 0)).toBe(5 + 1 + 2 + 77);
    expect(call("call", 1)).toBe(1);
    expect((guest.instance.exports["counter"] as WebAssembly.Global).value).toBe(6);
    expect(new TextDecoder().decode(new Uint8Array(guest.memory.buffer, 16, 6))).toBe("joined");
  });

  test("may replace a function that the guest has in its table, twice over", () => {
    const code = (n: number): string => `(module
      (import "primary" "__indirect_function_table" (table 1 funcref))
      (import "primary" "1" (func $before (result i32)))
      (elem (i32.const 1) $now)
      (func $now (result i32) (i32.add (call $before) (i32.const ${n}))))`;
    expect([loadText(code(10)), call("call", 1)]).toEqual([LOADED, 11]);
    expect([loadText(code(100)), call("call", 1)]).toEqual([LOADED, 111]);
  });

  test("may have every section that is allowed, and nothing in it", () => {
    expect(load(moduleOf())).toBe(LOADED);
    const everything = `(module
      (type (func)) (import "primary" "add" (func (param i32 i32) (result i32)))
      (import "primary" "memory" (memory 1))
      (func $f (memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)))
      (global i32 (i32.const 1)) (export "f" (func $f)) (elem declare func $f) (data $d "d"))`;
    expect(load(wat(everything, true))).toBe(LOADED);
  });

  test("of a name of objects is what the guest exported by it, or nothing", () => {
    const named = (name: string): string =>
      `(module (import "primary" "${name}" (func (result i32))))`;
    expect(loadText(named("__proto__"))).toBe(LOADED);
    for (const name of ["constructor", "toString", "hasOwnProperty", "valueOf", ""]) {
      expect([name, loadText(named(name))]).toEqual([name, NOEXEC]);
    }
  });

  test("is asked for once, however many instances it joins", () => {
    const code = new DeferredCode();
    const bytes = wat(`(module (import "primary" "__indirect_function_table" (table 1 funcref))
      (elem (i32.const 0) $f) (func $f (result i32) (i32.const 42)))`);
    const asked = code.join(guest.instance);
    if (typeof asked === "number" || asked.wait !== "call") throw new Error("it did not ask");
    expect(asked.resume({ ok: true, bytes })).toBe(LOADED);
    bytes.fill(0);
    guest = newGuest();
    expect([code.join(guest.instance), call("call", 0)]).toEqual([LOADED, 42]);
  });

  test("joins an instance once, whatever that came to", () => {
    const elements = (slot: string): string => `(module
      (import "primary" "__indirect_function_table" (table 1 funcref))
      (import "primary" "1" (func $before (result i32)))
      (elem (i32.const 1) $now) (elem (i32.const ${slot}) $now)
      (func $now (result i32) (i32.add (call $before) (i32.const 10))))`;
    for (const [slot, errno] of [
      ["0", LOADED],
      ["3", NOEXEC],
    ] as const) {
      guest = newGuest();
      const code = new DeferredCode();
      code.give(wat(elements(slot)));
      const told = [1, 2, 3].map(() => code.join(guest.instance));
      // The first segment of code that does not fit is there all the same.
      expect([...told, call("call", 1)]).toEqual([errno, errno, errno, 11]);
    }
  });

  test("may be given before anybody asks", () => {
    const code = new DeferredCode();
    expect(code.give(Uint8Array.from(moduleOf()))).toBe(LOADED);
    expect(code.join(guest.instance)).toBe(LOADED);
  });

  test("that the page does not have, or could not load, is asked for again, after a while", () => {
    vi.useFakeTimers();
    const code = new DeferredCode();
    for (const ok of [false, true]) {
      vi.advanceTimersByTime(LOAD_AGAIN_MS + 1);
      const asked = code.join(guest.instance);
      if (typeof asked === "number" || asked.wait !== "call") throw new Error("it did not ask");
      const answer = ok ? { ok, bytes: Uint8Array.from(moduleOf()) } : { ok };
      expect(asked.resume(answer as Parameters<typeof asked.resume>[0])).toBe(ok ? LOADED : IO);
      vi.advanceTimersByTime(LOAD_AGAIN_MS - 1);
      expect(code.join(guest.instance)).toBe(ok ? LOADED : IO);
    }
    vi.useRealTimers();
  });

  test("that is none is not asked for again", () => {
    const code = new DeferredCode();
    const asked = code.join(guest.instance);
    if (typeof asked === "number" || asked.wait !== "call") throw new Error("it did not ask");
    expect(asked.resume({ ok: true, bytes: new Uint8Array(9) })).toBe(NOEXEC);
    expect([code.join(guest.instance), code.join(newGuest().instance)]).toEqual([NOEXEC, NOEXEC]);
  });
});

describe("what is refused", () => {
  test.each([
    ["a memory", `(memory 1)`],
    ["a memory of no pages", `(memory 0 0)`],
    ["a table", `(table 1 funcref)`],
    ["a tag", `(tag)`],
    ["a start function", `(func $f) (start $f)`],
    ["an import of nothing", `(import "primary" "nothing" (func))`],
    [
      "an import of another module",
      `(import "host" "call" (func (param i32 i32 i32 i32) (result i32)))`,
    ],
    ["an import of WASI", `(import "wasi_snapshot_preview1" "sched_yield" (func (result i32)))`],
    [
      "an import of a module without a name",
      `(import "" "add" (func (param i32 i32) (result i32)))`,
    ],
    ["an import of __proto__", `(import "__proto__" "add" (func (param i32 i32) (result i32)))`],
    ["a memory from elsewhere", `(import "env" "memory" (memory 1))`],
    [
      "one import of another module after a good one",
      `(import "primary" "7" (func (result i32))) (import "env" "7" (func (result i32)))`,
    ],
    ["a function of another type", `(import "primary" "add" (func (param i32) (result i32)))`],
    ["a slot of another type", `(import "primary" "1" (func (param i32)))`],
    ["a slot that is empty", `(import "primary" "2" (func (result i32)))`],
    ["the slot past the table", `(import "primary" "3" (func (result i32)))`],
    ["a slot past every table", `(import "primary" "4294967296" (func (result i32)))`],
    [
      "a slot whose number has no end",
      `(import "primary" "${"9".repeat(400)}" (func (result i32)))`,
    ],
    ["a negative slot", `(import "primary" "-1" (func (result i32)))`],
    ["half a slot", `(import "primary" "1.0" (func (result i32)))`],
    ["a slot in other digits", `(import "primary" "0x1" (func (result i32)))`],
    ["a slot and a line", `(import "primary" "1\\0a" (func (result i32)))`],
    ["digits of another script", `(import "primary" "\\d9\\a1" (func (result i32)))`],
    ["a slot as a global", `(import "primary" "1" (global funcref))`],
    ["a function as a global", `(import "primary" "add" (global funcref))`],
    ["nothing as a global", `(import "primary" "nothing" (global externref))`],
    ["a memory as a reference", `(import "primary" "memory" (global externref))`],
    ["a global that is fixed, to be written", `(import "primary" "fixed" (global (mut i32)))`],
    ["a global as a function", `(import "primary" "fixed" (func))`],
    ["a function as a memory", `(import "primary" "add" (memory 1))`],
    ["a memory with a smaller limit", `(import "primary" "memory" (memory 1 2))`],
    ["a larger memory", `(import "primary" "memory" (memory 2))`],
    ["a table of another type", `(import "primary" "more" (table 1 funcref))`],
    [
      "elements past the table",
      `(import "primary" "__indirect_function_table" (table 1 funcref)) (func $f) (elem (i32.const 3) $f)`,
    ],
    ["data past memory", `(import "primary" "memory" (memory 1)) (data (i32.const 65534) "past")`],
    ["a body that is not valid", `(func (result i32))`],
  ])("%s", (_what, text) => {
    expect(loadText(`(module ${text})`)).toBe(NOEXEC);
    expect(call("call", 1)).toBe(1);
    expect(loadText(`(module (import "primary" "1" (func (result i32))))`)).toBe(LOADED);
  });

  test("any slot of a guest without such a table, or of whom that is something else", () => {
    for (const other of [
      "",
      `(func (export "__indirect_function_table"))`,
      `(memory (export "__indirect_function_table") 1)`,
    ]) {
      const instance = new WebAssembly.Instance(new WebAssembly.Module(wat(`(module ${other})`)));
      guest = { ...guest, instance };
      expect(loadText(`(module (import "primary" "0" (func)))`)).toBe(NOEXEC);
    }
  });

  test("everything before there is an instance", () => {
    expect(new DeferredCode().join(undefined)).toBe(NOSYS);
  });
});

describe("bytes that are no module", () => {
  const HEADER = [...moduleOf()];
  const bytes = (...more: number[]): Uint8Array => Uint8Array.from([...HEADER, ...more]);

  test.each([
    ["half a header", Uint8Array.from(HEADER.slice(0, 5))],
    ["a component", Uint8Array.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0])],
    ["text", new TextEncoder().encode("<!doctype html>")],
    ["a section without a size", bytes(1)],
    ["a size that breaks off", bytes(1, 0x80)],
    ["a size of six bytes", bytes(0, 0x81, 0x80, 0x80, 0x80, 0x80, 0, 0)],
    ["a size past 32 bits", bytes(0, 0x81, 0x80, 0x80, 0x80, 0x10, 0)],
    ["a size past the end", bytes(0, 2, 0)],
    ["the largest size", bytes(0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0)],
    ["a size that comes round to the start", bytes(0, 0xf8, 0xff, 0xff, 0xff, 0x0f, 0)],
    ["a section that nobody knows", bytes(14, 1, 0)],
    ["a section whose number is that of an allowed one, past 32", bytes(32, 1, 0)],
    ["a section whose number is that of an allowed one, past 128", bytes(0x81, 1, 0)],
    ["two sections of a kind", bytes(1, 1, 0, 1, 1, 0)],
    ["sections in another order", bytes(3, 1, 0, 1, 1, 0)],
    ["a memory behind a section of one byte", bytes(1, 1, 0, 5, 3, 1, 0, 1)],
    ["a memory behind a size of five bytes", bytes(1, 0x81, 0x80, 0x80, 0x80, 0, 0, 5, 3, 1, 0, 1)],
    ["more imports than its bytes hold", bytes(2, 5, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    ["imports whose number breaks off", bytes(2, 1, 0x80)],
    ["imports whose number is of six bytes", bytes(2, 6, 0x80, 0x80, 0x80, 0x80, 0x80, 0)],
    ["imports in a section of no bytes", bytes(2, 0)],
    ["more functions than its bytes hold", bytes(3, 5, 0xff, 0xff, 0xff, 0xff, 0x0f)],
  ])("%s", (_what, code) => {
    expect(load(code)).toBe(NOEXEC);
    expect(load(moduleOf())).toBe(LOADED);
  });

  test("a good module, cut anywhere or with any byte changed: refused or loaded, and never more than that", () => {
    const code = wat(`(module (import "primary" "1" (func $one (result i32)))
      (import "primary" "__indirect_function_table" (table 1 funcref))
      (func $f (result i32) (i32.add (call $one) (i32.const 5))) (elem (i32.const 0) $f))`);
    for (let end = 0; end < code.length; end++) {
      guest = newGuest();
      const answer = load(code.subarray(0, end));
      // Whole sections may be a module.
      expect([end, [LOADED, NOEXEC].includes(answer)]).toEqual([end, true]);
    }
    for (let at = 0; at < code.length; at++) {
      for (const value of [0, 1, 4, 5, 8, 13, 0x7f, 0x80, 0xff]) {
        guest = newGuest();
        const changed = Uint8Array.from(code);
        changed[at] = value;
        const answer = load(changed);
        expect([at, value, [LOADED, NOEXEC].includes(answer)]).toEqual([at, value, true]);
        const { buffer } = guest.memory;
        const table = guest.instance.exports["__indirect_function_table"] as WebAssembly.Table;
        expect([buffer.byteLength, table.length]).toEqual([65_536, 3]);
      }
    }
  });

  test("random sections", () => {
    let state = 12_345;
    const random = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 24;
    for (let round = 0; round < 3_000; round++) {
      guest = newGuest();
      const code = bytes(
        ...Array.from({ length: random() % 40 }, () => random() % (round % 2 ? 16 : 256)),
      );
      expect([LOADED, NOEXEC]).toContain(load(code));
    }
  });
});

describe("its limits", () => {
  test("so many bytes, and not one more", () => {
    expect(load(moduleOfBytes(DEFERRED_CODE_BYTES))).toBe(LOADED);
    expect(load(moduleOfBytes(DEFERRED_CODE_BYTES + 1))).toBe(NOEXEC);
  });

  test("imports and exports", () => {
    const text = new TextEncoder();
    const many = (count: number): Uint8Array => {
      const links = Array.from({ length: count }, (_, n) => {
        const name = text.encode(n.toString(36));
        return [name.length, ...name, 0, 0];
      }).flat();
      const size = lebOf(count);
      return Uint8Array.from([
        ...moduleOf([1, [1, 0x60, 0, 0]], [3, [1, 0]]),
        ...[7, ...lebOf(size.length + links.length), ...size].concat(links),
        ...[10, 4, 1, 2, 0, 0x0b],
      ]);
    };
    expect(load(many(MODULE_LINKS))).toBe(LOADED);
    expect(load(many(MODULE_LINKS + 1))).toBe(NOEXEC);
  });
});
