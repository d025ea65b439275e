;; Guest: declares a maximum of 65536 pages (4 GiB), grows until it gets -1 and prints its pages.
;; include: write
(memory (export "memory") 1 65536)
(func (export "_start")
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (memory.size))))
