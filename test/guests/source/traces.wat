;; Guest: ends with what it finds of an earlier run (1, 2, 4: a global, 8: memory, 16: its size), and leaves as much.
;; argv: one makes it grow its memory too, two trap, three return instead of proc_exit.
;; include: traces exit
(import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
(func (export "_start")
  (local $found i32) (local $argc i32)
  (local.set $found (call $look))
  (drop (call $args_sizes_get (i32.const 0) (i32.const 4)))
  (local.set $argc (i32.load (i32.const 0)))
  (call $leave)
  (if (i32.eq (local.get $argc) (i32.const 2)) (then (drop (memory.grow (i32.const 1)))))
  (if (i32.eq (local.get $argc) (i32.const 3)) (then (unreachable)))
  (if (i32.eq (local.get $argc) (i32.const 4)) (then (return)))
  (call $proc_exit (local.get $found)))
