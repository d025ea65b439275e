// Writes the WebAssembly text of the body scanner; its test assembles it into scanner-binary.ts, the library does not.
import { NUMBERS, PASS_ONE, TAKE } from "./scanner-functions.ts";
import { INFO, LANES, LARGEST_WINDOW, LAYOUT } from "./scanner-layout.ts";

const lanes = Array.from({ length: LANES }, (_, lane) => lane);

/**
 * `scan(from, limit, bodies)` takes bodies that lie in the window, each after its size, until one ends past the limit,
 * and returns where the first that it did not take begins. A body passes when every instruction in it is plain; what
 * the walker in JavaScript has to judge is refused. `taken`, `refused` and `seen` (features) are left in globals.
 */
export function scannerText(): string {
  return `(module
    (memory (export "memory") ${Math.ceil(LAYOUT.window / 65_536)} ${Math.ceil((LAYOUT.window + LARGEST_WINDOW + 64) / 65_536)})
    (global $from (mut i32) (i32.const 0))
    (global $limit (mut i32) (i32.const 0))
    (global $left (mut i32) (i32.const 0))
    (global $busy (mut i32) (i32.const 0))
    (global $past (mut i32) (i32.const 0))
    (global $taken (export "taken") (mut i32) (i32.const 0))
    (global $refused (export "refused") (mut i32) (i32.const 0))
    (global $seen (export "seen") (mut i32) (i32.const 0))
    ${scan()}
    ${TAKE}
    ${PASS_ONE}
    ${NUMBERS})`;
}

function scan(): string {
  return `(func (export "scan") (param $from i32) (param $limit i32) (param $bodies i32) (result i32)
    ${lanes.map((k) => `(local $at${k} i32) (local $depth${k} i32) (local $last${k} i32)`).join(" ")}
    (local $op i32) (local $info i64) (local $next i64) (local $length i32) (local $seen i64)
    (local $lane i32) (local $at i32) (local $depth i32)
    (global.set $from (local.get $from)) (global.set $limit (local.get $limit)) (global.set $left (local.get $bodies))
    (global.set $taken (i32.const 0)) (global.set $refused (i32.const 0)) (global.set $busy (i32.const 0))
    (global.set $seen (i32.const 0))
    ${lanes
      .map(
        (
          k,
        ) => `(local.set $at${k} (i32.const ${LAYOUT.idleEnd - 1})) (local.set $last${k} (i32.const ${LAYOUT.idleEnd - 1}))
          (i32.store offset=${LAYOUT.lanes + 16 * k + 8} (i32.const 0) (i32.const ${LAYOUT.idleEnd}))`,
      )
      .join("\n")}
    (loop $again
      (block $take
        (block $finished
          (block $special
            (loop $instructions ${lanes.map(step).join("\n")} (br $instructions)))
          ${byLane((k) => `(local.set $at (local.get $at${k})) (local.set $depth (local.get $depth${k}))`)}
          (local.set $at (call $pass (local.get $at) (local.get $lane) (local.get $depth)))
          (if (i32.lt_u (i32.sub (local.get $at) (i32.const 1)) (i32.sub (call $end (local.get $lane)) (i32.const 1)))
            (then ${byLane((k) => `(local.set $at${k} (local.get $at))`)} (br $again)))
          (call $refuse (local.get $lane))
          (br $take))
        ${byLane((k) => `(local.set $at (local.get $at${k})) (local.set $depth (local.get $depth${k}))`)}
        (if (i32.or (i32.ne (local.get $at) (call $end (local.get $lane)))
              (i32.ne (local.get $depth) (i32.const -1)))
          (then (call $refuse (local.get $lane)))))
      (local.set $at (call $take (local.get $lane)))
      (if (i32.eqz (global.get $busy)) (then
        (global.set $seen (i32.or (global.get $seen)
          (i32.wrap_i64 (i64.shr_u (local.get $seen) (i64.const ${INFO.features})))))
        (return (global.get $from))))
      (local.set $depth (i32.sub (call $end (local.get $lane)) (i32.const 1)))
      ${byLane((k) => `(local.set $at${k} (local.get $at)) (local.set $depth${k} (i32.const 0)) (local.set $last${k} (local.get $depth))`)}
      (br $again))
    unreachable)`;
}

/** One instruction of one lane, with no branch that depends on which instruction it is. */
function step(k: number): string {
  return `
    (local.set $info (i64.load (i32.shl (local.tee $op (i32.load8_u (local.get $at${k}))) (i32.const 3))))
    (local.set $next (i64.load offset=1 (local.get $at${k})))
    (i32.store8 offset=${LAYOUT.stacks + k * LAYOUT.stackBytes} (local.get $depth${k}) (local.get $op))
    (local.set $length (i32.shr_u (i32.add
      (i32.and (i32.wrap_i64 (local.get $info)) (i32.const ${INFO.lengthField}))
      (i32.wrap_i64 (i64.ctz (i64.xor
        (i64.and (i64.xor (local.get $next) (i64.const -1)) (i64.const 0x8080808080808080))
        (i64.and (local.get $info) (i64.const ${INFO.twoNumbers | INFO.noNumber})))))) (i32.const 3)))
    (local.set $lane (i32.const ${k}))
    (br_if $special (i64.lt_s (i64.const 0) (i64.and (i64.shr_u (local.get $info) (i64.const ${INFO.guard}))
      (i64.load8_u offset=${LAYOUT.classes} (i32.and (i32.wrap_i64 (local.get $next)) (i32.const 255))))))
    (br_if $special (i64.lt_s (i64.add (local.get $info)
      (i64.shl (i64.extend_i32_u (local.get $length)) (i64.const ${INFO.margin}))) (i64.const 0)))
    (local.set $seen (i64.or (local.get $seen) (local.get $info)))
    (local.set $at${k} (i32.add (local.get $at${k}) (local.get $length)))
    (local.set $depth${k} (i32.add (local.get $depth${k})
      (i32.shr_s (i32.wrap_i64 (local.get $info)) (i32.const ${INFO.depth}))))
    ;; Negative: no block is open any more, or the bytes of the body are used up.
    (br_if $finished (i32.lt_s (i32.or (local.get $depth${k}) (i32.sub (local.get $last${k}) (local.get $at${k})))
      (i32.const 0)))`;
}

/** Code chosen by $lane. */
function byLane(text: (lane: number) => string): string {
  return lanes
    .slice(0, -1)
    .reduceRight(
      (otherwise, k) =>
        `(if (i32.eq (local.get $lane) (i32.const ${k})) (then ${text(k)}) (else ${otherwise}))`,
      text(LANES - 1),
    );
}
