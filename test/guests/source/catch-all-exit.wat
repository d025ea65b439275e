;; Guest: swallows every exception. proc_exit(3), then a write, a door call and proc_exit(9), each in try/catch_all; then it
;; returns. Right: the run ends with code 3, nothing printed, no door call.
;; include: write exit door allocate
(memory (export "memory") 2)
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")
(data (i32.const 1100) "still here\n")
(func (export "_start")
  (try (do (call $proc_exit (i32.const 3))) (catch_all))
  (try (do (drop (call $write (i32.const 1) (i32.const 1100) (i32.const 11)))) (catch_all))
  (try (do (drop (call $ask_door (i32.const 1024) (i32.const 26)))) (catch_all))
  (try (do (call $proc_exit (i32.const 9))) (catch_all)))
