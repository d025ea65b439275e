// Faults seen in other hosts that the public suite does not notice, one by one.

import { WASI, wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test, vi } from "vitest";
import { DATA, RESULT, STRUCT, TestGuest } from "./test-guest.ts";

const MS = 1_000_000n;

/** Writes a clock subscription at STRUCT + index × 48. */
function subscribeClock(
  guest: TestGuest,
  index: number,
  id: number,
  timeout: bigint,
  absolute: boolean,
): void {
  const at = STRUCT + index * 48;
  guest.bytes.fill(0, at, at + 48);
  guest.view.setBigUint64(at, BigInt(index + 100), true);
  guest.view.setUint32(at + 16, id, true);
  guest.view.setBigUint64(at + 24, timeout, true);
  guest.view.setUint16(at + 40, absolute ? 1 : 0, true);
}

test("argument sizes count UTF-8 bytes", () => {
  const guest = new TestGuest({ args: ["é€😀"], env: { ключ: "値" } });
  guest.call("args_sizes_get", 0, 4);
  expect([guest.u32(0), guest.u32(4)]).toEqual([1, 10]);
  guest.bytes.fill(0xee, 100, 200);
  guest.call("args_get", 64, 100);
  expect(guest.u32(64)).toBe(100);
  expect(new TextDecoder().decode(guest.bytes.slice(100, 109))).toBe("é€😀");
  expect([...guest.bytes.slice(109, 111)]).toEqual([0, 0xee]);
  guest.call("environ_sizes_get", 0, 4);
  expect([guest.u32(0), guest.u32(4)]).toEqual([1, 8 + 1 + 3 + 1]);
});

