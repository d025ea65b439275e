;; Guest: imports env.nothing_there.
(import "env" "nothing_there" (func $nothing_there))
(memory (export "memory") 1)
(func (export "_start") (call $nothing_there))
