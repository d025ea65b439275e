;; Part: a command that sends one list frame through the door and prints how it went. Needs parts write and door.
(memory (export "memory") 2)
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")
(func (export "_start") (call $call_door (i32.const 1024) (i32.const 26)))
