// A guest that calls every import with every range that leaves its memory, and says which call was not FAULT; Node.

import { wasi } from "@bjorn3/browser_wasi_shim";
import wabtFactory from "wabt";
import { CASES, outside, PAGE, variants, type Args } from "./pointer-cases.ts";

const typeOf = (arg: number | bigint): string => (typeof arg === "bigint" ? "i64" : "i32");
const constants = (args: Args): string =>
  args.map((arg) => `(${typeOf(arg)}.const ${arg})`).join(" ");

/** The memory that good arguments point to is summed up after each call, with the last 4 KiB. */
const shared = (end: number): string => `
  (memory (export "memory") ${end / PAGE})
  (global $sum (mut i64) (i64.const 0))
  (func $add (param $at i32) (param $end i32) (param $sum i64) (result i64)
    (loop $more
      (local.set $sum (i64.mul (i64.const 0x100000001b3)
        (i64.xor (local.get $sum) (i64.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $more (i32.ne (local.get $at) (local.get $end))))
    (local.get $sum))
  (func $memory_sum (result i64)
    (call $add (i32.const ${(end - 4096) | 0}) (i32.const ${end | 0})
      (call $add (i32.const 0) (i32.const 32768) (i64.const 1))))
  (func $prepare
    (memory.fill (i32.const 0) (i32.const 0xaa) (i32.const 32768))
    (i32.store (i32.const 128) (i32.const 4096))
    (i32.store (i32.const 132) (i32.const 8))
    (i32.store (i32.const 512) (i32.const 0x77656e))
    (i32.store8 (i32.const 576) (i32.const 102))
    (i32.store8 (i32.const 640) (i32.const 108))
    (i32.store8 (i32.const 704) (i32.const 100))
    (memory.fill (i32.const 1024) (i32.const 0) (i32.const 48)))
  (func $print (param $stream i32) (param $number i32)
    (local $at i32)
    (local.set $at (i32.const 40063))
    (i32.store8 (local.get $at) (i32.const 10))
    (loop $digits
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at)
        (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
      (br_if $digits (local.tee $number (i32.div_u (local.get $number) (i32.const 10)))))
    (i32.store (i32.const 40000) (local.get $at))
    (i32.store (i32.const 40004) (i32.sub (i32.const 40064) (local.get $at)))
    (drop (call $fd_write (local.get $stream) (i32.const 40000) (i32.const 1) (i32.const 40008))))
  (func $expect (param $errno i32) (param $call i32)
    (if (i32.or
        (i32.ne (local.get $errno) (i32.const ${wasi.ERRNO_FAULT}))
        (i64.ne (call $memory_sum) (global.get $sum)))
      (then
        (call $print (i32.const 2) (local.get $call))
        (call $prepare))))`;

/** Opens "f" as 4 and links "l" to it, as the tests of the unit do; at the end 4 has not moved, and 5 is free. */
const start = (bodies: number, calls: number): string => `
  (func (export "_start")
    (call $prepare)
    (if (call $path_symlink ${constants([576, 1, 3, 640, 1])}) (then (unreachable)))
    (call $open (i32.const 4))
    (call $prepare)
    (global.set $sum (call $memory_sum))
    ${Array.from({ length: bodies }, (_, i) => `(call $calls${i})`).join(" ")}
    (if (call $fd_tell (i32.const 4) (i32.const 16)) (then (unreachable)))
    (if (i64.ne (i64.load (i32.const 16)) (i64.const 0)) (then (unreachable)))
    (call $open (i32.const 5))
    (call $print (i32.const 1) (i32.const ${calls})))
  (func $open (param $wanted i32)
    (if (call $path_open ${constants([3, 0, 576, 1, 0, 0x1fffffffn, 0n, 0, 8192])})
      (then (unreachable)))
    (if (i32.ne (i32.load (i32.const 8192)) (local.get $wanted)) (then (unreachable))))`;

/** The guest for a memory of so many pages. Its stdout is the number of calls, its stderr the numbers of the bad ones. */
export async function pointerGuest(pages: number): Promise<{ bytes: Uint8Array; calls: string[] }> {
  const end = pages * PAGE;
  const calls: string[] = [];
  const imports: string[] = [];
  const bodies: string[] = [];
  for (const [name, entry] of Object.entries(CASES)) {
    const types = entry.args.map((arg) => typeOf(arg)).join(" ");
    imports.push(
      `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param ${types}) (result i32)))`,
    );
    const lines: string[] = [];
    for (const args of variants(entry, end)) {
      if (!outside(entry, args, end)) continue;
      lines.push(`(call $expect (call $${name} ${constants(args)}) (i32.const ${calls.length}))`);
      calls.push(`${name}(${args.join()})`);
    }
    bodies.push(`(func $calls${bodies.length} ${lines.join("\n")})`);
  }
  const text = ["(module", ...imports, shared(end), ...bodies, start(bodies.length, calls.length)];
  const wabt = await wabtFactory();
  const module = wabt.parseWat("pointers.wat", `${text.join("\n")})`, { bulk_memory: true });
  try {
    return { bytes: module.toBinary({}).buffer, calls };
  } finally {
    module.destroy();
  }
}
