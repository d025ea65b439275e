// The filesystem through the imports: links, renames, open files without a name, sizes, flags, quotas.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import { image } from "../../../../src/files/image.ts";
import { memory } from "../../../../src/files/memory.ts";
import { DATA, RESULT, STRUCT, TestGuest, type Stat } from "./test-guest.ts";

const CREAT = { oflags: wasi.OFLAGS_CREAT };
const text = (bytes: Uint8Array | null | undefined): string | null | undefined =>
  bytes ? new TextDecoder().decode(bytes) : bytes;

describe("symbolic links", () => {
  const make = (): TestGuest => {
    const guest = new TestGuest({ files: { "/a/b/f": "found", "/g": "outer" } });
    guest.symlink("a/b", "to-dir");
    guest.symlink("b/f", "a/to-file");
    guest.symlink("../g", "a/up");
    guest.symlink("/a/b/f", "absolute");
    guest.symlink("../../g", "a/above");
    guest.symlink("nowhere", "dangling");
    return guest;
  };

  test.each([
    ["relative to the folder they are in", "a/to-file", "found"],
    ["through a link to a folder", "to-dir/f", "found"],
    ["upwards", "a/up", "outer"],
    ["absolute, inside the preopen", "absolute", "found"],
    ["`..` after a link leaves what the link led to", "to-dir/../b/f", "found"],
  ])("%s", (_name, path, content) => {
    const guest = make();
    expect(guest.readText(guest.open(path))).toBe(content);
  });

  test.each([
    ["never lead above the preopen", "a/above", wasi.ERRNO_NOTCAPABLE],
    ["lead nowhere", "dangling", wasi.ERRNO_NOENT],
    ["`..` after a link is not lexical", "to-dir/../f", wasi.ERRNO_NOENT],
  ])("%s", (_name, path, errno) => {
    const guest = make();
    expect(guest.open(path)).toBe(-errno);
    expect(guest.stat(path)).toBe(-errno);
  });

  test("a chain of 40 is followed, 41 are LOOP, and so is a circle", () => {
    const guest = new TestGuest({ files: { "/l0": "end" } });
    for (let i = 1; i <= 41; i++) guest.symlink(`l${i - 1}`, `l${i}`);
    expect(guest.readText(guest.open("l40"))).toBe("end");
    expect(guest.open("l41")).toBe(-wasi.ERRNO_LOOP);
    guest.symlink("me", "me");
    expect(guest.open("me")).toBe(-wasi.ERRNO_LOOP);
    expect(guest.path("path_create_directory", "me/x")).toBe(wasi.ERRNO_LOOP);
  });

  test("a link that grows the path without end is refused", () => {
    const guest = new TestGuest();
    guest.symlink(`x/${"y/".repeat(2000)}`, "x");
    const error = guest.open("x/z");
    expect([-wasi.ERRNO_NAMETOOLONG, -wasi.ERRNO_LOOP]).toContain(error);
  });

  test("are opened, stat-ed, changed and removed as themselves when asked", () => {
    const guest = make();
    expect(guest.open("absolute", { lookup: 0 })).toBe(-wasi.ERRNO_LOOP);
    expect(guest.stat("absolute", false)).toMatchObject({
      type: wasi.FILETYPE_SYMBOLIC_LINK,
      size: 6n,
    });
    expect(guest.readlink("a/up")).toBe("../g");
    expect(guest.readlink("a/up", 3)).toBe("../");
    expect(guest.readlink("g")).toBe(-wasi.ERRNO_INVAL);
    expect(guest.path("path_remove_directory", "to-dir")).toBe(wasi.ERRNO_NOTDIR);
    expect(guest.path("path_remove_directory", "to-dir/")).toBe(wasi.ERRNO_NOTDIR);
    expect(guest.path("path_unlink_file", "to-dir/")).toBe(wasi.ERRNO_NOTDIR);
    expect(guest.path("path_unlink_file", "to-dir")).toBe(0);
    expect(guest.readText(guest.open("a/b/f"))).toBe("found");
    expect(guest.rename("absolute", "a/moved")).toBe(0);
    expect(guest.readlink("a/moved")).toBe("/a/b/f");
  });

  test("O_CREAT through a dangling link makes what it names; O_EXCL does not", () => {
    const guest = make();
    expect(guest.open("dangling", { oflags: wasi.OFLAGS_CREAT | wasi.OFLAGS_EXCL })).toBe(
      -wasi.ERRNO_EXIST,
    );
    expect(guest.open("dangling", CREAT)).toBeGreaterThan(3);
    expect(guest.list(".")).toContain("nowhere");
  });

  test("absolute targets outside the tree cannot be made", () => {
    const guest = new TestGuest({ mounts: { "/data": memory({ f: "x" }) } });
    expect(guest.symlink("/etc/passwd", "l")).toBe(wasi.ERRNO_NOTCAPABLE);
    expect(guest.symlink("/data", "l")).toBe(wasi.ERRNO_NOTCAPABLE);
    expect(guest.symlink("/data/f", "l")).toBe(0);
    expect(guest.readText(guest.open("l"))).toBe("x");
    expect(guest.symlink("", "m")).toBe(wasi.ERRNO_NOENT);
  });
});

