;; Guest: its _start takes an i32, as no command may.
(memory (export "memory") 1)
(func (export "_start") (param i32))
