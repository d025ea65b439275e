// The bench's own guests as WebAssembly text: only what the guests of test/guests do not do; Node.

import wabt from "wabt";
import { fileGuests } from "./file-guests.ts";

/**
 * Asks the door again and again until the answer is empty. Each answer has to carry the number of its request in its
 * first and in its last four bytes; a wrong one traps. Answers of any size lie in the same place.
 */
const answerLoop = `
(module
  (import "host" "call" (func $call (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 260)
  (func (export "host_alloc") (param $length i32) (result i32)
    (if (result i32) (i32.gt_u (local.get $length) (i32.const 16777216))
      (then (i32.const 0))
      (else (i32.const 65536))))
  (func (export "_start")
    (local $asked i32) (local $length i32)
    (loop $more
      (i32.store (i32.const 16) (local.get $asked))
      (if (call $call (i32.const 16) (i32.const 4) (i32.const 0) (i32.const 4)) (then (unreachable)))
      (local.set $length (i32.load (i32.const 4)))
      (if (i32.eqz (local.get $length)) (then (return)))
      (if (i32.ne (i32.load (i32.const 65536)) (local.get $asked)) (then (unreachable)))
      (if (i32.ne (i32.load (i32.add (i32.const 65532) (local.get $length))) (local.get $asked))
        (then (unreachable)))
      (local.set $asked (i32.add (local.get $asked) (i32.const 1)))
      (br $more))))`;

/** Times a million calls of sched_yield after a warm-up, and writes the nanoseconds they took: eight bytes. */
const yieldLoop = `
(module
  (import "wasi_snapshot_preview1" "sched_yield" (func $yield (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $now (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (func $calls (param $left i32)
    (loop $more
      (drop (call $yield))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))
  (func (export "_start")
    (call $calls (i32.const 300000))
    (drop (call $now (i32.const 1) (i64.const 1) (i32.const 16)))
    (call $calls (i32.const 1000000))
    (drop (call $now (i32.const 1) (i64.const 1) (i32.const 24)))
    (i64.store (i32.const 32) (i64.sub (i64.load (i32.const 24)) (i64.load (i32.const 16))))
    (i32.store (i32.const 0) (i32.const 32))
    (i32.store (i32.const 4) (i32.const 8))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8)))))`;

/** The floor of rung 2: nothing but an import that suspends, called until it answers other than 0. */
const suspendLoop = `
(module
  (import "bench" "ask" (func $ask (result i32)))
  (memory (export "memory") 1)
  (func (export "run")
    (loop $more (br_if $more (i32.eqz (call $ask))))))`;

/** Compiles them, and what else is given as text; names as they are served. */
export async function compileGuests(
  more: Readonly<Record<string, string>> = {},
): Promise<Record<string, Uint8Array>> {
  const compiler = await wabt();
  const texts = {
    "answer-loop": answerLoop,
    "yield-loop": yieldLoop,
    "suspend-loop": suspendLoop,
    ...fileGuests,
    ...more,
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const module = compiler.parseWat(`${name}.wat`, text);
      module.validate();
      const { buffer } = module.toBinary({});
      module.destroy();
      return [name, buffer];
    }),
  );
}
