;; Guest: sleeps by poll_oneoff, then prints "slept" and exits with the errno. argv: MS (default 600000) CLOCK (0 realtime,
;; 1 monotonic, the default) ABSOLUTE (1: the time is given as a point on the clock).
;; include: write args exit
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 1024) "slept\n")

(func (export "_start")
  (local $time i64) (local $clock i32) (local $errno i32)
  (call $load_args)
  (local.set $time (i64.mul (call $arg_number (i32.const 1) (i64.const 600000)) (i64.const 1000000)))
  (local.set $clock (i32.wrap_i64 (call $arg_number (i32.const 2) (i64.const 1))))
  (if (i64.eq (call $arg_number (i32.const 3) (i64.const 0)) (i64.const 1))
    (then
      (if (call $clock_time_get (local.get $clock) (i64.const 0) (i32.const 128)) (then (unreachable)))
      (local.set $time (i64.add (local.get $time) (i64.load (i32.const 128))))
      (i32.store16 (i32.const 296) (i32.const 1))))
  ;; A subscription: userdata 256, tag 264 (0 is clock), clock 272, timeout 280, precision 288, flags 296.
  (i64.store (i32.const 256) (i64.const 0x5eed))
  (i32.store (i32.const 272) (local.get $clock))
  (i64.store (i32.const 280) (local.get $time))
  (local.set $errno (call $poll_oneoff (i32.const 256) (i32.const 320) (i32.const 1) (i32.const 384)))
  (if (i32.eqz (local.get $errno))
    (then
      ;; One event, ours, without an error of its own.
      (if (i32.ne (i32.load (i32.const 384)) (i32.const 1)) (then (unreachable)))
      (if (i64.ne (i64.load (i32.const 320)) (i64.const 0x5eed)) (then (unreachable)))
      (local.set $errno (i32.load16_u (i32.const 328)))
      (drop (call $write (i32.const 1) (i32.const 1024) (i32.const 6)))))
  (call $proc_exit (local.get $errno)))
