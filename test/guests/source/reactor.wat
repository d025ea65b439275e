;; Guest: a reactor. `_initialize`, then `run() -> i32` prints "run" and gives 7 (99 when not initialised). Other exports:
;; `second() -> i32` gives 3, `silent()` gives nothing, `takes(i32)` cannot be an entry, `counter` counts `_initialize`.
;; include: write
(memory (export "memory") 1)
(global $counter (export "counter") (mut i32) (i32.const 0))
(data (i32.const 128) "run\n")
(func (export "_initialize") (global.set $counter (i32.add (global.get $counter) (i32.const 1))))
(func (export "run") (result i32)
  (drop (call $write (i32.const 1) (i32.const 128) (i32.const 4)))
  (if (result i32) (i32.eq (global.get $counter) (i32.const 1)) (then (i32.const 7)) (else (i32.const 99))))
(func (export "second") (result i32) (i32.const 3))
(func (export "silent"))
(func (export "takes") (param i32))
