;; Part: $read_all(fd) reads to the end into new pages; $read_at and $read_length tell where. Needs part args. Uses 72..83.
(import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
(global $read_at (mut i32) (i32.const 0))
(global $read_length (mut i32) (i32.const 0))

;; Gives the errno. Nothing else may grow memory while it reads.
(func $read_all (param $fd i32) (result i32)
  (local $errno i32) (local $room i32)
  (global.set $read_at (call $new_memory (i32.const 65535)))
  (local.set $room (i32.const 65536))
  (loop $more
    (if (i32.eqz (local.get $room))
      (then (drop (call $new_memory (i32.const 65535))) (local.set $room (i32.const 65536))))
    (i32.store (i32.const 72) (i32.add (global.get $read_at) (global.get $read_length)))
    (i32.store (i32.const 76) (local.get $room))
    (if (local.tee $errno (call $fd_read (local.get $fd) (i32.const 72) (i32.const 1) (i32.const 80)))
      (then (return (local.get $errno))))
    (global.set $read_length (i32.add (global.get $read_length) (i32.load (i32.const 80))))
    (local.set $room (i32.sub (local.get $room) (i32.load (i32.const 80))))
    (br_if $more (i32.load (i32.const 80))))
  (i32.const 0))
