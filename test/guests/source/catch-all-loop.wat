;; Guest: calls sched_yield, the door and fd_write (no bytes) for ever, each in try/catch_all; only terminate() ends it.
;; include: write door allocate
(import "wasi_snapshot_preview1" "sched_yield" (func $sched_yield (result i32)))
(memory (export "memory") 2)
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")
(func (export "_start")
  (loop $forever
    (try (do (drop (call $sched_yield))) (catch_all))
    (try (do (drop (call $ask_door (i32.const 1024) (i32.const 26)))) (catch_all))
    (try (do (drop (call $fd_write (i32.const 1) (i32.const 16) (i32.const 0) (i32.const 24)))) (catch_all))
    (br $forever)))
