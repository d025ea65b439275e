;; Guest: ends with a code. argv: CODE for proc_exit; without one it returns from _start.
;; include: args exit
(memory (export "memory") 1)
(func (export "_start")
  (call $load_args)
  (if (i32.gt_u (global.get $argc) (i32.const 1))
    (then (call $proc_exit (i32.wrap_i64 (call $arg_number (i32.const 1) (i64.const 0)))))))
