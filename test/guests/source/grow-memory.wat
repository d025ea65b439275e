;; Guest: grows its memory page by page until it gets -1, touching each page, and prints how many pages it has.
;; argv: MOST (pages at which it stops by itself; default 65536).
;; include: write args
(memory (export "memory") 1)
(func (export "_start")
  (local $most i32)
  (call $load_args)
  (local.set $most (i32.wrap_i64 (call $arg_number (i32.const 1) (i64.const 65536))))
  (block $full
    (loop $more
      (br_if $full (i32.ge_u (memory.size) (local.get $most)))
      (br_if $full (i32.eq (memory.grow (i32.const 1)) (i32.const -1)))
      (i32.store8 (i32.shl (i32.sub (memory.size) (i32.const 1)) (i32.const 16)) (i32.const 1))
      (br $more)))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (memory.size))))
