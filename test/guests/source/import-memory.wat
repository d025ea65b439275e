;; Guest: imports its memory as env.memory and exports it; grows until it gets -1 and prints its pages.
;; include: write
(import "env" "memory" (memory 2 65536))
(export "memory" (memory 0))
(func (export "_start")
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (memory.size))))
