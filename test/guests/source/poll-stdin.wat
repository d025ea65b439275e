;; Guest: polls stdin and a clock of MS at once. argv: MS (default 600000). Exit code: ten times the number of events, and
;; one more when the first of them is stdin's.
;; include: args exit
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
(memory (export "memory") 1)

(func (export "_start")
  (call $load_args)
  ;; Two subscriptions of 48 bytes: tag 1 (fd_read) of descriptor 0; tag 0 (clock) of the monotonic clock.
  (i32.store8 (i32.const 264) (i32.const 1))
  (i32.store (i32.const 320) (i32.const 1))
  (i64.store (i32.const 328)
    (i64.mul (call $arg_number (i32.const 1) (i64.const 600000)) (i64.const 1000000)))
  (if (call $poll_oneoff (i32.const 256) (i32.const 512) (i32.const 2) (i32.const 400)) (then (unreachable)))
  ;; An event of 32 bytes: its type at 10.
  (call $proc_exit
    (i32.add (i32.mul (i32.load (i32.const 400)) (i32.const 10)) (i32.load8_u (i32.const 522)))))
