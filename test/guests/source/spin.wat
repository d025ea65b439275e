;; Guest: computes for ever and imports nothing, so that no import can stop it.
(memory (export "memory") 1)
(func (export "_start")
  (loop $forever
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (br $forever)))
