;; Guest: sends stdin through host::call. argv: TIMES (default 1). Prints "call -> CODE" and the answer each time.
;; include: write args read-all door allocate
(memory (export "memory") 1)
(func (export "_start")
  (local $left i64)
  (call $load_args)
  (local.set $left (call $arg_number (i32.const 1) (i64.const 1)))
  (if (call $read_all (i32.const 0)) (then (unreachable)))
  (block $done
    (loop $more
      (br_if $done (i64.le_s (local.get $left) (i64.const 0)))
      (call $call_door (global.get $read_at) (global.get $read_length))
      (local.set $left (i64.sub (local.get $left) (i64.const 1)))
      (br $more))))
