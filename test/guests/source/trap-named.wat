;; Guest: traps in a function that the name section calls check_the_total. names
(memory (export "memory") 1)
(func $check_the_total (param $total i32) (if (i32.gt_s (local.get $total) (i32.const 10)) (then (unreachable))))
(func $run (export "_start") (call $check_the_total (i32.const 11)))
