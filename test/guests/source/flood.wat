;; Guest: writes BYTES (default 512 MiB) in pieces of 64 KiB. argv: BYTES FD. Lines of 63 "x"; exits with the errno.
;; include: write args exit
(memory (export "memory") 2)
(func $fill
  (local $at i32)
  (memory.fill (i32.const 65536) (i32.const 120) (i32.const 65536))
  (loop $more
    (i32.store8 offset=65599 (local.get $at) (i32.const 10))
    (local.set $at (i32.add (local.get $at) (i32.const 64)))
    (br_if $more (i32.lt_u (local.get $at) (i32.const 65536)))))

(func (export "_start")
  (local $left i64) (local $fd i32) (local $part i32) (local $errno i32)
  (call $fill)
  (call $load_args)
  (local.set $left (call $arg_number (i32.const 1) (i64.const 536870912)))
  (local.set $fd (i32.wrap_i64 (call $arg_number (i32.const 2) (i64.const 1))))
  (block $done
    (loop $more
      (br_if $done (i64.le_s (local.get $left) (i64.const 0)))
      (local.set $part (i32.const 65536))
      (if (i64.lt_s (local.get $left) (i64.const 65536)) (then (local.set $part (i32.wrap_i64 (local.get $left)))))
      (if (local.tee $errno (call $write (local.get $fd) (i32.const 65536) (local.get $part)))
        (then (call $proc_exit (local.get $errno))))
      (local.set $left (i64.sub (local.get $left) (i64.extend_i32_u (local.get $part))))
      (br $more))))
