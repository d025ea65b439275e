;; Part: proc_exit.
(import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
