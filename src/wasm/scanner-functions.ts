// WebAssembly text of the body scanner outside its loop: bodies, seldom instructions, numbers; only its test uses it.
import { FEATURE } from "./features.ts";
import { FOLLOWS, INFO, LAYOUT, MOST_REFUSED, PASS } from "./scanner-layout.ts";

/** The next body for a lane: where its instructions begin, or the idle body. */
export const TAKE = `
  (func $take (param $lane i32) (result i32)
    (local $start i32) (local $size i32) (local $at i32)
    (block $none
      (loop $next
        (br_if $none (i32.or (i32.eqz (global.get $left)) (i32.ge_u (global.get $refused) (i32.const ${MOST_REFUSED}))))
        (br_if $none (i32.ge_u (global.get $from) (global.get $limit)))
        (local.set $size (call $value (global.get $from)))
        (local.set $start (global.get $past))
        (br_if $none (i32.or (i32.eqz (local.get $start)) (i32.gt_u (local.get $start) (global.get $limit))))
        (br_if $none (i32.or (i32.eqz (local.get $size))
          (i32.gt_u (local.get $size) (i32.sub (global.get $limit) (local.get $start)))))
        (global.set $from (i32.add (local.get $start) (local.get $size)))
        (global.set $left (i32.sub (global.get $left) (i32.const 1)))
        (i32.store offset=${LAYOUT.lanes} (i32.shl (local.get $lane) (i32.const 4)) (global.get $taken))
        (i32.store offset=${LAYOUT.lanes + 4} (i32.shl (local.get $lane) (i32.const 4)) (local.get $start))
        (i32.store offset=${LAYOUT.lanes + 8} (i32.shl (local.get $lane) (i32.const 4)) (global.get $from))
        (global.set $taken (i32.add (global.get $taken) (i32.const 1)))
        (local.set $at (call $locals (local.get $start)))
        (if (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (global.get $from)))
          (then (call $refuse (local.get $lane)) (br $next)))
        (global.set $busy (i32.or (global.get $busy) (i32.shl (i32.const 1) (local.get $lane))))
        (return (local.get $at))))
    (global.set $left (i32.const 0))
    (global.set $busy (i32.and (global.get $busy) (i32.xor (i32.shl (i32.const 1) (local.get $lane)) (i32.const -1))))
    (i32.store offset=${LAYOUT.lanes + 8} (i32.shl (local.get $lane) (i32.const 4)) (i32.const ${LAYOUT.idleEnd}))
    (i32.const ${LAYOUT.idle}))
  (func $end (param $lane i32) (result i32)
    (i32.load offset=${LAYOUT.lanes + 8} (i32.shl (local.get $lane) (i32.const 4))))
  (func $refuse (param $lane i32)
    (local $to i32) (local $body i32)
    (local.set $to (i32.mul (global.get $refused) (i32.const 12)))
    (local.set $body (i32.shl (local.get $lane) (i32.const 4)))
    (i32.store offset=${LAYOUT.refused} (local.get $to) (i32.load offset=${LAYOUT.lanes} (local.get $body)))
    (i32.store offset=${LAYOUT.refused + 4} (local.get $to) (i32.load offset=${LAYOUT.lanes + 4} (local.get $body)))
    (i32.store offset=${LAYOUT.refused + 8} (local.get $to) (i32.load offset=${LAYOUT.lanes + 8} (local.get $body)))
    (global.set $refused (i32.add (global.get $refused) (i32.const 1))))
  ;; Past the declarations of locals; 0 when they are not plain.
  (func $locals (param $at i32) (result i32)
    (local $groups i32) (local $type i32)
    (local.set $groups (call $value (local.get $at)))
    (if (i32.gt_u (local.get $groups) (i32.const 1000)) (then (return (i32.const 0))))
    (local.set $at (global.get $past))
    (block $done
      (loop $group
        (br_if $done (i32.or (i32.eqz (local.get $groups)) (i32.eqz (local.get $at))))
        (local.set $groups (i32.sub (local.get $groups) (i32.const 1)))
        (if (i32.gt_u (call $value (local.get $at)) (i32.const 1000000)) (then (return (i32.const 0))))
        (local.set $at (global.get $past))
        (local.set $type (i32.load8_u (local.get $at)))
        (if (i32.gt_u (i32.sub (local.get $type) (i32.const 0x7b)) (i32.const 4)) (then (return (i32.const 0))))
        (if (i32.eq (local.get $type) (i32.const 0x7b)) (then
          (global.set $seen (i32.or (global.get $seen) (i32.const ${1 << FEATURE.simd})))))
        (local.set $at (select (i32.add (local.get $at) (i32.const 1)) (i32.const 0) (local.get $at)))
        (br $group)))
    (local.get $at))`;

