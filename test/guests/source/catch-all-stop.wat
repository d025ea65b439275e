;; Guest: prints "waiting", sleeps ten minutes in try/catch_all; once stopped it swallows that and tries a write, a door
;; call and proc_exit(9) in the same way; then it returns. Right: only "waiting" printed, no door call, status killed.
;; include: write exit door allocate
(import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
(memory (export "memory") 2)
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")
(data (i32.const 1100) "still here\n")
(data (i32.const 1120) "waiting\n")
(func (export "_start")
  (drop (call $write (i32.const 1) (i32.const 1120) (i32.const 8)))
  (i32.store (i32.const 2064) (i32.const 1))
  (i64.store (i32.const 2072) (i64.const 600000000000))
  (try (do (drop (call $poll_oneoff (i32.const 2048) (i32.const 2112) (i32.const 1) (i32.const 2176)))) (catch_all))
  (try (do (drop (call $write (i32.const 1) (i32.const 1100) (i32.const 11)))) (catch_all))
  (try (do (drop (call $ask_door (i32.const 1024) (i32.const 26)))) (catch_all))
  (try (do (call $proc_exit (i32.const 9))) (catch_all)))
