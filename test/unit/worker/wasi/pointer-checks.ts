// What has to hold for the pointers of every import, as checks that run anywhere; Node and worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { CASES, edges, lengthsFor, outside, variants, type Args } from "./pointer-cases.ts";
import { TestGuest } from "./test-guest.ts";

const { ERRNO_FAULT: FAULT } = wasi;
/** What is compared after each call: all that good arguments point to, and the end of memory. */
const LOW = 32_768;
const HIGH = 4096;

/** Files "f" (open as 4) and "d", and a link "l" to "f". */
export function makeGuest(memory: number | WebAssembly.Memory): TestGuest {
  const room = typeof memory === "number" ? { pages: memory } : { memory };
  const deterministic = { seed: 1, timeMs: 1e12 };
  const files = { "/f": "content", "/d": {} };
  const guest = new TestGuest({ files, ...room, env: { A: "b" }, deterministic });
  if (guest.open("f") !== 4 || guest.symlink("f", "l") !== 0) throw new Error("no guest to test");
  return guest;
}

/** Puts what good arguments point to into memory, `base` bytes further up. */
function prepare(guest: TestGuest, base = 0): void {
  guest.bytes.fill(0xaa, base, base + LOW);
  guest.view.setUint32(base + 128, base + 4096, true);
  guest.view.setUint32(base + 132, 8, true);
  guest.put("new", base + 512);
  guest.put("f", base + 576);
  guest.put("l", base + 640);
  guest.put("d", base + 704);
  guest.bytes.fill(0, base + 1024, base + 1024 + 48);
}

/** Everything of the files that an import could change, with the position of descriptor 4. */
function state(guest: TestGuest): string {
  const saved = guest.bytes.slice(0, LOW);
  const position = guest.call("fd_tell", 4, 0) === 0 ? guest.u64(0) : "none";
  const names = guest.list(".").map((name) => [name, String(stat(guest, name))]);
  guest.bytes.set(saved, 0);
  return JSON.stringify([names, String(position)]);
}

function stat(guest: TestGuest, name: string): unknown {
  const found = guest.stat(name, false);
  return typeof found === "number" ? found : Object.values(found).join();
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Makes a call that has to be FAULT, and says what else it was or did. */
function faults(guest: TestGuest, before: string, name: string, args: Args): string[] {
  const end = guest.bytes.length;
  const low = guest.bytes.slice(0, LOW);
  const high = guest.bytes.slice(end - HIGH);
  const what = `${name}(${args.join()})`;
  const problems: string[] = [];
  const errno = guest.call(name, ...args);
  if (errno !== FAULT) problems.push(`${what} gave ${errno}`);
  if (!same(low, guest.bytes.subarray(0, LOW))) problems.push(`${what} wrote low memory`);
  if (!same(high, guest.bytes.subarray(end - HIGH))) problems.push(`${what} wrote high memory`);
  if (state(guest) !== before) problems.push(`${what} changed the files`);
  return problems;
}

/** Every variant of an import whose ranges leave memory: FAULT, and nothing has happened. */
export function checkImport(guest: TestGuest, name: string): string[] {
  const entry = CASES[name]!;
  const end = guest.bytes.length;
  const before = state(guest);
  const problems: string[] = [];
  for (const args of variants(entry, end)) {
    if (!outside(entry, args, end)) continue;
    prepare(guest);
    problems.push(...faults(guest, before, name, args));
  }
  return problems;
}

/** Ranges that end exactly where memory ends are good. */
export function checkEnds(guest: TestGuest): string[] {
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(CASES)) {
    for (const { at, size } of entry.pointers) {
      if (typeof size !== "number") continue;
      prepare(guest);
      const args = [...entry.args];
      args[at] = (guest.bytes.length - size) | 0;
      if (guest.call(name, ...args) === FAULT) problems.push(`${name}(${args.join()})`);
    }
  }
  return problems;
}

/** A buffer behind an iovec is checked before any byte moves. */
export function checkVectors(guest: TestGuest): string[] {
  const before = state(guest);
  const end = guest.bytes.length;
  const problems: string[] = [];
  for (const name of ["fd_read", "fd_write", "fd_pread", "fd_pwrite"]) {
    const place: bigint[] = name.startsWith("fd_p") ? [0n] : [];
    for (const pointer of edges(end)) {
      for (const length of lengthsFor(end)) {
        if (pointer + length <= end) continue;
        prepare(guest);
        // The first buffer is good, so that a half-done call would show.
        guest.view.setUint32(136, pointer, true);
        guest.view.setUint32(140, length, true);
        const told = faults(guest, before, name, [4, 128, 2, ...place, 0]);
        problems.push(...told.map((problem) => `${problem}, for ${length} bytes at ${pointer}`));
      }
    }
  }
  return problems;
}

/** What a call gives, and what it leaves in memory, when all it points to lies `base` bytes further up. */
function answerAt(guest: TestGuest, name: string, base: number): string {
  prepare(guest, base);
  const args = [...CASES[name]!.args];
  for (const { at } of CASES[name]!.pointers) args[at] = (Number(args[at]) + base) | 0;
  const errno = guest.call(name, ...args);
  // Pointers among what it left are told from the base on.
  const left = guest.bytes.slice(base, base + LOW);
  const view = new DataView(left.buffer);
  for (const at of ["args_get", "environ_get"].includes(name) ? [0] : []) {
    view.setUint32(at, view.getUint32(at, true) - base, true);
  }
  view.setUint32(128, view.getUint32(128, true) - base, true);
  return `${errno} ${left.join()} ${state(guest)}`;
}

/** Pointers at and above 2 GiB are as good as those below. */
export function checkHigh(memory: WebAssembly.Memory): string[] {
  return Object.keys(CASES).filter(
    (name) => answerAt(makeGuest(memory), name, 0) !== answerAt(makeGuest(memory), name, 2 ** 31),
  );
}