describe("poll_oneoff", () => {
  test("an absolute deadline is absolute, on both clocks", () => {
    const guest = new TestGuest();
    for (const id of [wasi.CLOCKID_MONOTONIC, wasi.CLOCKID_REALTIME]) {
      guest.call("clock_time_get", id, 0n, DATA);
      const deadline = guest.u64(DATA) + 30n * MS;
      subscribeClock(guest, 0, id, deadline, true);
      guest.view.setUint32(RESULT, 77, true);
      expect(guest.call("poll_oneoff", STRUCT, DATA, 1, RESULT)).toBe(0);
      expect(guest.u32(RESULT)).toBe(1);
      expect(guest.u64(DATA)).toBe(100n);
      expect(guest.bytes[DATA + 10]).toBe(wasi.EVENTTYPE_CLOCK);
      guest.call("clock_time_get", id, 0n, DATA);
      const late = Number(guest.u64(DATA) - deadline) / 1e6;
      expect(late).toBeGreaterThanOrEqual(0);
      expect(late).toBeLessThan(250);
    }
  });

  test("a deadline that has passed answers at once", () => {
    const guest = new TestGuest();
    subscribeClock(guest, 0, wasi.CLOCKID_REALTIME, 1n, true);
    expect(typeof guest.step("poll_oneoff", STRUCT, DATA, 1, RESULT)).toBe("number");
    expect(guest.u32(RESULT)).toBe(1);
  });

  test("the nearest of several clocks wins, and only it is told", () => {
    const guest = new TestGuest();
    subscribeClock(guest, 0, wasi.CLOCKID_MONOTONIC, 60_000n * MS, false);
    subscribeClock(guest, 1, wasi.CLOCKID_MONOTONIC, 5n * MS, false);
    expect(guest.call("poll_oneoff", STRUCT, DATA, 2, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(1);
    expect(guest.u64(DATA)).toBe(101n);
  });

  test("waits asleep, not in a loop", () => {
    const guest = new TestGuest();
    subscribeClock(guest, 0, wasi.CLOCKID_MONOTONIC, 200n * MS, false);
    const before = process.cpuUsage();
    guest.call("poll_oneoff", STRUCT, DATA, 1, RESULT);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(100);
  });

  test("a clock that does not exist, and no subscription at all", () => {
    const guest = new TestGuest();
    subscribeClock(guest, 0, 9, MS, false);
    expect(guest.call("poll_oneoff", STRUCT, DATA, 1, RESULT)).toBe(0);
    expect(guest.view.getUint16(DATA + 8, true)).toBe(wasi.ERRNO_INVAL);
    expect(guest.call("poll_oneoff", STRUCT, DATA, 0, RESULT)).toBe(wasi.ERRNO_INVAL);
  });
});

describe("mkdir", () => {
  test("on what exists is EXIST", () => {
    const guest = new TestGuest({ files: { "/f": "", "/d": {} } });
    for (const path of ["f", "d", "d/", ".", "d/.."]) {
      expect(guest.path("path_create_directory", path), path).toBe(wasi.ERRNO_EXIST);
    }
  });
});

describe("readdir", () => {
  test("deleting while listing loses nothing: 10,000 files are removed as rm -r does", () => {
    const guest = new TestGuest({ files: { "/d": {} } });
    for (let i = 0; i < 10_000; i++) {
      guest.call("fd_close", guest.open(`d/file-${i}`, { oflags: wasi.OFLAGS_CREAT }));
    }
    const fd = guest.openDirectory("d");
    let cookie = 0n;
    let removed = 0;
    for (let end = false; !end;) {
      const part = guest.readdir(fd, 4096, cookie);
      for (const { name, next } of part.entries) {
        cookie = next;
        if (name === "." || name === "..") continue;
        expect(guest.path("path_unlink_file", `d/${name}`)).toBe(0);
        removed++;
      }
      ({ end } = part);
    }
    expect(removed).toBe(10_000);
    expect(guest.path("path_remove_directory", "d")).toBe(0);
  });

  test("a listing ends though each listed name is made anew", () => {
    const guest = new TestGuest({ files: { "/d": { a: "", b: "", c: "" } } });
    const fd = guest.openDirectory("d");
    let cookie = 0n;
    let seen = 0;
    for (let end = false; !end && seen < 100;) {
      const part = guest.readdir(fd, 64, cookie);
      for (const { name, next } of part.entries) {
        cookie = next;
        if (name === "." || name === "..") continue;
        seen++;
        expect(guest.rename(`d/${name}`, `d/${name}x`)).toBe(0);
      }
      ({ end } = part);
    }
    expect(seen).toBe(3);
  });

  test("any cookie can be gone back to", () => {
    const guest = new TestGuest({ files: { "/d": { a: "", b: "", c: "", d: "" } } });
    const fd = guest.openDirectory("d");
    const { entries } = guest.readdir(fd);
    const after = (name: string): bigint => entries.find((entry) => entry.name === name)!.next;
    guest.path("path_unlink_file", "d/b");
    expect(guest.readdir(fd, 4096, after("b")).entries.map(({ name }) => name)).toEqual(["c", "d"]);
    expect(guest.readdir(fd, 4096, after("a")).entries.map(({ name }) => name)).toEqual(["c", "d"]);
  });

  test("an entry that does not fit is cut, and the buffer counts as full", () => {
    const guest = new TestGuest({ files: { "/d": { "a-long-name": "" } } });
    const fd = guest.openDirectory("d");
    for (let room = 0; room < 110; room++) {
      guest.bytes.fill(0xcc, DATA, DATA + 200);
      expect(guest.call("fd_readdir", fd, DATA, room, 0n, RESULT)).toBe(0);
      expect(guest.u32(RESULT)).toBe(Math.min(room, 24 * 3 + 1 + 2 + 11));
      expect(guest.bytes[DATA + room]).toBe(0xcc);
    }
  });
});

test("a read-only tree cannot be changed in any way", () => {
  const readOnly = {
    path: "/",
    source: {
      kind: "image" as const,
      copyOnWrite: false,
      image: {
        id: "i",
        entries: [["file", "f", 0, 4, undefined] as const, ["directory", "d"] as const],
        buffer: new TextEncoder().encode("data").buffer,
      },
    },
  };
  const guest = new TestGuest({ preopens: [readOnly] });
  const ROFS = wasi.ERRNO_ROFS;
  const onlyRead = BigInt(2 ** 30 - 1) & ~BigInt(wasi.RIGHTS_FD_WRITE);
  const fd = guest.open("f", { rights: onlyRead });
  expect(fd).toBeGreaterThan(3);
  expect(guest.call("fd_filestat_set_size", fd, 0n)).toBe(ROFS);
  expect(guest.call("fd_allocate", fd, 0n, 100n)).toBe(ROFS);
  expect(guest.call("fd_filestat_set_times", fd, 0n, 0n, wasi.FSTFLAGS_MTIM)).toBe(ROFS);
  expect(guest.open("f")).toBe(-ROFS);
  expect(guest.open("f", { rights: onlyRead, oflags: wasi.OFLAGS_TRUNC })).toBe(-ROFS);
  expect(guest.open("new", { oflags: wasi.OFLAGS_CREAT })).toBe(-ROFS);
  expect(guest.path("path_create_directory", "e")).toBe(ROFS);
  expect(guest.path("path_remove_directory", "d")).toBe(ROFS);
  expect(guest.path("path_unlink_file", "f")).toBe(ROFS);
  expect(guest.rename("f", "g")).toBe(ROFS);
  expect(guest.link("f", "g")).toBe(ROFS);
  expect(guest.symlink("f", "g")).toBe(ROFS);
  expect(guest.readText(fd)).toBe("data");
});

describe("sizes without sense", () => {
  test("are refused, not thrown", () => {
    const guest = new TestGuest();
    const fd = guest.open("f", { oflags: wasi.OFLAGS_CREAT });
    expect(guest.call("fd_filestat_set_size", fd, 2n ** 50n)).toBe(wasi.ERRNO_NOSPC);
    expect(guest.call("fd_filestat_set_size", fd, 2n ** 63n)).toBe(wasi.ERRNO_FBIG);
    expect(guest.call("fd_allocate", fd, 2n ** 62n, 2n ** 62n)).toBe(wasi.ERRNO_FBIG);
    expect(guest.call("fd_seek", fd, 2n ** 52n, wasi.WHENCE_SET, RESULT)).toBe(0);
    expect(guest.write(fd, "x")).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.call("fd_seek", fd, 2n ** 62n, wasi.WHENCE_SET, RESULT)).toBe(wasi.ERRNO_OVERFLOW);
    expect(guest.call("fd_seek", fd, -1n, wasi.WHENCE_SET, RESULT)).toBe(wasi.ERRNO_INVAL);
    expect(guest.call("fd_seek", fd, 0n, 7, RESULT)).toBe(wasi.ERRNO_INVAL);
    expect((guest.stat(fd) as { size: bigint }).size).toBe(0n);
  });
});

describe("rights", () => {
  test("are reported in full for folders, so that a libc asks for what it needs", () => {
    const guest = new TestGuest();
    guest.call("fd_fdstat_get", 3, STRUCT);
    expect(guest.bytes[STRUCT]).toBe(wasi.FILETYPE_DIRECTORY);
    const needed = wasi.RIGHTS_FD_READ | wasi.RIGHTS_FD_WRITE | wasi.RIGHTS_FD_SEEK;
    expect(Number(guest.u64(STRUCT + 16)) & needed).toBe(needed);
  });

  test("a descriptor has what it asked for and no more", () => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    const reader = guest.open("f", { rights: BigInt(wasi.RIGHTS_FD_READ) });
    expect(guest.write(reader, "x")).toBe(-wasi.ERRNO_BADF);
    expect(guest.readText(reader)).toBe("abc");
    expect(guest.call("fd_seek", reader, 0n, 0, RESULT)).toBe(wasi.ERRNO_NOTCAPABLE);
    expect(guest.call("fd_tell", reader, RESULT)).toBe(wasi.ERRNO_NOTCAPABLE);
    const writer = guest.open("f", { rights: BigInt(wasi.RIGHTS_FD_WRITE) });
    expect(guest.read(writer, 1)).toBe(-wasi.ERRNO_BADF);
    expect(guest.write(writer, "x")).toBe(1);
  });

  test("a folder hands on no more than it inherits", () => {
    const guest = new TestGuest({ files: { "/d": { f: "abc" } } });
    const folder = guest.open("d", {
      oflags: wasi.OFLAGS_DIRECTORY,
      rights: BigInt(wasi.RIGHTS_PATH_OPEN),
      inheriting: BigInt(wasi.RIGHTS_FD_READ),
    });
    expect(guest.open("f", { fd: folder })).toBe(-wasi.ERRNO_NOTCAPABLE);
    const read = { fd: folder, rights: BigInt(wasi.RIGHTS_FD_READ), inheriting: 0n };
    expect(guest.open("f", read)).toBeGreaterThan(3);
    expect(guest.open("g", { ...read, oflags: wasi.OFLAGS_CREAT })).toBe(-wasi.ERRNO_NOTCAPABLE);
    expect(guest.path("path_unlink_file", "f", folder)).toBe(wasi.ERRNO_NOTCAPABLE);
  });
});

