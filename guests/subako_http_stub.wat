;; A stub of subako_http whose every request fails, so that a package loads in runtimes that have none.
;; Link it under the name subako_http; sp_http_send and http() then give a failure.
(module
  (func (export "request") (param i32 i32) (result i32) i32.const -1)
  (func (export "read_response") (param i32 i32) (result i32) i32.const -2))
