;; Guest: host_alloc throws a WebAssembly exception.
;; include: write door list-frame
(tag $refusal)
(func (export "host_alloc") (param i32) (result i32) (throw $refusal))
