;; Part: $write and $print_i64 over fd_write. Uses memory 16..63.
(import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))

;; Writes all of the bytes, however few one call takes; gives the errno.
(func $write (param $fd i32) (param $at i32) (param $length i32) (result i32)
  (local $errno i32)
  (loop $more
    (if (i32.eqz (local.get $length)) (then (return (i32.const 0))))
    (i32.store (i32.const 16) (local.get $at))
    (i32.store (i32.const 20) (local.get $length))
    (if (local.tee $errno (call $fd_write (local.get $fd) (i32.const 16) (i32.const 1) (i32.const 24)))
      (then (return (local.get $errno))))
    (local.set $at (i32.add (local.get $at) (i32.load (i32.const 24))))
    (local.set $length (i32.sub (local.get $length) (i32.load (i32.const 24))))
    (br $more))
  (unreachable))

;; Prints a signed number in decimal and a line feed.
(func $print_i64 (param $fd i32) (param $value i64)
  (local $at i32) (local $rest i64)
  (local.set $at (i32.const 63))
  (i32.store8 (local.get $at) (i32.const 10))
  (local.set $rest (local.get $value))
  (if (i64.lt_s (local.get $value) (i64.const 0)) (then (local.set $rest (i64.sub (i64.const 0) (local.get $value)))))
  (loop $digit
    (local.set $at (i32.sub (local.get $at) (i32.const 1)))
    (i32.store8 (local.get $at) (i32.add (i32.const 48) (i32.wrap_i64 (i64.rem_u (local.get $rest) (i64.const 10)))))
    (local.set $rest (i64.div_u (local.get $rest) (i64.const 10)))
    (br_if $digit (i64.ne (local.get $rest) (i64.const 0))))
  (if (i64.lt_s (local.get $value) (i64.const 0))
    (then
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at) (i32.const 45))))
  (drop (call $write (local.get $fd) (local.get $at) (i32.sub (i32.const 64) (local.get $at)))))
