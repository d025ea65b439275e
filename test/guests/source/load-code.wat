;; Guest: loads the code that the page has for it, `deferred-code`, by sallyport::load_code. Prints what slot 1 of its table
;; gives: 1 before. argv: WHAT, a letter. None loads nothing. Others do, and print the errno and what slot 1 gives now (42). Then r calls
;; a loaded function that copies stdin to stdout, a one that lists the door's tools, s one that spins, t one that traps, x one
;; that exits with 9, g one that grows memory until it gets -1 and prints its pages, e has host_alloc load for the
;; door. Exports `init`, which loads, and `go`, which begins with the errno that `init` got, for snapshots.
;; include: write door
(import "sallyport" "load_code" (func $load_code (result i32)))
(import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
(import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
(memory (export "memory") 1)
(table (export "__indirect_function_table") 16 funcref)
(elem (i32.const 0) $write $first $call_door)
(type $gives (func (result i32)))
(type $does (func))
;; What the loaded code takes by name; the rest it finds in the table.
(export "fd_read" (func $fd_read))
(export "host_call" (func $host_call))
(export "proc_exit" (func $proc_exit))
(export "print_i64" (func $print_i64))
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"list\"}")

(func $first (result i32) (i32.const 1))

;; The pages that the door's answer needs lie above those that there were.
(func (export "host_alloc") (param $length i32) (result i32)
  (local $page i32)
  (if (i32.eq (i32.load (i32.const 204)) (i32.const 101))
    (then
      (i32.store (i32.const 204) (i32.const 0))
      (call $print (i64.extend_i32_s (call $load_code)))))
  (local.set $page (memory.grow (i32.add (i32.shr_u (local.get $length) (i32.const 16)) (i32.const 1))))
  (i32.shl (local.get $page) (i32.const 16)))

(func $print (param $value i64) (call $print_i64 (i32.const 1) (local.get $value)))
(func $print_slot_1 (call $print (i64.extend_i32_s (call_indirect (type $gives) (i32.const 1)))))

;; The first letter of argv[1]; 0 when there is none.
(func $what (result i32)
  (if (call $args_sizes_get (i32.const 192) (i32.const 196)) (then (unreachable)))
  (if (i32.or (i32.lt_u (i32.load (i32.const 192)) (i32.const 2)) (i32.gt_u (i32.load (i32.const 196)) (i32.const 256)))
    (then (return (i32.const 0))))
  (if (call $args_get (i32.const 256) (i32.const 512)) (then (unreachable)))
  (i32.load8_u (i32.load (i32.const 260))))

(func (export "init") (result i32)
  (i32.store (i32.const 200) (call $load_code))
  (i32.const 0))

(func (export "go")
  (call $print (i64.extend_i32_s (i32.load (i32.const 200))))
  (call $start))

(func $start (export "_start")
  (local $what i32)
  (call $print_slot_1)
  (if (i32.eqz (local.tee $what (call $what))) (then (return)))
  (if (i32.eq (local.get $what) (i32.const 101)) ;; e
    (then
      (i32.store (i32.const 204) (i32.const 101))
      (call $call_door (i32.const 1024) (i32.const 26)))
    (else (call $print (i64.extend_i32_s (call $load_code)))))
  (call $print_slot_1)
  (if (i32.eq (local.get $what) (i32.const 114)) (then (call_indirect (type $does) (i32.const 8)))) ;; r
  (if (i32.eq (local.get $what) (i32.const 97)) (then (call_indirect (type $does) (i32.const 9)))) ;; a
  (if (i32.eq (local.get $what) (i32.const 115)) (then (call_indirect (type $does) (i32.const 10)))) ;; s
  (if (i32.eq (local.get $what) (i32.const 116)) (then (call_indirect (type $does) (i32.const 11)))) ;; t
  (if (i32.eq (local.get $what) (i32.const 120)) (then (call_indirect (type $does) (i32.const 12)))) ;; x
  (if (i32.eq (local.get $what) (i32.const 103)) (then (call_indirect (type $does) (i32.const 13))))) ;; g