describe("descriptors", () => {
  test("renumbering to itself keeps it open", () => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    const fd = guest.open("f");
    expect(guest.call("fd_renumber", fd, fd)).toBe(0);
    expect(guest.readText(fd)).toBe("abc");
    expect(guest.call("fd_renumber", 99, 99)).toBe(wasi.ERRNO_BADF);
  });

  test("the lowest free number is given, however often", () => {
    const guest = new TestGuest({ files: { "/f": "" } });
    for (let i = 0; i < 2000; i++) {
      const fd = guest.open("f");
      expect(fd).toBe(4);
      guest.call("fd_close", fd);
    }
    const [a, b, c] = [guest.open("f"), guest.open("f"), guest.open("f")];
    expect([a, b, c]).toEqual([4, 5, 6]);
    guest.call("fd_close", b);
    guest.call("fd_close", a);
    expect([guest.open("f"), guest.open("f"), guest.open("f")]).toEqual([4, 5, 7]);
    guest.call("fd_renumber", 7, 0);
    expect(guest.open("f")).toBe(7);
    guest.call("fd_close", 1);
    expect(guest.open("f")).toBe(1);
  });
});

describe("path_open", () => {
  const guest = new TestGuest({ files: { "/f": "abc", "/d": {} } });
  const read = { rights: BigInt(wasi.RIGHTS_FD_READ), inheriting: 0n };
  const { OFLAGS_CREAT: CREAT, OFLAGS_DIRECTORY: DIRECTORY, OFLAGS_EXCL: EXCL } = wasi;
  test.each([
    ["an empty path", "", read, wasi.ERRNO_NOENT],
    ["to create a folder", "new", { oflags: CREAT | DIRECTORY }, wasi.ERRNO_INVAL],
    ["to create with a slash at the end", "new/", { oflags: CREAT }, wasi.ERRNO_ISDIR],
    ["a folder for writing", "d", {}, wasi.ERRNO_ISDIR],
    ["a folder to truncate", "d", { ...read, oflags: wasi.OFLAGS_TRUNC }, wasi.ERRNO_ISDIR],
    ["a file as a folder", "f", { ...read, oflags: DIRECTORY }, wasi.ERRNO_NOTDIR],
    ["a file with a slash", "f/", read, wasi.ERRNO_NOTDIR],
    ["through what is missing", "missing/../f", read, wasi.ERRNO_NOENT],
    ["through a file", "f/../f", read, wasi.ERRNO_NOTDIR],
    ["a dot below a file", "f/.", read, wasi.ERRNO_NOTDIR],
    ["what exists, exclusively", "f", { oflags: CREAT | EXCL }, wasi.ERRNO_EXIST],
    ["an absolute path", "/f", read, wasi.ERRNO_NOTCAPABLE],
    ["above the preopen", "../f", read, wasi.ERRNO_NOTCAPABLE],
    ["above it by a detour", "d/../../f", read, wasi.ERRNO_NOTCAPABLE],
    ["with a NUL", "f\0", read, wasi.ERRNO_INVAL],
    ["unknown flags", "f", { ...read, oflags: 64 }, wasi.ERRNO_INVAL],
    ["unknown lookup flags", "f", { ...read, lookup: 2 }, wasi.ERRNO_INVAL],
    ["unknown descriptor flags", "f", { ...read, fdflags: 64 }, wasi.ERRNO_INVAL],
    ["a long path", "a/".repeat(2049), read, wasi.ERRNO_NAMETOOLONG],
    ["a long name", "n".repeat(256), read, wasi.ERRNO_NAMETOOLONG],
    ["a deep path", "./".repeat(129), read, wasi.ERRNO_NAMETOOLONG],
  ])("%s", (_name, path, options, errno) => {
    expect(guest.open(path, options)).toBe(-errno);
    expect(guest.list(".")).toEqual(["f", "d"]);
  });

  test("on a descriptor that is no folder", () => {
    const fd = guest.open("f");
    expect(guest.open("x", { fd })).toBe(-wasi.ERRNO_NOTDIR);
    expect(guest.open("x", { fd: 77 })).toBe(-wasi.ERRNO_BADF);
  });
});