const isPass = (kind: number): string => `(i32.eq (local.get $kind) (i32.const ${kind}))`;
const follows = (kind: number): string => `(i32.eq (local.get $kind) (i32.const ${kind}))`;

/** Past one instruction that the loop does not judge; 0 refuses it. */
export const PASS_ONE = `
  (func $pass (param $at i32) (param $lane i32) (param $depth i32) (result i32)
    (local $kind i32) (local $top i32)
    (local.set $kind (i32.load8_u offset=${INFO.pass / 8} (i32.shl (i32.load8_u (local.get $at)) (i32.const 3))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (if ${isPass(PASS.index)} (then (return (call $past_u32 (local.get $at)))))
    (if ${isPass(PASS.i32)} (then (return (call $past (local.get $at) (i32.const 5) (i32.const 0x78) (i32.const 0x78)))))
    (if ${isPass(PASS.i64)} (then (return (call $past (local.get $at) (i32.const 10) (i32.const 0x7f) (i32.const 0x7f)))))
    (if ${isPass(PASS.memarg)} (then (return (call $past_memarg (local.get $at)))))
    (if ${isPass(PASS.twoIndices)} (then
      (local.set $at (call $past_u32 (local.get $at)))
      (return (select (call $past_u32 (local.get $at)) (i32.const 0) (local.get $at)))))
    (if ${isPass(PASS.else)} (then
      (if (i32.eqz (local.get $depth)) (then (return (i32.const 0))))
      (local.set $top (i32.sub (i32.add (local.get $depth) (i32.mul (local.get $lane) (i32.const ${LAYOUT.stackBytes}))) (i32.const 1)))
      (if (i32.ne (i32.load8_u offset=${LAYOUT.stacks} (local.get $top)) (i32.const 0x04)) (then (return (i32.const 0))))
      (i32.store8 offset=${LAYOUT.stacks} (local.get $top) (i32.const 0x05))
      (return (local.get $at))))
    (if ${isPass(PASS.brTable)} (then (return (call $past_table (local.get $at) (call $end (local.get $lane))))))
    (if ${isPass(PASS.misc)} (then
      (local.set $top (i32.load8_u (local.get $at)))
      (if (i32.gt_u (local.get $top) (i32.const 31)) (then (return (i32.const 0))))
      (return (call $follow (i32.load8_u offset=${LAYOUT.misc} (local.get $top)) (i32.add (local.get $at) (i32.const 1))))))
    (if ${isPass(PASS.simd)} (then
      (local.set $top (call $value (local.get $at)))
      (if (i32.or (i32.gt_u (local.get $top) (i32.const 255)) (i32.eqz (global.get $past))) (then (return (i32.const 0))))
      (return (call $follow (i32.load8_u offset=${LAYOUT.simd} (local.get $top)) (global.get $past)))))
    (i32.const 0))
  ;; Past what follows an opcode after a prefix, given the entry of its table.
  (func $follow (param $entry i32) (param $at i32) (result i32)
    (local $kind i32)
    (local.set $kind (i32.and (local.get $entry) (i32.const 15)))
    (if (i32.eqz (local.get $kind)) (then (return (i32.const 0))))
    (global.set $seen (i32.or (global.get $seen) (i32.shl (i32.const 1) (i32.shr_u (local.get $entry) (i32.const 4)))))
    (if ${follows(FOLLOWS.memarg)} (then (return (call $past_memarg (local.get $at)))))
    (if ${follows(FOLLOWS.byte)} (then (return (i32.add (local.get $at) (i32.const 1)))))
    (if ${follows(FOLLOWS.memargByte)} (then
      (local.set $at (call $past_memarg (local.get $at)))
      (return (select (i32.add (local.get $at) (i32.const 1)) (i32.const 0) (local.get $at)))))
    (if ${follows(FOLLOWS.bytes16)} (then (return (i32.add (local.get $at) (i32.const 16)))))
    (if ${follows(FOLLOWS.zero)} (then
      (return (select (i32.const 0) (i32.add (local.get $at) (i32.const 1)) (i32.load8_u (local.get $at))))))
    (if ${follows(FOLLOWS.twoZeros)} (then
      (return (select (i32.const 0) (i32.add (local.get $at) (i32.const 2)) (i32.load16_u (local.get $at))))))
    (local.get $at))`;

