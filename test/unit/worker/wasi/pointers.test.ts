// Every import with every pointer at the edges of memory: exact codes, untouched memory, no side effect.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import { TestGuest } from "./test-guest.ts";

const PAGE = 65_536;
const { ERRNO_FAULT: FAULT } = wasi;

/** A pointer argument: where it is in the argument list, and how long the range behind it is. */
interface Pointer {
  readonly at: number;
  /** Bytes, or the index of the argument that says how many, times the size of an item. */
  readonly size: number | { readonly argument: number; readonly item: number };
}

interface Case {
  /** Arguments that succeed (or fail for a reason of their own that is no FAULT). */
  readonly args: readonly (number | bigint)[];
  readonly pointers: readonly Pointer[];
}

const bytes = (at: number, size: number): Pointer => ({ at, size });
const range = (at: number, item = 1): Pointer => ({ at, size: { argument: at + 1, item } });

/** Good arguments point into the first 32 KiB; a file "f" is open as 4. */
const CASES: Record<string, Case> = {
  args_sizes_get: { args: [0, 8], pointers: [bytes(0, 4), bytes(1, 4)] },
  args_get: { args: [0, 64], pointers: [bytes(0, 4), bytes(1, 6)] },
  environ_sizes_get: { args: [0, 8], pointers: [bytes(0, 4), bytes(1, 4)] },
  environ_get: { args: [0, 64], pointers: [bytes(0, 4), bytes(1, 4)] },
  clock_res_get: { args: [0, 0], pointers: [bytes(1, 8)] },
  clock_time_get: { args: [0, 0n, 0], pointers: [bytes(2, 8)] },
  random_get: { args: [0, 16], pointers: [range(0)] },
  fd_advise: { args: [4, 0n, 0n, 0], pointers: [] },
  fd_allocate: { args: [4, 0n, 1n], pointers: [] },
  fd_close: { args: [99], pointers: [] },
  fd_datasync: { args: [4], pointers: [] },
  fd_sync: { args: [4], pointers: [] },
  fd_fdstat_get: { args: [4, 0], pointers: [bytes(1, 24)] },
  fd_fdstat_set_flags: { args: [4, 0], pointers: [] },
  fd_fdstat_set_rights: { args: [4, 0n, 0n], pointers: [] },
  fd_filestat_get: { args: [4, 0], pointers: [bytes(1, 64)] },
  fd_filestat_set_size: { args: [4, 0n], pointers: [] },
  fd_filestat_set_times: { args: [4, 0n, 0n, 0], pointers: [] },
  fd_pread: { args: [4, 128, 1, 0n, 0], pointers: [range(1, 8), bytes(4, 4)] },
  fd_pwrite: { args: [4, 128, 1, 0n, 0], pointers: [range(1, 8), bytes(4, 4)] },
  fd_read: { args: [4, 128, 1, 0], pointers: [range(1, 8), bytes(3, 4)] },
  fd_write: { args: [4, 128, 1, 0], pointers: [range(1, 8), bytes(3, 4)] },
  fd_prestat_get: { args: [3, 0], pointers: [bytes(1, 8)] },
  fd_prestat_dir_name: { args: [3, 0, 16], pointers: [range(1)] },
  fd_readdir: { args: [3, 256, 200, 0n, 0], pointers: [range(1), bytes(4, 4)] },
  fd_renumber: { args: [99, 98], pointers: [] },
  fd_seek: { args: [4, 0n, 1, 0], pointers: [bytes(3, 8)] },
  fd_tell: { args: [4, 0], pointers: [bytes(1, 8)] },
  path_create_directory: { args: [3, 512, 3], pointers: [range(1)] },
  path_filestat_get: { args: [3, 0, 576, 1, 0], pointers: [range(2), bytes(4, 64)] },
  path_filestat_set_times: { args: [3, 0, 576, 1, 0n, 0n, 0], pointers: [range(2)] },
  path_link: { args: [3, 0, 576, 1, 3, 512, 3], pointers: [range(2), range(5)] },
  path_open: {
    args: [3, 0, 512, 3, wasi.OFLAGS_CREAT, 0n, 0n, 0, 0],
    pointers: [range(2), bytes(8, 4)],
  },
  path_readlink: { args: [3, 640, 1, 256, 16, 0], pointers: [range(1), range(3), bytes(5, 4)] },
  path_remove_directory: { args: [3, 704, 1], pointers: [range(1)] },
  path_rename: { args: [3, 576, 1, 3, 512, 3], pointers: [range(1), range(4)] },
  path_symlink: { args: [576, 1, 3, 512, 3], pointers: [range(0), range(3)] },
  path_unlink_file: { args: [3, 576, 1], pointers: [range(1)] },
  poll_oneoff: {
    args: [1024, 2048, 1, 0],
    pointers: [
      { at: 0, size: { argument: 2, item: 48 } },
      { at: 1, size: { argument: 2, item: 32 } },
      bytes(3, 4),
    ],
  },
  proc_raise: { args: [0], pointers: [] },
  sched_yield: { args: [], pointers: [] },
  sock_accept: { args: [4, 0, 0], pointers: [bytes(2, 4)] },
  sock_recv: { args: [4, 128, 1, 0, 0, 8], pointers: [range(1, 8), bytes(4, 4), bytes(5, 4)] },
  sock_send: { args: [4, 128, 1, 0, 0], pointers: [range(1, 8), bytes(4, 4)] },
  sock_shutdown: { args: [4, 0], pointers: [] },
};