test("a folder cannot be moved into itself", () => {
  const guest = new TestGuest({ files: { "/a/b/c/f": "x" } });
  for (const to of ["a/x", "a/b/x", "a/b/c"]) expect(guest.rename("a", to)).not.toBe(0);
  expect(guest.rename("a", "a/b/x")).toBe(wasi.ERRNO_INVAL);
  // Also when the new place is named from a descriptor inside the folder.
  const inner = guest.openDirectory("a/b");
  expect(guest.rename("a", "x", 3, inner)).toBe(wasi.ERRNO_INVAL);
  expect(guest.readText(guest.open("a/b/c/f"))).toBe("x");
});

test("nothing can be made in a removed folder that is still open", () => {
  const guest = new TestGuest({ files: { "/d": {}, "/f": "" } });
  const fd = guest.openDirectory("d");
  expect(guest.path("path_remove_directory", "d")).toBe(0);
  const NOENT = wasi.ERRNO_NOENT;
  expect(guest.open("x", { fd, oflags: wasi.OFLAGS_CREAT })).toBe(-NOENT);
  expect(guest.path("path_create_directory", "x", fd)).toBe(NOENT);
  expect(guest.symlink("f", "x", fd)).toBe(NOENT);
  expect(guest.link("f", "x", 3, fd)).toBe(NOENT);
  expect(guest.rename("f", "x", 3, fd)).toBe(NOENT);
  expect(guest.readdir(fd).entries.map(({ name }) => name)).toEqual([".", ".."]);
});

