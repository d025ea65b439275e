// The guest of the Extism peer as WebAssembly text: its request is a frame of 100 bytes, as our own guest's is; Node.

const request =
  '{"v":1,"id":1,"op":"call","tool":"count","args":{"n":1000000,"pad":"abcdefghijklmnopqrstuvwxyzabc"}}';

/** Eight bytes at a time is how this host's memory is written and read. */
const stores = Array.from({ length: Math.ceil(request.length / 8) }, (_, index) => {
  const bytes = new TextEncoder().encode(request.slice(index * 8, index * 8 + 8).padEnd(8));
  const word = new DataView(bytes.buffer).getBigUint64(0, true);
  return `(call $store (i64.add (local.get $request) (i64.const ${index * 8})) (i64.const ${word}))`;
}).join("\n      ");

/** `run`: as many calls as the first byte of the input says; reads each answer, and traps when it is no object. */
export const extismLoop = `
(module
  (import "extism:host/env" "input_load_u8" (func $input (param i64) (result i32)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "free" (func $free (param i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "extism:host/env" "store_u64" (func $store (param i64 i64)))
  (import "extism:host/env" "load_u64" (func $load (param i64) (result i64)))
  (import "extism:host/user" "count" (func $count (param i64) (result i64)))
  (memory (export "memory") 1)
  (func (export "run") (result i32)
    (local $left i32) (local $request i64) (local $answer i64) (local $at i64)
    (local.set $left (call $input (i64.const 0)))
    (loop $more
      (local.set $request (call $alloc (i64.const ${stores.split("\n").length * 8})))
      ${stores}
      (local.set $answer (call $count (local.get $request)))
      (local.set $at (i64.const 0))
      (loop $words
        (i64.store (i32.wrap_i64 (local.get $at))
          (call $load (i64.add (local.get $answer) (local.get $at))))
        (local.set $at (i64.add (local.get $at) (i64.const 8)))
        (br_if $words (i64.lt_u (local.get $at) (i64.sub (call $length (local.get $answer)) (i64.const 7)))))
      (if (i32.ne (i32.load8_u (i32.const 0)) (i32.const 123)) (then (unreachable)))
      (call $free (local.get $request))
      (call $free (local.get $answer))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 0)))`;