describe("hard links", () => {
  test("are the same file by two names", () => {
    const guest = new TestGuest({ files: { "/f": "abc", "/d": {} } });
    expect(guest.link("f", "d/g")).toBe(0);
    guest.write(guest.open("d/g"), "X");
    expect(guest.readText(guest.open("f"))).toBe("Xbc");
    const [f, g] = [guest.stat("f") as Stat, guest.stat("d/g") as Stat];
    expect(f).toEqual(g);
    expect(f.nlink).toBe(2n);
    expect(guest.path("path_unlink_file", "f")).toBe(0);
    expect(guest.stat("d/g")).toMatchObject({ nlink: 1n });
  });

  test("replace nothing and take no folders", () => {
    const guest = new TestGuest({ files: { "/f": "abc", "/g": "x", "/d": {} } });
    expect(guest.link("f", "g")).toBe(wasi.ERRNO_EXIST);
    expect(guest.link("f", "d")).toBe(wasi.ERRNO_EXIST);
    expect(guest.link("d", "e")).toBe(wasi.ERRNO_PERM);
    expect(guest.link("nothing", "e")).toBe(wasi.ERRNO_NOENT);
    expect(guest.readText(guest.open("g"))).toBe("x");
  });
});

describe("rename", () => {
  const make = (): TestGuest =>
    new TestGuest({ files: { "/f": "f", "/g": "g", "/d": {}, "/e/x": "x" } });

  test.each([
    ["a file to a new name", "f", "h", 0],
    ["a file over a file", "f", "g", 0],
    ["a file to itself", "f", "f", 0],
    ["a file over a folder", "f", "d", wasi.ERRNO_ISDIR],
    ["a file to a name with a slash", "f", "h/", wasi.ERRNO_NOTDIR],
    ["a file over a file with a slash", "f", "g/", wasi.ERRNO_NOTDIR],
    ["a folder to a new name with a slash", "d/", "h/", 0],
    ["a folder over an empty folder", "e", "d", 0],
    ["a folder over a full folder", "d", "e", wasi.ERRNO_NOTEMPTY],
    ["a folder over a file", "d", "f", wasi.ERRNO_NOTDIR],
    ["what is not there", "h", "i", wasi.ERRNO_NOENT],
    ["into what is not there", "f", "h/i", wasi.ERRNO_NOENT],
    [".", ".", "h", wasi.ERRNO_BUSY],
    ["to ..", "f", "d/..", wasi.ERRNO_BUSY],
  ])("%s", (_name, from, to, errno) => {
    const guest = make();
    const before = guest.list(".").sort();
    expect(guest.rename(from, to)).toBe(errno);
    if (errno !== 0) expect(guest.list(".").sort()).toEqual(before);
    const target = to.replace("/", "");
    if (errno === 0 && from !== to) {
      expect(guest.list(".")).not.toContain(from);
      expect(guest.list(".")).toContain(target);
    }
  });

  test("two names of one file: nothing happens", () => {
    const guest = make();
    guest.link("f", "h");
    expect(guest.rename("f", "h")).toBe(0);
    expect(guest.stat("f")).toMatchObject({ nlink: 2n });
  });

  test("what it replaces lives on while it is open", () => {
    const guest = make();
    const fd = guest.open("g");
    expect(guest.rename("f", "g")).toBe(0);
    expect(guest.readText(fd)).toBe("g");
    expect(guest.stat(fd)).toMatchObject({ nlink: 0n });
    expect(guest.readText(guest.open("g"))).toBe("f");
  });

  test("a folder keeps its links count and its `..`", () => {
    const guest = make();
    expect(guest.rename("d", "e/d")).toBe(0);
    expect(guest.stat("e")).toMatchObject({ nlink: 3n });
    const { entries } = guest.readdir(guest.openDirectory("e/d"));
    expect(entries[1]).toMatchObject({ name: "..", ino: (guest.stat("e") as Stat).ino });
  });
});

