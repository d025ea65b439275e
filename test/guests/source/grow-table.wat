;; Guest: grows a table until it gets -1 and prints its size.
;; include: write
(memory (export "memory") 1)
(table $slots 1 funcref)
(func (export "_start")
  (loop $more
    (br_if $more (i32.ne (table.grow $slots (ref.null func) (i32.const 1048576)) (i32.const -1))))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (table.size $slots))))
