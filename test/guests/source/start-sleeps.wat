;; Guest: imports its memory as env.memory, sleeps for 20 ms in its start function, before any export is called, and then
;; prints "slept" from _start.
;; include: write
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
(import "env" "memory" (memory 1 16))
(export "memory" (memory 0))
(data (i32.const 1024) "slept\n")
(global $errno (mut i32) (i32.const -1))

(func $sleep
  ;; A subscription to the monotonic clock: clock at 272, timeout at 280.
  (i32.store (i32.const 272) (i32.const 1))
  (i64.store (i32.const 280) (i64.const 20000000))
  (global.set $errno
    (call $poll_oneoff (i32.const 256) (i32.const 320) (i32.const 1) (i32.const 384))))
(start $sleep)

(func (export "_start")
  (if (global.get $errno) (then (unreachable)))
  (drop (call $write (i32.const 1) (i32.const 1024) (i32.const 6))))