describe("unlinked but open", () => {
  test("reads, writes and grows on, and gives its bytes back when closed", () => {
    const guest = new TestGuest({ files: { "/f": "abc" }, quotas: { fileBytes: 100 } });
    const fd = guest.open("f");
    expect(guest.path("path_unlink_file", "f")).toBe(0);
    expect(guest.open("f")).toBe(-wasi.ERRNO_NOENT);
    expect(guest.readText(fd)).toBe("abc");
    expect(guest.write(fd, "x".repeat(97))).toBe(97);
    const other = guest.open("g", CREAT);
    expect(guest.write(other, "y")).toBe(-wasi.ERRNO_NOSPC);
    guest.call("fd_close", fd);
    expect(guest.write(other, "y".repeat(100))).toBe(100);
  });
});

describe("descriptor flags", () => {
  test("append writes at the end, whatever the position, also with an offset", () => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    const fd = guest.open("f", { fdflags: wasi.FDFLAGS_APPEND });
    guest.call("fd_seek", fd, 0n, 0, RESULT);
    expect(guest.write(fd, "1")).toBe(1);
    guest.put("2", DATA);
    guest.view.setUint32(STRUCT, DATA, true);
    guest.view.setUint32(STRUCT + 4, 1, true);
    expect(guest.call("fd_pwrite", fd, STRUCT, 1, 0n, RESULT)).toBe(0);
    expect(guest.call("fd_fdstat_set_flags", fd, 0)).toBe(0);
    guest.call("fd_seek", fd, 0n, 0, RESULT);
    guest.write(fd, "X");
    expect(guest.readText(guest.open("f"))).toBe("Xbc12");
    expect(guest.call("fd_fdstat_set_flags", fd, 64)).toBe(wasi.ERRNO_INVAL);
  });

  test("all are kept and told, whether given at the opening or later", () => {
    const guest = new TestGuest({ files: { "/f": "abc" } });
    const flagsOf = (fd: number): number => {
      expect(guest.call("fd_fdstat_get", fd, STRUCT)).toBe(0);
      return guest.view.getUint16(STRUCT + 2, true);
    };
    const { FDFLAGS_APPEND, FDFLAGS_DSYNC, FDFLAGS_NONBLOCK, FDFLAGS_RSYNC, FDFLAGS_SYNC } = wasi;
    for (const flag of [
      ...[FDFLAGS_APPEND, FDFLAGS_DSYNC, FDFLAGS_NONBLOCK, FDFLAGS_RSYNC, FDFLAGS_SYNC],
      FDFLAGS_APPEND | FDFLAGS_NONBLOCK,
    ]) {
      const opened = guest.open("f", { fdflags: flag });
      expect(flagsOf(opened)).toBe(flag);
      expect(guest.call("fd_fdstat_set_flags", opened, 0)).toBe(0);
      expect(flagsOf(opened)).toBe(0);
      expect(guest.call("fd_fdstat_set_flags", opened, flag)).toBe(0);
      expect(flagsOf(opened)).toBe(flag);
      for (const call of ["fd_sync", "fd_datasync"]) expect(guest.call(call, opened)).toBe(0);
      guest.call("fd_close", opened);
    }
  });
});

