// What is kept of an init that makes no snapshot: however much it wrote, the end of it; Node.
import { expect, test } from "vitest";
import { takeSnapshot } from "../../../src/worker/snapshot.ts";
import { wat } from "../wasm/wat.ts";

/** Writes ten lines, in which one character takes two bytes, three hundred times to both streams in turns; gives 3. */
const FLOOD = `(module
  (import "wasi_snapshot_preview1" "fd_write"
    (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\10\\00\\00\\00\\32\\00\\00\\00")
  (data (i32.const 16) "${"m\\c3\\b6r\\n".repeat(10)}")
  (func (export "init") (result i32)
    (local $left i32)
    (local.set $left (i32.const 300))
    (loop $more
      (drop (call $write (i32.add (i32.const 1) (i32.and (local.get $left) (i32.const 1)))
        (i32.const 0) (i32.const 1) (i32.const 8)))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (i32.const 3))
  (func (export "go")))`;

test("the last 4,096 characters, in whole characters", async () => {
  const module = new WebAssembly.Module(wat(FLOOD));
  const spec = { init: "init", run: "go", args: [], env: {}, entries: [], timeoutMs: 60_000 };
  const taken = await takeSnapshot(module, spec, "flood");
  expect(taken).toEqual({
    ended: { end: "exited", exitCode: 3, reason: undefined, said: "mör\n".repeat(1024) },
  });
});
