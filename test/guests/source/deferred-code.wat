;; Guest: none by itself, but the code that `load-code` loads. It takes functions of that by name, and by slots of its table
;; (0 $write, 1, 2 $call_door), and adds 41 to what slot 1 gave.
(import "primary" "memory" (memory 1))
(import "primary" "__indirect_function_table" (table $table 16 funcref))
(import "primary" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
(import "primary" "host_call" (func $host_call (param i32 i32 i32 i32) (result i32)))
(import "primary" "proc_exit" (func $proc_exit (param i32)))
(import "primary" "print_i64" (func $print_i64 (param i32 i64)))
(import "primary" "0" (func $write (param i32 i32 i32) (result i32)))
(import "primary" "1" (func $first (result i32)))
(import "primary" "2" (func $call_door (param i32 i32)))
(elem (i32.const 1) $first_and_more)
(elem (i32.const 8) $read $ask $spin $trap $exit $grow)

(func $first_and_more (result i32) (i32.add (call $first) (i32.const 41)))

(func $read
  (loop $more
    (i32.store (i32.const 768) (i32.const 800))
    (i32.store (i32.const 772) (i32.const 100))
    (if (call $fd_read (i32.const 0) (i32.const 768) (i32.const 1) (i32.const 776)) (then (unreachable)))
    (drop (call $write (i32.const 1) (i32.const 800) (i32.load (i32.const 776))))
    (br_if $more (i32.load (i32.const 776)))))

;; Once by the guest's own function, and once by the import itself.
(func $ask
  (call $call_door (i32.const 1024) (i32.const 26))
  (call $print_i64 (i32.const 1)
    (i64.extend_i32_s (call $host_call (i32.const 1024) (i32.const 26) (i32.const 96) (i32.const 100)))))

(func $spin (loop $more (br $more)))
(func $trap (unreachable))
(func $exit (call $proc_exit (i32.const 9)))

(func $grow
  (loop $more (br_if $more (i32.ne (memory.grow (i32.const 1)) (i32.const -1))))
  (call $print_i64 (i32.const 1) (i64.extend_i32_u (memory.size))))