describe("sizes", () => {
  test("a far write leaves a hole of zeros and stores next to nothing", () => {
    const guest = new TestGuest({ pages: 200 });
    const fd = guest.open("f", CREAT);
    const before = process.memoryUsage().arrayBuffers;
    expect(guest.call("fd_seek", fd, 200n * 1024n * 1024n, 0, RESULT)).toBe(0);
    expect(guest.write(fd, "x")).toBe(1);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 20);
    expect(guest.stat(fd)).toMatchObject({ size: 200n * 1024n * 1024n + 1n });
    guest.call("fd_seek", fd, -3n, wasi.WHENCE_END, RESULT);
    expect([...(guest.read(fd, 10) as Uint8Array)]).toEqual([0, 0, 120]);
  });

  test("cutting and growing again gives zeros", () => {
    const guest = new TestGuest({ files: { "/f": "abcdef" } });
    const fd = guest.open("f");
    guest.call("fd_filestat_set_size", fd, 2n);
    guest.call("fd_filestat_set_size", fd, 5n);
    expect(guest.readText(fd)).toBe("ab\0\0\0");
    expect(guest.call("fd_allocate", fd, 4n, 4n)).toBe(0);
    expect(guest.stat(fd)).toMatchObject({ size: 8n });
    expect(guest.call("fd_allocate", fd, 0n, 1n)).toBe(0);
    expect(guest.stat(fd)).toMatchObject({ size: 8n });
  });

  test("fd_allocate is NOTSUP where it is switched off", () => {
    const guest = new TestGuest({ files: { "/f": "" }, allocate: false });
    expect(guest.call("fd_allocate", guest.open("f"), 0n, 4n)).toBe(wasi.ERRNO_NOTSUP);
  });

  test("reads at a place do not move", () => {
    const guest = new TestGuest({ files: { "/f": "abcdef" } });
    const fd = guest.open("f");
    guest.view.setUint32(STRUCT, DATA, true);
    guest.view.setUint32(STRUCT + 4, 2, true);
    guest.view.setUint32(STRUCT + 8, DATA + 2, true);
    guest.view.setUint32(STRUCT + 12, 9, true);
    expect(guest.call("fd_pread", fd, STRUCT, 2, 1n, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(5);
    expect(text(guest.bytes.slice(DATA, DATA + 5))).toBe("bcdef");
    expect(guest.readText(fd)).toBe("abcdef");
    expect(guest.call("fd_pread", fd, STRUCT, 2, -1n, RESULT)).toBe(wasi.ERRNO_INVAL);
    expect(guest.call("fd_pread", fd, STRUCT, 2, 2n ** 60n, RESULT)).toBe(0);
    expect(guest.u32(RESULT)).toBe(0);
  });
});

describe("quotas", () => {
  test("bytes: NOSPC with nothing written, and room again after removal", () => {
    const guest = new TestGuest({ files: { "/f": "12345" }, quotas: { fileBytes: 10 } });
    const fd = guest.open("g", CREAT);
    expect(guest.write(fd, "123456")).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.stat(fd)).toMatchObject({ size: 0n });
    expect(guest.write(fd, "12345")).toBe(5);
    expect(guest.call("fd_filestat_set_size", fd, 6n)).toBe(wasi.ERRNO_NOSPC);
    expect(guest.call("fd_allocate", fd, 0n, 6n)).toBe(wasi.ERRNO_NOSPC);
    guest.path("path_unlink_file", "f");
    expect(guest.write(fd, "12345")).toBe(5);
  });

  test("what is overwritten counts once", () => {
    const guest = new TestGuest({ quotas: { fileBytes: 10 } });
    const fd = guest.open("g", CREAT);
    for (let i = 0; i < 20; i++) {
      guest.call("fd_seek", fd, 0n, 0, RESULT);
      expect(guest.write(fd, "0123456789")).toBe(10);
    }
  });

  test("a file without a name or descriptor is gone from the count, truncation too", () => {
    const guest = new TestGuest({ quotas: { fileBytes: 10 } });
    for (let i = 0; i < 20; i++) {
      const fd = guest.open("g", { oflags: wasi.OFLAGS_CREAT | wasi.OFLAGS_TRUNC });
      expect(guest.write(fd, "0123456789")).toBe(10);
      guest.call("fd_close", fd);
    }
  });

  test("entries: files, folders and links count, and removing gives back", () => {
    const guest = new TestGuest({ files: { "/a": "" }, quotas: { entries: 4 } });
    expect(guest.open("b", CREAT)).toBeGreaterThan(3);
    expect(guest.path("path_create_directory", "c")).toBe(0);
    expect(guest.symlink("a", "d")).toBe(0);
    expect(guest.open("e", CREAT)).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.path("path_create_directory", "e")).toBe(wasi.ERRNO_NOSPC);
    expect(guest.symlink("a", "e")).toBe(wasi.ERRNO_NOSPC);
    expect(guest.link("a", "e")).toBe(wasi.ERRNO_NOSPC);
    expect(guest.path("path_remove_directory", "c")).toBe(0);
    expect(guest.link("a", "e")).toBe(0);
    expect(guest.rename("e", "f")).toBe(0);
    expect(guest.rename("f", "b")).toBe(0);
    expect(guest.open("e", CREAT)).toBeGreaterThan(3);
  });

  test("descriptors: MFILE, and nothing is made", () => {
    const guest = new TestGuest({ quotas: { descriptors: 6 } });
    const first = guest.open("a", CREAT);
    expect([first, guest.open("b", CREAT)]).toEqual([4, 5]);
    expect(guest.open("c", CREAT)).toBe(-wasi.ERRNO_MFILE);
    guest.call("fd_close", first);
    expect(guest.list(".")).toEqual(["a", "b"]);
  });

  test("depth: 128 levels, also by renames", () => {
    const guest = new TestGuest({ quotas: { descriptors: 1000 } });
    let fd = 3;
    for (let i = 0; i < 128; i++) {
      expect(guest.path("path_create_directory", "d", fd), String(i)).toBe(0);
      fd = guest.openDirectory("d", fd);
    }
    expect(guest.path("path_create_directory", "d", fd)).toBe(wasi.ERRNO_NAMETOOLONG);
    expect(guest.path("path_create_directory", "x")).toBe(0);
    expect(guest.rename("x", "x", 3, fd)).toBe(wasi.ERRNO_NAMETOOLONG);
  });

  test("the write budget: DQUOT, rewriting counts", () => {
    const guest = new TestGuest({ files: { "/f": "" }, quotas: { writeBytes: 10 } });
    const fd = guest.open("f");
    expect(guest.write(fd, "12345")).toBe(5);
    guest.call("fd_seek", fd, 0n, 0, RESULT);
    expect(guest.write(fd, "123456")).toBe(-wasi.ERRNO_DQUOT);
    expect(guest.write(fd, "12345")).toBe(5);
    expect(guest.write(fd, "1")).toBe(-wasi.ERRNO_DQUOT);
    expect(guest.write(fd, "")).toBe(0);
    expect(guest.write(1, "output is no file")).toBe(17);
  });

  test("many small files stay small", () => {
    const guest = new TestGuest();
    const before = process.memoryUsage().arrayBuffers;
    for (let i = 0; i < 2000; i++) {
      const fd = guest.open(`f${i}`, CREAT);
      guest.write(fd, "small");
      guest.call("fd_close", fd);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 21);
  });
});