function makeGuest(pages: number): TestGuest {
  const guest = new TestGuest({ files: { "/f": "content", "/d": {} }, pages, env: { A: "b" } });
  expect(guest.open("f")).toBe(4);
  expect(guest.symlink("f", "l")).toBe(0);
  return guest;
}

/** Puts what good arguments point to into memory. */
function prepare(guest: TestGuest): void {
  guest.bytes.fill(0xaa, 0, 32_768);
  guest.view.setUint32(128, 4096, true);
  guest.view.setUint32(132, 8, true);
  guest.put("new", 512);
  guest.put("f", 576);
  guest.put("l", 640);
  guest.put("d", 704);
  guest.bytes.fill(0, 1024, 1024 + 48);
}

/** Everything of the files that an import could change, with the position of descriptor 4. */
function state(guest: TestGuest): string {
  const saved = guest.bytes.slice(0, 32_768);
  guest.call("fd_tell", 4, 0);
  const position = guest.u64(0);
  const names = guest.list(".").map((name) => [name, String(stat(guest, name))]);
  guest.bytes.set(saved, 0);
  return JSON.stringify([names, String(position)]);
}

function stat(guest: TestGuest, name: string): unknown {
  const found = guest.stat(name, false);
  return typeof found === "number" ? found : Object.values(found).join();
}

const lengthsFor = (end: number): number[] => [0, 1, 24, 4096, end, 0xffff_ffff];

function edges(end: number): number[] {
  return [0, 1, end - 1, end, end + 1, 2 ** 31, 2 ** 32 - 1].map((pointer) => pointer >>> 0);
}

/** Does a range of the case lie outside memory? */
function outside(entry: Case, args: readonly (number | bigint)[], end: number): boolean {
  return entry.pointers.some(({ at, size }) => {
    const length =
      typeof size === "number" ? size : (Number(args[size.argument]) >>> 0) * size.item;
    return (Number(args[at]) >>> 0) + length > end;
  });
}

function* variants(entry: Case, end: number): Generator<(number | bigint)[]> {
  for (const { at, size } of entry.pointers) {
    for (const pointer of edges(end)) {
      const lengths = typeof size === "number" ? [undefined] : lengthsFor(end);
      for (const length of lengths) {
        const args = [...entry.args];
        // As WebAssembly passes it: signed.
        args[at] = pointer | 0;
        if (typeof size !== "number" && length !== undefined) args[size.argument] = length | 0;
        yield args;
      }
    }
  }
}

