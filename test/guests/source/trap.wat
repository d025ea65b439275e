;; Guest: prints "before" and traps (unreachable).
;; include: write
(memory (export "memory") 1)
(data (i32.const 128) "before\n")
(func (export "_start") (drop (call $write (i32.const 1) (i32.const 128) (i32.const 7))) (unreachable))
