;; Guest: calls an empty table slot.
(type $plain (func))
(memory (export "memory") 1)
(table 2 funcref)
(func (export "_start") (call_indirect (type $plain) (i32.const 1)))