describe("stat", () => {
  test("has links, inode, device and the time of a real clock", () => {
    const guest = new TestGuest({ files: { "/f": "abc", "/d/e": {} } });
    const now = BigInt(Date.now()) * MS;
    const file = guest.stat("f");
    const folder = guest.stat("d");
    if (typeof file === "number" || typeof folder === "number") throw new Error("no stat");
    expect(file).toMatchObject({ nlink: 1n, size: 3n, type: wasi.FILETYPE_REGULAR_FILE });
    expect(folder).toMatchObject({ nlink: 3n, type: wasi.FILETYPE_DIRECTORY });
    expect(file.dev).toBe(folder.dev);
    expect(file.dev).toBeGreaterThan(0n);
    expect(new Set([0n, file.ino, folder.ino]).size).toBe(3);
    for (const time of [file.atim, file.mtim, file.ctim, folder.mtim]) {
      expect(Number(now - time) / 1e6).toBeLessThan(5000);
      expect(Number(now - time) / 1e6).toBeGreaterThan(-5000);
    }
  });

  test("times can be set to the nanosecond, and writing moves them", () => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    const both = wasi.FSTFLAGS_ATIM | wasi.FSTFLAGS_MTIM;
    const set = (flags: number): number =>
      guest.call(
        "path_filestat_set_times",
        3,
        1,
        ...guest.put("f"),
        123n,
        1_600_000_000_123_456_789n,
        flags,
      );
    expect(set(both)).toBe(0);
    expect(guest.stat("f")).toMatchObject({ atim: 123n, mtim: 1_600_000_000_123_456_789n });
    expect(set(wasi.FSTFLAGS_MTIM | wasi.FSTFLAGS_MTIM_NOW)).toBe(wasi.ERRNO_INVAL);
    expect(set(64)).toBe(wasi.ERRNO_INVAL);
    guest.write(guest.open("f"), "x");
    expect((guest.stat("f") as { mtim: bigint }).mtim).toBeGreaterThan(1_700_000_000n * 1000n * MS);
  });
});