describe("mounts", () => {
  const lib = image({ "x.py": "pass", pkg: { "__init__.py": "" } });
  const make = (): TestGuest =>
    new TestGuest({
      files: { "/data.csv": "1,2" },
      mounts: { "/lib": lib, "/tmp": memory({ old: "o" }), "/lib/deep/in": memory({}) },
    });

  test("are preopens in order and folders under /", () => {
    const guest = make();
    const names: string[] = [];
    for (let fd = 3; guest.call("fd_prestat_get", fd, STRUCT) === 0; fd++) {
      const length = guest.u32(STRUCT + 4);
      guest.call("fd_prestat_dir_name", fd, DATA, length);
      names.push(text(guest.bytes.slice(DATA, DATA + length))!);
    }
    expect(names).toEqual(["/", "/lib", "/tmp", "/lib/deep/in"]);
    expect(guest.list(".")).toEqual(["data.csv", "lib", "tmp"]);
    expect(guest.list("lib")).toEqual(["x.py", "pkg", "deep"]);
    expect(guest.open("lib/deep/in/new", CREAT)).toBeGreaterThan(3);
    expect((guest.stat("lib") as Stat).ino).toBe((guest.stat(4) as Stat).ino);
    expect((guest.stat("lib") as Stat).dev).not.toBe((guest.stat("tmp") as Stat).dev);
  });

  test("cannot be removed, renamed or linked across", () => {
    const guest = make();
    expect(guest.path("path_remove_directory", "tmp")).toBe(wasi.ERRNO_BUSY);
    expect(guest.rename("tmp", "temp")).toBe(wasi.ERRNO_BUSY);
    expect(guest.rename("data.csv", "tmp/data.csv")).toBe(wasi.ERRNO_XDEV);
    expect(guest.link("data.csv", "tmp/data.csv")).toBe(wasi.ERRNO_XDEV);
    expect(guest.open("lib/new", CREAT)).toBe(-wasi.ERRNO_ROFS);
  });

  test("without files there is no /, unless nothing is given", () => {
    const guest = new TestGuest({ mounts: { "/a": memory({ f: "x" }) } });
    expect(guest.list(".")).toEqual(["f"]);
    expect(guest.call("fd_prestat_get", 4, STRUCT)).toBe(wasi.ERRNO_BADF);
    expect(new TestGuest().list(".")).toEqual([]);
  });

  test("devices are in /dev under /, else in a last preopen", () => {
    const inRoot = new TestGuest({
      files: {},
      device: true,
      httpDevice: (_line, then) => then(new Uint8Array(0)),
    });
    expect(inRoot.list("dev")).toEqual(["door", "http"]);
    expect(inRoot.stat("dev/door")).toMatchObject({ type: wasi.FILETYPE_CHARACTER_DEVICE });
    expect(inRoot.path("path_unlink_file", "dev/door")).toBe(wasi.ERRNO_ROFS);
    const last = new TestGuest({ mounts: { "/a": memory({}) }, device: true });
    expect(last.call("fd_prestat_get", 4, STRUCT)).toBe(0);
    expect(last.u32(STRUCT + 4)).toBe("/dev".length);
    expect(last.open("door", { fd: 4 })).toBeGreaterThan(4);
    expect(new TestGuest({ files: {} }).list(".")).toEqual([]);
  });
});

