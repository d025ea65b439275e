;; Part: two pages of memory and three globals; $look says what in them is not as it was made, $leave changes all of it.
(memory (export "memory") 2)
(data (i32.const 1024) "as it was made\n")
(global $narrow (mut i32) (i32.const 7))
(global $wide (mut i64) (i64.const 0x123456789abcdef0))
(global $real (mut f64) (f64.const 0.1))

;; 1, 2, 4: a global; 8: memory; 16: its size. The line at 1024 is 15 bytes long, and lies in two words of 8.
(func $look (result i32)
  (local $at i32) (local $sum i64) (local $found i32)
  (local.set $found (i32.ne (global.get $narrow) (i32.const 7)))
  (if (i64.ne (global.get $wide) (i64.const 0x123456789abcdef0))
    (then (local.set $found (i32.or (local.get $found) (i32.const 2)))))
  (if (f64.ne (global.get $real) (f64.const 0.1))
    (then (local.set $found (i32.or (local.get $found) (i32.const 4)))))
  (loop $more
    (if (i32.ne (i32.and (local.get $at) (i32.const -16)) (i32.const 1024))
      (then (local.set $sum (i64.or (local.get $sum) (i64.load (local.get $at))))))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (br_if $more (i32.lt_u (local.get $at) (i32.const 0x20000))))
  (if (i32.or (i32.eqz (i64.eqz (local.get $sum)))
        (i32.or (i64.ne (i64.load (i32.const 1024)) (i64.const 0x6177207469207361))
          (i64.ne (i64.load (i32.const 1032)) (i64.const 0x000a6564616d2073))))
    (then (local.set $found (i32.or (local.get $found) (i32.const 8)))))
  (if (i32.ne (memory.size) (i32.const 2))
    (then (local.set $found (i32.or (local.get $found) (i32.const 16)))))
  (local.get $found))

(func $leave
  (local $at i32)
  (global.set $narrow (i32.const -1))
  (global.set $wide (i64.const -1))
  (global.set $real (f64.const nan))
  (loop $more
    (i64.store (local.get $at) (i64.const -1))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (br_if $more (i32.lt_u (local.get $at) (i32.const 0x20000)))))
