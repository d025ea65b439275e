;; Guest: sends stdin through subako_http.request and prints what read_response copies. Exit code 1 when request is
;; negative (its value is printed), 2 when read_response is not 0.
;; include: write args read-all exit
(import "subako_http" "request" (func $request (param i32 i32) (result i32)))
(import "subako_http" "read_response" (func $read_response (param i32 i32) (result i32)))
(memory (export "memory") 1)
(func (export "_start")
  (local $length i32) (local $at i32)
  (call $load_args)
  (if (call $read_all (i32.const 0)) (then (unreachable)))
  (local.set $length (call $request (global.get $read_at) (global.get $read_length)))
  (if (i32.lt_s (local.get $length) (i32.const 0))
    (then
      (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $length)))
      (call $proc_exit (i32.const 1))))
  (local.set $at (call $new_memory (local.get $length)))
  (if (call $read_response (local.get $at) (local.get $length)) (then (call $proc_exit (i32.const 2))))
  (drop (call $write (i32.const 1) (local.get $at) (local.get $length))))
