;; Guest: asks for 8192 pages (512 MiB) from the start and prints its pages.
;; include: write
(memory (export "memory") 8192)
(func (export "_start") (call $print_i64 (i32.const 1) (i64.extend_i32_u (memory.size))))
