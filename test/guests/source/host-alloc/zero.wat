;; Guest: host_alloc gives 0.
;; include: write door list-frame
(func (export "host_alloc") (param i32) (result i32) (i32.const 0))
