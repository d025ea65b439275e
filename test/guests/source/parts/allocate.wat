;; Part: an honest host_alloc that never frees: answers lie in pages of their own.
(func (export "host_alloc") (param $length i32) (result i32)
  (local $page i32)
  (local.set $page (memory.grow (i32.add (i32.shr_u (local.get $length) (i32.const 16)) (i32.const 1))))
  (if (result i32) (i32.eq (local.get $page) (i32.const -1))
    (then (i32.const 0))
    (else (i32.shl (local.get $page) (i32.const 16)))))
