// Guests that work on files and time themselves, as WebAssembly text; each prints its nanoseconds on stderr; Node.

const imports = {
  sched_yield: "",
  clock_time_get: "i32 i64 i32",
  fd_write: "i32 i32 i32 i32",
  fd_read: "i32 i32 i32 i32",
  fd_seek: "i32 i64 i32 i32",
  fd_close: "i32",
  fd_readdir: "i32 i32 i32 i64 i32",
  path_open: "i32 i32 i32 i32 i32 i64 i64 i32 i32",
  path_filestat_get: "i32 i32 i32 i32 i32",
  path_unlink_file: "i32 i32 i32",
};

const importLines = Object.entries(imports).map(
  ([name, parameters]) =>
    `(import "wasi_snapshot_preview1" "${name}" (func $${name} (param ${parameters}) (result i32)))`,
);

/**
 * What they share. Memory: an iovec at 0, results from 8 on, a path of six bytes at 64, digits before 1024, structures
 * from 2048 on, data from 65536 on. Whatever does not go as it should traps, so that nothing is timed that was not done.
 */
const shared = `
  ${importLines.join("\n  ")}
  (memory (export "memory") 4)
  (data (i32.const 64) "f00000")
  (func $check (param $errno i32) (if (local.get $errno) (then (unreachable))))
  (func $now (result i64)
    (call $check (call $clock_time_get (i32.const 1) (i64.const 1) (i32.const 16)))
    (i64.load (i32.const 16)))
  (func $vector (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length)))
  (func $print_since (param $start i64)
    (local $left i64) (local $at i32)
    (local.set $left (i64.sub (call $now) (local.get $start)))
    (local.set $at (i32.const 1023))
    (i32.store8 (local.get $at) (i32.const 10))
    (loop $digits
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at)
        (i32.add (i32.const 48) (i32.wrap_i64 (i64.rem_u (local.get $left) (i64.const 10)))))
      (local.set $left (i64.div_u (local.get $left) (i64.const 10)))
      (br_if $digits (i64.ne (local.get $left) (i64.const 0))))
    (call $vector (local.get $at) (i32.sub (i32.const 1024) (local.get $at)))
    (call $check (call $fd_write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $name (param $number i32)
    (local $at i32)
    (local.set $at (i32.const 70))
    (loop $digits
      (local.set $at (i32.sub (local.get $at) (i32.const 1)))
      (i32.store8 (local.get $at)
        (i32.add (i32.const 48) (i32.rem_u (local.get $number) (i32.const 10))))
      (local.set $number (i32.div_u (local.get $number) (i32.const 10)))
      (br_if $digits (i32.gt_u (local.get $at) (i32.const 65)))))
  (func $open (param $flags i32) (param $how i32) (result i32)
    (call $check (call $path_open (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 6)
      (local.get $flags) (i64.const 0x1fffffff) (i64.const 0) (local.get $how) (i32.const 24)))
    (i32.load (i32.const 24)))
  (func $write (param $fd i32) (param $length i32) (param $times i32)
    (call $vector (i32.const 65536) (local.get $length))
    (loop $more
      (call $check (call $fd_write (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))
      (call $check (i32.ne (i32.load (i32.const 8)) (local.get $length)))
      (br_if $more (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))
  (func $read (param $fd i32) (param $length i32) (param $times i32)
    (call $vector (i32.const 65536) (local.get $length))
    (loop $more
      (call $check (call $fd_read (local.get $fd) (i32.const 0) (i32.const 1) (i32.const 8)))
      (call $check (i32.ne (i32.load (i32.const 8)) (local.get $length)))
      (br_if $more (local.tee $times (i32.sub (local.get $times) (i32.const 1))))))
  (func $rewind (param $fd i32)
    (call $check (call $fd_seek (local.get $fd) (i64.const 0) (i32.const 0) (i32.const 32))))
  (func $close (param $fd i32) (call $check (call $fd_close (local.get $fd))))`;

/** CREAT and TRUNC. */
const NEW = "(i32.const 9)";
const APPEND = "(i32.const 1)";

const guest = (locals: string, body: string): string => `(module ${shared}
  (func (export "_start") (local $start i64) ${locals}
    ${body}))`;

const timed = (body: string): string => `
    (local.set $start (call $now))
    ${body}
    (call $print_since (local.get $start))`;

/** A million calls of sched_yield after a warm-up. */
const yields = guest(
  "(local $left i32)",
  `(local.set $left (i32.const 300000))
    (loop $warm
      (drop (call $sched_yield))
      (br_if $warm (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (local.set $left (i32.const 1000000))
    ${timed(`(loop $more
      (drop (call $sched_yield))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))`)}`,
);