/** Numbers of any length, judged as the format demands; 0 where they break it. */
export const NUMBERS = `
  ;; Past a number of at most $longest bytes, the unused bits of whose last possible byte are 0 or $ones.
  (func $past (param $at i32) (param $longest i32) (param $unused i32) (param $ones i32) (result i32)
    (local $byte i32)
    (loop $more
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $longest (i32.sub (local.get $longest) (i32.const 1)))
      (if (i32.and (i32.ge_u (local.get $byte) (i32.const 0x80)) (i32.ne (local.get $longest) (i32.const 0))) (then (br $more))))
    (if (local.get $longest) (then (return (local.get $at))))
    (local.set $unused (i32.and (local.get $byte) (i32.or (local.get $unused) (i32.const 0x80))))
    (select (local.get $at) (i32.const 0)
      (i32.or (i32.eqz (local.get $unused)) (i32.eq (local.get $unused) (local.get $ones)))))
  (func $past_u32 (param $at i32) (result i32)
    (call $past (local.get $at) (i32.const 5) (i32.const 0x70) (i32.const 0)))
  (func $past_memarg (param $at i32) (result i32)
    (if (i32.ge_u (i32.load8_u (local.get $at)) (i32.const 0x40)) (then (return (i32.const 0))))
    (call $past_u32 (i32.add (local.get $at) (i32.const 1))))
  (func $past_table (param $at i32) (param $end i32) (result i32)
    (local $labels i32)
    (local.set $labels (call $value (local.get $at)))
    (local.set $at (global.get $past))
    (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
    (loop $label
      (local.set $at (call $past_u32 (local.get $at)))
      (if (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (local.get $end))) (then (return (i32.const 0))))
      (local.set $labels (i32.sub (local.get $labels) (i32.const 1)))
      (br_if $label (i32.ne (local.get $labels) (i32.const -1))))
    (local.get $at))
  ;; A u32; $past is set behind it, or to 0.
  (func $value (param $at i32) (result i32)
    (local $byte i32) (local $shift i32) (local $value i32)
    (global.set $past (call $past_u32 (local.get $at)))
    (loop $more
      (local.set $byte (i32.load8_u (local.get $at)))
      (local.set $value (i32.or (local.get $value)
        (i32.shl (i32.and (local.get $byte) (i32.const 0x7f)) (local.get $shift))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (local.set $shift (i32.add (local.get $shift) (i32.const 7)))
      (br_if $more (i32.and (i32.ge_u (local.get $byte) (i32.const 0x80)) (i32.lt_u (local.get $shift) (i32.const 35)))))
    (local.get $value))`;
