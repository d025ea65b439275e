;; Guest: host_alloc gives the last four bytes of memory, too few for any answer.
;; include: write door list-frame
(func (export "host_alloc") (param i32) (result i32) (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 4)))