/** One byte at a time, to a file or to stdout. */
const bytes = (target: "file" | "stdout", times: number): string =>
  guest(
    "(local $fd i32)",
    `(local.set $fd ${target === "file" ? `(call $open ${NEW} (i32.const 0))` : "(i32.const 1)"})
    ${timed(`(call $write (local.get $fd) (i32.const 1) (i32.const ${times}))`)}`,
  );

/** A file written in parts, then read by 4 KiB: two times. */
const appends = (mebibytes: number, part: number): string => {
  const times = (mebibytes * 2 ** 20) / part;
  const reads = (mebibytes * 2 ** 20) / 4096;
  return guest(
    "(local $fd i32)",
    `(local.set $fd (call $open ${NEW} ${APPEND}))
    ${timed(`(call $write (local.get $fd) (i32.const ${part}) (i32.const ${times}))`)}
    (call $rewind (local.get $fd))
    ${timed(`(call $read (local.get $fd) (i32.const 4096) (i32.const ${reads}))`)}
    (call $close (local.get $fd))`,
  );
};

/** A file of 4 MiB that is opened, appended to and closed again and again, as a log is. */
const logFile = (times: number): string =>
  guest(
    "(local $fd i32) (local $left i32)",
    `(local.set $fd (call $open ${NEW} (i32.const 0)))
    (call $write (local.get $fd) (i32.const 65536) (i32.const 64))
    (call $close (local.get $fd))
    (local.set $left (i32.const ${times}))
    ${timed(`(loop $more
      (local.set $fd (call $open (i32.const 0) ${APPEND}))
      (call $write (local.get $fd) (i32.const 100) (i32.const 1))
      (call $close (local.get $fd))
      (br_if $more (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))`)}`,
  );

/** Files made, looked at and removed, or listed by 16 KiB in between: three times, or one. */
const manyFiles = (count: number, what: "names" | "listing"): string => {
  const each = (body: string): string => `(local.set $number (i32.const 0))
    (loop $more
      (call $name (local.get $number))
      ${body}
      (br_if $more (i32.lt_u
        (local.tee $number (i32.add (local.get $number) (i32.const 1))) (i32.const ${count}))))`;
  // An entry is 24 bytes and its name; its first eight are the cookie to go on with.
  const list = `(loop $parts
      (call $check (call $fd_readdir (i32.const 3) (i32.const 65536) (i32.const 16384)
        (local.get $cookie) (i32.const 8)))
      (local.set $end (i32.add (i32.const 65536) (i32.load (i32.const 8))))
      (local.set $at (i32.const 65536))
      (block $cut (loop $entries
        (br_if $cut (i32.gt_u (i32.add (local.get $at) (i32.const 24)) (local.get $end)))
        (local.set $next (i32.add (i32.add (local.get $at) (i32.const 24))
          (i32.load (i32.add (local.get $at) (i32.const 16)))))
        (br_if $cut (i32.gt_u (local.get $next) (local.get $end)))
        (local.set $cookie (i64.load (local.get $at)))
        (local.set $seen (i32.add (local.get $seen)
          (i32.eq (i32.load8_u (i32.add (local.get $at) (i32.const 24))) (i32.const 102))))
        (local.set $at (local.get $next))
        (br $entries)))
      (br_if $parts (i32.eq (i32.load (i32.const 8)) (i32.const 16384))))
      (call $check (i32.ne (local.get $seen) (i32.const ${count})))`;
  const make = each(`(call $close (call $open ${NEW} (i32.const 0)))`);
  const look =
    each(`(call $check (call $path_filestat_get (i32.const 3) (i32.const 1) (i32.const 64)
        (i32.const 6) (i32.const 2048)))`);
  const remove = each(
    "(call $check (call $path_unlink_file (i32.const 3) (i32.const 64) (i32.const 6)))",
  );
  return guest(
    "(local $number i32) (local $cookie i64) (local $end i32) (local $at i32) (local $next i32) (local $seen i32)",
    what === "listing" ? make + timed(list) : timed(make) + timed(look) + timed(remove),
  );
};

/** All of them, as they are served. */
export const fileGuests: Readonly<Record<string, string>> = {
  yields,
  "bytes-to-file": bytes("file", 20_000),
  "bytes-to-stdout": bytes("stdout", 20_000),
  "appends-1-by-4": appends(1, 4096),
  "appends-1-by-64": appends(1, 65_536),
  "appends-16-by-4": appends(16, 4096),
  "appends-64-by-4": appends(64, 4096),
  "appends-64-by-64": appends(64, 65_536),
  "log-500": logFile(500),
  "names-1000": manyFiles(1000, "names"),
  "names-10000": manyFiles(10_000, "names"),
  "listing-1000": manyFiles(1000, "listing"),
  "listing-10000": manyFiles(10_000, "listing"),
};
