;; Guest: host_alloc calls the door again and prints what that gave (it must be -2); the outer call goes on and gives 0.
;; include: write door list-frame
(data (i32.const 1100) "inner ")
(func (export "host_alloc") (param i32) (result i32)
  (local $code i32)
  (local.set $code (call $host_call (i32.const 1024) (i32.const 26) (i32.const 1200) (i32.const 1204)))
  (drop (call $write (i32.const 1) (i32.const 1100) (i32.const 6)))
  (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $code)))
  (i32.const 65536))
