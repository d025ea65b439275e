;; Part: argv. $load_args first; then $arg(i) and $arg_number(i, otherwise). Uses memory 64..71 and pages it grows.
(import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
(global $argc (mut i32) (i32.const 0))
(global $argv (mut i32) (i32.const 0))

;; New memory of at least this many bytes, zeroed; traps when there is none.
(func $new_memory (param $bytes i32) (result i32)
  (local $page i32)
  (local.set $page (memory.grow (i32.add (i32.shr_u (local.get $bytes) (i32.const 16)) (i32.const 1))))
  (if (i32.eq (local.get $page) (i32.const -1)) (then (unreachable)))
  (i32.shl (local.get $page) (i32.const 16)))

(func $load_args
  (if (call $args_sizes_get (i32.const 64) (i32.const 68)) (then (unreachable)))
  (global.set $argc (i32.load (i32.const 64)))
  (global.set $argv
    (call $new_memory (i32.add (i32.shl (global.get $argc) (i32.const 2)) (i32.load (i32.const 68)))))
  (if (call $args_get (global.get $argv) (i32.add (global.get $argv) (i32.shl (global.get $argc) (i32.const 2))))
    (then (unreachable))))

(func $arg (param $index i32) (result i32)
  (i32.load (i32.add (global.get $argv) (i32.shl (local.get $index) (i32.const 2)))))

(func $string_length (param $at i32) (result i32)
  (local $end i32)
  (local.set $end (local.get $at))
  (block $done
    (loop $more
      (br_if $done (i32.eqz (i32.load8_u (local.get $end))))
      (local.set $end (i32.add (local.get $end) (i32.const 1)))
      (br $more)))
  (i32.sub (local.get $end) (local.get $at)))

;; argv[index] as a decimal number, a minus sign allowed; $otherwise when there is no such entry.
(func $arg_number (param $index i32) (param $otherwise i64) (result i64)
  (local $at i32) (local $byte i32) (local $negative i32) (local $value i64)
  (if (i32.ge_u (local.get $index) (global.get $argc)) (then (return (local.get $otherwise))))
  (local.set $at (call $arg (local.get $index)))
  (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 45))
    (then (local.set $negative (i32.const 1)) (local.set $at (i32.add (local.get $at) (i32.const 1)))))
  (block $done
    (loop $more
      (local.set $byte (i32.sub (i32.load8_u (local.get $at)) (i32.const 48)))
      (br_if $done (i32.gt_u (local.get $byte) (i32.const 9)))
      (local.set $value (i64.add (i64.mul (local.get $value) (i64.const 10)) (i64.extend_i32_u (local.get $byte))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br $more)))
  (if (result i64) (local.get $negative) (then (i64.sub (i64.const 0) (local.get $value))) (else (local.get $value))))
