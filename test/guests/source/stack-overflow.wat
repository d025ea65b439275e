;; Guest: recurses without end. names
(memory (export "memory") 1)
(func $deeper (param $depth i32) (result i32)
  (i32.add (call $deeper (i32.add (local.get $depth) (i32.const 1))) (local.get $depth)))
(func (export "_start") (drop (call $deeper (i32.const 0))))
