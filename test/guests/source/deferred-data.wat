;; Guest: none by itself, but code that `load-code` may load in place of `deferred-code`. What it adds lies in its data.
(import "primary" "memory" (memory 1))
(import "primary" "__indirect_function_table" (table 16 funcref))
(import "primary" "1" (func $first (result i32)))
(elem (i32.const 1) $first_and_more)
(data (i32.const 1280) "\29\00\00\00")
(func $first_and_more (result i32) (i32.add (call $first) (i32.load (i32.const 1280))))