describe("changed files", () => {
  test("are those made, changed, renamed and removed, of writable trees alone", () => {
    const guest = new TestGuest({
      files: {
        "/same": "s",
        "/changed": "c",
        "/gone": "g",
        "/moved": "m",
        "/d/deep": "d",
        "/e/f": "f",
      },
      mounts: {
        "/lib": image({ base: "b" }),
        "/cow": image({ base: "base", other: "other" }, { copyOnWrite: true }),
        "/tmp": memory({ t: "t" }),
      },
    });
    guest.readText(guest.open("same"));
    guest.write(guest.open("changed"), "C!");
    guest.path("path_unlink_file", "gone");
    guest.rename("moved", "d/here");
    guest.rename("e", "E");
    guest.write(guest.open("tmp/new", CREAT), "n");
    guest.write(guest.open("cow/base"), "B");
    guest.path("path_create_directory", "empty");
    guest.symlink("same", "link");
    const changed = guest.host.changedFiles();
    expect(
      Object.fromEntries(Object.entries(changed).map(([path, bytes]) => [path, text(bytes)])),
    ).toEqual({
      "/changed": "C!",
      "/gone": null,
      "/moved": null,
      "/d/here": "m",
      "/e/f": null,
      "/E/f": "f",
      "/tmp/new": "n",
      "/cow/base": "Base",
    });
    for (const bytes of Object.values(changed)) {
      if (bytes) expect(bytes.buffer.byteLength).toBe(bytes.length);
    }
  });

  test("what the page gave is never written, shared images least of all", () => {
    const bytes = new TextEncoder().encode("mine");
    const lib = image({ f: "shared" }, { copyOnWrite: true });
    const guest = new TestGuest({ files: { "/f": bytes }, mounts: { "/lib": lib } });
    guest.write(guest.open("f"), "XXXX");
    guest.write(guest.open("lib/f"), "YYYYYY");
    expect(text(bytes)).toBe("mine");
    expect(new TestGuest({ mounts: { "/lib": lib } }).readText(4)).toBe(-wasi.ERRNO_BADF);
    const next = new TestGuest({ mounts: { "/lib": lib } });
    expect(next.readText(next.open("f"))).toBe("shared");
  });
});

