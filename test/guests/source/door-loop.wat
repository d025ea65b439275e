;; Guest: the bench's door loop. argv: N (default 1). Sends N frames of exactly 100 bytes, `count({n, pad})` with n from
;; 1000000 up, and checks that each answer holds `"n":` and the same seven digits; prints the answer's length and the N it
;; did, exit code 1 on a wrong answer. Exports `run_calls(N) -> i32` too: calls done, or minus the number of the bad one.
;; include: write args exit
(import "host" "call" (func $host_call (param i32 i32 i32 i32) (result i32)))
(memory (export "memory") 4)
(data (i32.const 1024) "{\"v\":1,\"id\":1,\"op\":\"call\",\"tool\":\"count\",\"args\":{\"n\":0000000,\"pad\":\"abcdefghijklmnopqrstuvwxyzabc\"}}")

;; Answers all land in one place: the next call is made only when the last answer was judged.
(func (export "host_alloc") (param $length i32) (result i32)
  (if (result i32) (i32.gt_u (local.get $length) (i32.const 196608)) (then (i32.const 0)) (else (i32.const 65536))))

;; Writes seven digits at an address.
(func $digits (param $at i32) (param $value i32)
  (local $left i32)
  (local.set $left (i32.const 7))
  (loop $more
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (i32.store8 (i32.add (local.get $at) (local.get $left))
      (i32.add (i32.const 48) (i32.rem_u (local.get $value) (i32.const 10))))
    (local.set $value (i32.div_u (local.get $value) (i32.const 10)))
    (br_if $more (local.get $left))))

;; Whether the answer holds the eleven bytes `"n":` and the digits as they stand in the request at 1073.
(func $answered (result i32)
  (local $at i32) (local $end i32)
  (local.set $at (i32.load (i32.const 96)))
  (local.set $end (i32.sub (i32.add (local.get $at) (i32.load (i32.const 100))) (i32.const 11)))
  (loop $more
    (if (i32.gt_s (local.get $at) (local.get $end)) (then (return (i32.const 0))))
    (if (i64.eq (i64.load align=1 (local.get $at)) (i64.load align=1 (i32.const 1073)))
      (then (if (i32.eq (i32.load offset=7 align=1 (local.get $at)) (i32.load align=1 (i32.const 1080)))
        (then (return (i32.const 1))))))
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (br $more))
  (unreachable))

(func $run_calls (export "run_calls") (param $calls i32) (result i32)
  (local $done i32)
  (block $finished
    (loop $more
      (br_if $finished (i32.ge_u (local.get $done) (local.get $calls)))
      (call $digits (i32.const 1077) (i32.add (i32.const 1000000) (local.get $done)))
      (local.set $done (i32.add (local.get $done) (i32.const 1)))
      (if (call $host_call (i32.const 1024) (i32.const 100) (i32.const 96) (i32.const 100))
        (then (return (i32.sub (i32.const 0) (local.get $done)))))
      (br_if $more (call $answered))
      (return (i32.sub (i32.const 0) (local.get $done)))))
  (local.get $done))

(func (export "_start")
  (local $done i32)
  (call $load_args)
  (local.set $done (call $run_calls (i32.wrap_i64 (call $arg_number (i32.const 1) (i64.const 1)))))
  (call $print_i64 (i32.const 1) (i64.load32_u (i32.const 100)))
  (call $print_i64 (i32.const 1) (i64.extend_i32_s (local.get $done)))
  (if (i32.lt_s (local.get $done) (i32.const 0)) (then (call $proc_exit (i32.const 1)))))
