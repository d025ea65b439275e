// Seeded mutations of valid modules, for fuzzing the reader; Node.
import { readFileSync } from "node:fs";
import { wat } from "./wat.ts";

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes that mean much in the format: ends, prefixes, continuations, type and section numbers. */
const TELLING = [
  0x00, 0x01, 0x02, 0x04, 0x05, 0x0b, 0x0e, 0x11, 0x40, 0x41, 0x60, 0x63, 0x70, 0x7b, 0x7f, 0x80,
  0xfb, 0xfc, 0xfd, 0xfe, 0xff,
];

/** A copy of `bytes` with one to four changes; the header stays in most. */
export function mutate(bytes: Uint8Array, random: () => number): Uint8Array<ArrayBuffer> {
  let list = Uint8Array.from(bytes);
  const first = random() < 0.05 ? 0 : 8;
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes--) {
    const at = first + Math.floor(random() * (list.length - first));
    const span = 1 + Math.floor(random() * 8);
    const kind = Math.floor(random() * 7);
    if (kind <= 1) list[at] = Math.floor(random() * 256);
    else if (kind <= 3) list[at] = TELLING[Math.floor(random() * TELLING.length)] as number;
    else if (kind === 4)
      list = Uint8Array.from([...list.subarray(0, at), ...list.subarray(at + span)]);
    else if (kind === 5)
      list = Uint8Array.from([...list.subarray(0, at + span), ...list.subarray(at)]);
    else if (random() < 0.2) list = list.slice(0, Math.max(at, 1));
    else list[at] = (list[at] as number) ^ (1 << Math.floor(random() * 8));
  }
  return list;
}

/** Modules of every kind: hand-written ones with every feature, C, AssemblyScript. */
export function sampleModules(): Uint8Array<ArrayBuffer>[] {
  const guests = [
    "door-echo",
    "door-echo-assemblyscript",
    "c-header",
    "catch-all-loop",
    "http-raw",
    "hello",
    "import-memory",
  ];
  const files = guests.map(
    (name) => new Uint8Array(readFileSync(new URL(`../../guests/${name}.wasm`, import.meta.url))),
  );
  return [...files, wat(PLAIN, true), wat(PLAIN), wat(EVERYTHING)];
}

const PLAIN = `(module $plain
  (type $pair (func (result i32 i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2 300) (table (export "t") 4 10 funcref) (global $g (export "g") (mut i32) (i32.const 4))
  (elem (i32.const 0) $one $two) (elem func $one) (elem declare func $two)
  (data (i32.const 8) "hello") (data "passive")
  (func $one (result i32) i32.const 1)
  (func $two (param i32) (result i32)
    (local i64 f32 f64 v128)
    (block (loop (br_if 1 (local.get 0)) (br_table 0 1 0 (local.get 0))))
    (if (result i32) (local.get 0) (then i32.const 123456789) (else i32.const -2147483648))
    i64.const -9223372036854775808 drop f64.const 1.5 drop f32.const 2.5 drop
    (call_indirect (type $pair) (i32.const 1)) drop drop)
  (func (export "bulk") (param i32)
    (memory.init 1 (i32.const 0) (i32.const 0) (i32.const 3)) (data.drop 1)
    (memory.copy (i32.const 0) (i32.const 8) (i32.const 3)) (memory.fill (i32.const 0) (i32.const 8) (i32.const 3))
    (drop (i32.trunc_sat_f32_s (f32.const 3))) (drop (i32.extend8_s (i32.const 3)))
    (drop (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 (v128.const i64x2 1 2) (v128.load offset=300 (i32.const 16))))
    (i64.store offset=70000 (i32.const 1) (i64x2.extract_lane 1 (v128.load8_lane 3 (i32.const 1) (v128.const i32x4 0 0 0 0)))))
  (func (export "_start") (drop (call $two (call $one)))))`;

const EVERYTHING = `(module $everything
  (memory 1) (memory $second 1 2 shared) (table 2 funcref) (table $other 2 externref) (tag $t (param i32))
  (type $f (func (param i32) (result i32)))
  (func $callee (param i32) (result i32) local.get 0)
  (func (param i32) (result i32) (return_call $callee (local.get 0)))
  (func (param i32) (result i32) (return_call_indirect (type $f) (local.get 0) (i32.const 0)))
  (func (try (do (throw $t (i32.const 1))) (catch $t drop) (catch_all (rethrow 0))))
  (func (try (do nop) (delegate 0)))
  (func (drop (i32.atomic.rmw.add $second (i32.const 0) (i32.const 1))) (atomic.fence))
  (func (drop (i8x16.relaxed_swizzle (v128.const i64x2 0 0) (v128.const i64x2 0 0))))
  (func (table.set 0 (i32.const 0) (ref.null func)) (drop (table.grow 1 (ref.null extern) (i32.const 1)))
    (table.copy 0 0 (i32.const 0) (i32.const 0) (i32.const 1)) (drop (ref.is_null (ref.func $callee))))
  (func (drop (select (result externref) (ref.null extern) (ref.null extern) (i32.const 1))))
  (func (i32.store $second (i32.const 0) (i32.const 1)) (drop (memory.grow $second (i32.const 1))))
  (global i32 (i32.add (i32.const 1) (i32.const 2)))
  (elem declare func $callee))`;
