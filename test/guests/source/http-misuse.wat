;; Guest: the four ways to misuse subako_http; prints one result a line: request out of range (-1), read_response with
;; nothing held (-2), then after a real request of stdin: wrong length (-3), right length (0), once more (-2).
;; include: write args read-all
(import "subako_http" "request" (func $request (param i32 i32) (result i32)))
(import "subako_http" "read_response" (func $read_response (param i32 i32) (result i32)))
(memory (export "memory") 1)
(func $say (param $value i32) (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $value))))
(func (export "_start")
  (local $length i32) (local $at i32)
  (call $load_args)
  (if (call $read_all (i32.const 0)) (then (unreachable)))
  (call $say (call $request (i32.const -16) (i32.const 32)))
  (call $say (call $read_response (i32.const 1024) (i32.const 0)))
  (local.set $length (call $request (global.get $read_at) (global.get $read_length)))
  (local.set $at (call $new_memory (i32.add (local.get $length) (i32.const 1))))
  (call $say (call $read_response (local.get $at) (i32.add (local.get $length) (i32.const 1))))
  (call $say (call $read_response (local.get $at) (local.get $length)))
  (call $say (call $read_response (local.get $at) (local.get $length))))
