;; Guest: calls the door with any pointers. argv: PTR LEN OUT_PTR OUT_LEN PAGES (memory is grown to that first). Prints
;; "call -> CODE"; a list frame of 26 bytes lies at 1024. Also exports `call(i32, i32, i32, i32) -> i32`.
;; include: write args allocate
(import "host" "call" (func $host_call (param i32 i32 i32 i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 104) "call -> ")
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")
(func (export "call") (param i32 i32 i32 i32) (result i32)
  (call $host_call (local.get 0) (local.get 1) (local.get 2) (local.get 3)))

(func $number (param $index i32) (param $otherwise i64) (result i32)
  (i32.wrap_i64 (call $arg_number (local.get $index) (local.get $otherwise))))

(func (export "_start")
  (local $pages i32) (local $code i32)
  (call $load_args)
  (local.set $pages (i32.sub (call $number (i32.const 5) (i64.const 0)) (memory.size)))
  (if (i32.gt_s (local.get $pages) (i32.const 0))
    (then (if (i32.eq (memory.grow (local.get $pages)) (i32.const -1)) (then (unreachable)))))
  (local.set $code
    (call $host_call
      (call $number (i32.const 1) (i64.const 1024))
      (call $number (i32.const 2) (i64.const 26))
      (call $number (i32.const 3) (i64.const 96))
      (call $number (i32.const 4) (i64.const 100))))
  (drop (call $write (i32.const 1) (i32.const 104) (i32.const 8)))
  (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $code))))
