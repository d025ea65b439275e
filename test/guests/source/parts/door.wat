;; Part: the door. $call_door(ptr, length) prints "call -> CODE", then the answer and a line feed when CODE is 0.
;; Needs part write. Uses memory 96..127.
(import "host" "call" (func $host_call (param i32 i32 i32 i32) (result i32)))
(data (i32.const 104) "call -> ")
(data (i32.const 112) "\n")

;; The raw call; the answer's place is left at 96 and its length at 100.
(func $ask_door (param $at i32) (param $length i32) (result i32)
  (call $host_call (local.get $at) (local.get $length) (i32.const 96) (i32.const 100)))

(func $call_door (param $at i32) (param $length i32)
  (local $code i32)
  (local.set $code (call $ask_door (local.get $at) (local.get $length)))
  (drop (call $write (i32.const 1) (i32.const 104) (i32.const 8)))
  (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $code)))
  (if (i32.eqz (local.get $code))
    (then
      (drop (call $write (i32.const 1) (i32.load (i32.const 96)) (i32.load (i32.const 100))))
      (drop (call $write (i32.const 1) (i32.const 112) (i32.const 1))))))
