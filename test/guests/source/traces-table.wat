;; Guest: as `traces`, where its table changes, too (32: an entry), so that only a new instance is as it was.
;; argv: anything leaves the table alone.
;; include: traces exit
(import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
(table $table 2 funcref)
(elem $passive func $leave)
(func (export "_start")
  (local $found i32) (local $argc i32)
  (local.set $found (call $look))
  (if (i32.eqz (ref.is_null (table.get $table (i32.const 0))))
    (then (local.set $found (i32.or (local.get $found) (i32.const 32)))))
  (drop (call $args_sizes_get (i32.const 0) (i32.const 4)))
  (local.set $argc (i32.load (i32.const 0)))
  (call $leave)
  (if (i32.eq (local.get $argc) (i32.const 1))
    (then
      (table.init $table $passive (i32.const 0) (i32.const 0) (i32.const 1))
      (elem.drop $passive)))
  (call $proc_exit (local.get $found)))
