;; Guest: says what it was given. argv: anything. Prints "arg X" and "env K=V" lines, then stdin as it is.
;; include: write args read-all
(import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "environ_get" (func $environ_get (param i32 i32) (result i32)))
(memory (export "memory") 1)
(data (i32.const 128) "arg ")
(data (i32.const 132) "env ")
(data (i32.const 136) "\n")

(func $line (param $label i32) (param $text i32)
  (drop (call $write (i32.const 1) (local.get $label) (i32.const 4)))
  (drop (call $write (i32.const 1) (local.get $text) (call $string_length (local.get $text))))
  (drop (call $write (i32.const 1) (i32.const 136) (i32.const 1))))

(func $lines (param $label i32) (param $table i32) (param $count i32)
  (block $done
    (loop $more
      (br_if $done (i32.eqz (local.get $count)))
      (call $line (local.get $label) (i32.load (local.get $table)))
      (local.set $table (i32.add (local.get $table) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $more))))

(func $print_env
  (local $table i32) (local $count i32)
  (if (call $environ_sizes_get (i32.const 64) (i32.const 68)) (then (unreachable)))
  (local.set $count (i32.load (i32.const 64)))
  (local.set $table
    (call $new_memory (i32.add (i32.shl (local.get $count) (i32.const 2)) (i32.load (i32.const 68)))))
  (if (call $environ_get (local.get $table) (i32.add (local.get $table) (i32.shl (local.get $count) (i32.const 2))))
    (then (unreachable)))
  (call $lines (i32.const 132) (local.get $table) (local.get $count)))

(func (export "_start")
  (call $load_args)
  (call $lines (i32.const 128) (global.get $argv) (global.get $argc))
  (call $print_env)
  (if (call $read_all (i32.const 0)) (then (unreachable)))
  (drop (call $write (i32.const 1) (global.get $read_at) (global.get $read_length))))