describe("names", () => {
  test("are kept as they are, a byte order mark included", () => {
    const names = [
      "\ufefff",
      "f",
      "é",
      "e\u0301",
      "日本",
      "😀",
      " ",
      "\\",
      "__proto__",
      "constructor",
    ];
    const guest = new TestGuest();
    for (const name of names)
      expect(guest.open(name, { oflags: wasi.OFLAGS_CREAT })).toBeGreaterThan(3);
    expect(guest.list(".")).toEqual(names);
    expect(Object.keys(guest.host.changedFiles())).toEqual(names.map((name) => `/${name}`));
  });

  test("that are not UTF-8 are ILSEQ", () => {
    const guest = new TestGuest();
    for (const bytes of [
      [0xff],
      [0xc3],
      [0xed, 0xa0, 0x80],
      [0xf5, 0x80, 0x80, 0x80],
      [0xc0, 0xaf],
    ]) {
      const name = new Uint8Array([0x61, ...bytes]);
      expect(guest.open(name, { oflags: wasi.OFLAGS_CREAT })).toBe(-wasi.ERRNO_ILSEQ);
    }
    expect(guest.list(".")).toEqual([]);
  });
});

describe("a path that is not UTF-8 is ILSEQ, and nothing happens, wherever an import takes one", () => {
  const BAD = 8192;
  const GOOD = 16_384;
  test.each<[name: string, args: (bad: number, good: number) => (number | bigint)[]]>([
    ["path_create_directory", (bad) => [3, bad, 2]],
    ["path_filestat_get", (bad) => [3, 0, bad, 2, STRUCT]],
    ["path_filestat_set_times", (bad) => [3, 0, bad, 2, 0n, 0n, 2]],
    ["path_link", (bad, good) => [3, 0, bad, 2, 3, good, 1]],
    ["path_link", (bad, good) => [3, 0, good, 1, 3, bad, 2]],
    ["path_open", (bad) => [3, 0, bad, 2, wasi.OFLAGS_CREAT, 0n, 0n, 0, RESULT]],
    ["path_readlink", (bad) => [3, bad, 2, DATA, 10, RESULT]],
    ["path_remove_directory", (bad) => [3, bad, 2]],
    ["path_rename", (bad, good) => [3, bad, 2, 3, good, 1]],
    ["path_rename", (bad, good) => [3, good, 1, 3, bad, 2]],
    ["path_symlink", (bad, good) => [bad, 2, 3, good, 1]],
    ["path_symlink", (bad, good) => [good, 1, 3, bad, 2]],
    ["path_unlink_file", (bad) => [3, bad, 2]],
  ])("%s", (name, args) => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    guest.put(new Uint8Array([0x66, 0xff]), BAD);
    guest.put("f", GOOD);
    expect(guest.call(name, ...args(BAD, GOOD))).toBe(wasi.ERRNO_ILSEQ);
    expect(guest.list(".")).toEqual(["f"]);
    expect(guest.host.changedFiles()).toEqual({});
  });
});

test("advice is checked, and only files take it", () => {
  const guest = new TestGuest({ files: { "/f": "abc" } });
  const fd = guest.open("f");
  for (let advice = 0; advice < 6; advice++) {
    expect(guest.call("fd_advise", fd, 0n, 3n, advice)).toBe(0);
  }
  for (const args of [[0n, 3n, 6] as const, [-1n, 3n, 0] as const, [0n, -1n, 0] as const]) {
    expect(guest.call("fd_advise", fd, ...args)).toBe(wasi.ERRNO_INVAL);
  }
  expect(guest.call("fd_advise", 1, 0n, 0n, 0)).not.toBe(0);
  expect(guest.call("fd_advise", guest.openDirectory("."), 0n, 0n, 0)).toBe(wasi.ERRNO_BADF);
});

test("memory that threads could share is memory like any other", () => {
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 4, shared: true });
  const guest = new TestGuest({ memory, files: { "/é": "abc" } });
  expect(guest.readText(guest.open("é"))).toBe("abc");
  expect(guest.write(guest.open("new", { oflags: wasi.OFLAGS_CREAT }), "made")).toBe(4);
  expect(guest.host.changedFiles()).toEqual({ "/new": new TextEncoder().encode("made") });
  expect(guest.write(1, "out")).toBe(3);
  expect(guest.text(1)).toBe("out");
  expect(guest.output[1][0]!.buffer).toBeInstanceOf(ArrayBuffer);
  expect(guest.open(new Uint8Array([0xff]))).toBe(-wasi.ERRNO_ILSEQ);
  guest.bytes.fill(0);
  expect(guest.call("random_get", 0, 4 * 65_536)).toBe(0);
  const zeros = guest.bytes.filter((byte) => byte === 0).length;
  expect(zeros).toBeGreaterThan(700);
  expect(zeros).toBeLessThan(1400);
});

