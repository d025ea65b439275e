;; Guest: host_alloc sleeps for ten minutes.
;; include: write door list-frame
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
(func (export "host_alloc") (param i32) (result i32)
  (i32.store (i32.const 2064) (i32.const 1))
  (i64.store (i32.const 2072) (i64.const 600000000000))
  (drop (call $poll_oneoff (i32.const 2048) (i32.const 2112) (i32.const 1) (i32.const 2176)))
  (i32.const 65536))
