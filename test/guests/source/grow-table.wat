;; Guest: grows a table until it gets -1 and prints its size.
;; include: write
(memory (export "memory") 1)
(table $slots 1 funcref)
(func (export "_start")
  (local $step i32)
  (local.set $step (i32.const 1048576))
  (loop $more
    (br_if $more
      (i32.ne (table.grow $slots (ref.null func) (local.get $step)) (i32.const -1)))
    ;; It may still grow by less.
    (br_if $more (local.tee $step (i32.shr_u (local.get $step) (i32.const 1)))))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (table.size $slots))))
