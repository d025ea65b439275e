;; Guest: host_alloc gives the request's own place; the request was copied, so the door answers 0.
;; include: write door list-frame
(func (export "host_alloc") (param i32) (result i32) (i32.const 1024))