test("the same deterministic run twice gives the same bytes, times and inodes", () => {
  const run = (seed: number): unknown[] => {
    const guest = new TestGuest({
      files: { "/f": "x" },
      deterministic: { seed, timeMs: 1_700_000_000_000 },
    });
    guest.call("random_get", DATA, 1001);
    const random = guest.bytes.slice(DATA, DATA + 1001).join();
    guest.call("clock_time_get", 0, 0n, RESULT);
    const time = guest.u64(RESULT);
    // A minute's sleep takes no time, and is seen by both clocks.
    guest.bytes.fill(0, STRUCT, STRUCT + 48);
    guest.view.setUint32(STRUCT + 16, 1, true);
    guest.view.setBigUint64(STRUCT + 24, 60_000_000_000n, true);
    expect(guest.call("poll_oneoff", STRUCT, DATA, 1, RESULT)).toBe(0);
    guest.call("clock_time_get", 0, 0n, RESULT);
    const later = guest.u64(RESULT) - time;
    expect(Number(later) / 1e9).toBeCloseTo(60, 3);
    return [random, time, later, guest.stat("f")].map(String);
  };
  expect(run(1)).toEqual(run(1));
  expect(run(1)[0]).not.toBe(run(2)[0]);
});

test("random bytes of any length, to the last", () => {
  const guest = new TestGuest({ pages: 8 });
  expect(guest.call("random_get", 0, 8 * 65_536)).toBe(0);
  const counts = new Uint32Array(256);
  for (const byte of guest.bytes) counts[byte]!++;
  expect(Math.min(...counts)).toBeGreaterThan(1500);
  expect(Math.max(...counts)).toBeLessThan(2600);
  guest.bytes.fill(0);
  guest.call("random_get", 100, 3);
  expect(guest.bytes.subarray(103, 200).every((byte) => byte === 0)).toBe(true);
});
