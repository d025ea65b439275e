;; Guest: divides by zero.
(memory (export "memory") 1)
(func (export "_start") (i32.store (i32.const 0) (i32.div_s (i32.const 1) (i32.load (i32.const 4)))))