test("clocks answer by their ids, and unknown ids are INVAL", () => {
  const guest = new TestGuest();
  for (let id = 0; id < 4; id++) {
    expect(guest.call("clock_time_get", id, 0n, DATA)).toBe(0);
    expect(guest.call("clock_res_get", id, DATA)).toBe(0);
    expect(guest.u64(DATA)).toBeGreaterThan(0n);
  }
  for (const id of [4, 99, -1]) {
    expect(guest.call("clock_time_get", id, 0n, DATA)).toBe(wasi.ERRNO_INVAL);
    expect(guest.call("clock_res_get", id, DATA)).toBe(wasi.ERRNO_INVAL);
  }
  guest.call("clock_time_get", 0, 0n, DATA);
  expect(Math.abs(Number(guest.u64(DATA) / MS) - Date.now())).toBeLessThan(1000);
});

test("seeking a stream is SPIPE", () => {
  const guest = new TestGuest();
  for (const fd of [0, 1, 2]) {
    expect(guest.call("fd_seek", fd, 0n, 1, RESULT)).toBe(wasi.ERRNO_SPIPE);
    expect(guest.call("fd_tell", fd, RESULT)).toBe(wasi.ERRNO_SPIPE);
  }
});

test("the shim stays silent, also for others in the same realm", () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const other = new WASI(["one"], [], [], { debug: false });
  const guest = new TestGuest({ files: { "/f": "" } });
  guest.open("f");
  other.inst = { exports: { memory: guest.memory } };
  expect((other.wasiImport["args_sizes_get"] as (...at: number[]) => number)(0, 4)).toBe(0);
  expect(guest.u32(0)).toBe(1);
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

describe("terminals", () => {
  const typeOf = (guest: TestGuest, fd: number): [number, boolean] => {
    guest.call("fd_fdstat_get", fd, STRUCT);
    const places = wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL;
    return [guest.bytes[STRUCT]!, (Number(guest.u64(STRUCT + 8)) & places) === 0];
  };

  test("are what the option says", () => {
    const guest = new TestGuest({ tty: [0, 2] });
    // As a libc tells a terminal: a character device that cannot seek.
    expect(typeOf(guest, 0)).toEqual([wasi.FILETYPE_CHARACTER_DEVICE, true]);
    expect(typeOf(guest, 1)[0]).not.toBe(wasi.FILETYPE_CHARACTER_DEVICE);
    expect(typeOf(guest, 2)).toEqual([wasi.FILETYPE_CHARACTER_DEVICE, true]);
  });
});

test("sockets: NOTSOCK for what is open, BADF for what is not", () => {
  const guest = new TestGuest();
  expect(guest.call("sock_shutdown", 1, 0)).toBe(wasi.ERRNO_NOTSOCK);
  expect(guest.call("sock_accept", guest.open("f", { oflags: wasi.OFLAGS_CREAT }), 0, 0)).toBe(
    wasi.ERRNO_NOTSOCK,
  );
  expect(guest.call("sock_shutdown", 3, 0)).toBe(wasi.ERRNO_BADF);
  expect(guest.call("sock_recv", 1, 0, 0, 0, 0, 0)).toBe(wasi.ERRNO_NOTSOCK);
  expect(guest.call("sock_send", 55, 0, 0, 0, 0)).toBe(wasi.ERRNO_BADF);
});

test("a signal can be asked for, none is delivered", () => {
  const guest = new TestGuest();
  expect(guest.call("proc_raise", wasi.SIGNAL_NONE)).toBe(0);
  expect(guest.call("proc_raise", wasi.SIGNAL_ABRT)).toBe(wasi.ERRNO_NOTSUP);
  expect(guest.call("proc_raise", 200)).toBe(wasi.ERRNO_INVAL);
});
