;; Guest: stores past the end of its memory.
(memory (export "memory") 1)
(func (export "_start") (i32.store (i32.const -8) (i32.const 1)))