describe.each([
  ["one page", 1],
  ["3 GiB", 49_152],
])("a memory of %s", (_name, pages) => {
  const end = pages * PAGE;

  test("the table covers every import but proc_exit", () => {
    const { host } = makeGuest(1);
    const names = [...Object.keys(host.plain), ...Object.keys(host.blocking)].sort();
    expect(names).toHaveLength(46);
    expect(names.filter((name) => name !== "proc_exit")).toEqual(Object.keys(CASES).sort());
  });

  test.each(Object.entries(CASES))("%s", (name, entry) => {
    const guest = makeGuest(pages);
    const before = state(guest);
    for (const args of variants(entry, end)) {
      prepare(guest);
      const low = guest.bytes.slice(0, 32_768);
      const high = guest.bytes.slice(end - 4096);
      const out = outside(entry, args, end);
      if (!out) continue;
      expect(guest.call(name, ...args), `${name}(${args.join()})`).toBe(FAULT);
      expect(Buffer.compare(low, guest.bytes.subarray(0, 32_768)), `${name}(${args.join()})`).toBe(
        0,
      );
      expect(Buffer.compare(high, guest.bytes.subarray(end - 4096))).toBe(0);
      expect(state(guest)).toBe(before);
    }
  });

  test("ranges that end exactly where memory ends are good", () => {
    const guest = makeGuest(pages);
    for (const [name, entry] of Object.entries(CASES)) {
      for (const { at, size } of entry.pointers) {
        if (typeof size !== "number") continue;
        prepare(guest);
        const args = [...entry.args];
        args[at] = (end - size) | 0;
        expect(guest.call(name, ...args), `${name}(${args.join()})`).not.toBe(FAULT);
      }
    }
  });

  test("a buffer behind an iovec is checked before any byte moves", () => {
    const guest = makeGuest(pages);
    const before = state(guest);
    for (const name of ["fd_read", "fd_write", "fd_pread", "fd_pwrite"]) {
      const place: bigint[] = name.startsWith("fd_p") ? [0n] : [];
      for (const pointer of edges(end)) {
        for (const length of lengthsFor(end)) {
          if (pointer + length <= end) continue;
          prepare(guest);
          // The first buffer is good, so that a half-done call would show.
          guest.view.setUint32(136, pointer, true);
          guest.view.setUint32(140, length, true);
          const low = guest.bytes.slice(0, 32_768);
          expect(guest.call(name, 4, 128, 2, ...place, 0), `${name} ${pointer} ${length}`).toBe(
            FAULT,
          );
          expect(Buffer.compare(low, guest.bytes.subarray(0, 32_768))).toBe(0);
          expect(state(guest)).toBe(before);
        }
      }
    }
  });
});

describe("more than fits", () => {
  test("1,025 iovecs are INVAL, 1,024 are read", () => {
    const guest = makeGuest(2);
    for (let i = 0; i < 1025; i++) {
      guest.view.setUint32(40_000 + i * 8, 60_000 + i, true);
      guest.view.setUint32(40_004 + i * 8, 1, true);
    }
    expect(guest.call("fd_read", 4, 40_000, 1025, 0)).toBe(wasi.ERRNO_INVAL);
    expect(guest.call("fd_read", 4, 40_000, 1024, 0)).toBe(0);
    expect(guest.u32(0)).toBe(7);
  });

  test("more than 4 GiB in one write is INVAL, whatever it is made of", () => {
    const guest = makeGuest(49_152);
    for (let i = 0; i < 2; i++) {
      guest.view.setUint32(1024 + i * 8, 0, true);
      guest.view.setUint32(1028 + i * 8, 0xbfff_0000, true);
    }
    expect(guest.call("fd_write", 1, 1024, 2, 0)).toBe(wasi.ERRNO_INVAL);
    expect(guest.output[1]).toHaveLength(0);
  });

  test("empty ranges are good right after memory has grown", () => {
    const guest = makeGuest(1);
    const empty: [string, (number | bigint)[], number][] = [
      ["random_get", [0, 0], 0],
      ["fd_prestat_dir_name", [3, 0, 0], wasi.ERRNO_NAMETOOLONG],
      ["path_create_directory", [3, 0, 0], wasi.ERRNO_NOENT],
      ["path_symlink", [0, 0, 3, 0, 0], wasi.ERRNO_NOENT],
      ["path_rename", [3, 0, 0, 3, 0, 0], wasi.ERRNO_NOENT],
      ["fd_read", [4, 0, 0, 0], 0],
      ["fd_write", [1, 0, 0, 0], 0],
      ["fd_readdir", [3, 0, 0, 0n, 0], 0],
      ["poll_oneoff", [0, 0, 0, 0], wasi.ERRNO_INVAL],
    ];
    for (const [name, args, errno] of empty) {
      guest.memory.grow(1);
      expect(guest.call(name, ...args), name).toBe(errno);
    }
  });

  test("memory that grows is seen at once", () => {
    const guest = makeGuest(1);
    expect(guest.call("fd_tell", 4, PAGE)).toBe(FAULT);
    guest.memory.grow(1);
    expect(guest.call("fd_tell", 4, PAGE)).toBe(0);
    expect(guest.call("args_sizes_get", 2 * PAGE - 8, 2 * PAGE - 4)).toBe(0);
    expect(guest.u32(2 * PAGE - 8)).toBe(1);
  });
});
