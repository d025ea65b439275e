// Every import with every pointer at the edges of memory: exact codes, untouched memory, no side effect; Node.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import { CASES, PAGE, variants } from "./pointer-cases.ts";
import { checkEnds, checkHigh, checkImport, checkVectors, makeGuest } from "./pointer-checks.ts";

const { ERRNO_FAULT: FAULT } = wasi;

test("the table covers every import but proc_exit", () => {
  const { host } = makeGuest(1);
  const names = [...Object.keys(host.plain), ...Object.keys(host.blocking)].sort();
  expect(names).toHaveLength(46);
  expect(names.filter((name) => name !== "proc_exit")).toEqual(Object.keys(CASES).sort());
  const calls = Object.values(CASES).flatMap((entry) => [...variants(entry, PAGE)]);
  expect(calls.length).toBeGreaterThan(1000);
});

describe.each([
  ["one page", 1],
  ["3 GiB", 49_152],
])("a memory of %s", (_name, pages) => {
  test.each(Object.keys(CASES))("%s", (name) => {
    expect(checkImport(makeGuest(pages), name)).toEqual([]);
  });

  test("ranges that end exactly where memory ends are good", () => {
    expect(checkEnds(makeGuest(pages))).toEqual([]);
  });

  test("a buffer behind an iovec is checked before any byte moves", () => {
    expect(checkVectors(makeGuest(pages))).toEqual([]);
  });
});

test("pointers at and above 2 GiB do what those below do", () => {
  expect(checkHigh(new WebAssembly.Memory({ initial: 49_152 }))).toEqual([]);
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
