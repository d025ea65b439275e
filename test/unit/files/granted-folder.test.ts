// A granted folder through the imports: asked for when needed, changed in memory, written back, conflicts kept.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import type { FolderHandle } from "../../../src/files/folder-handle.ts";
import { FolderHost } from "../../../src/files/folder-host.ts";
import { decodeFolderRequest } from "../../../src/files/folder-protocol.ts";
import { foldersOf, preopensFrom, type FileOptions } from "../../../src/files/preopens.ts";
import { writeBack, type FolderConflict } from "../../../src/files/write-back.ts";
import type { Step } from "../../../src/wire/blocking-call.ts";
import { RESULT, TestGuest, type TestGuestOptions } from "../worker/wasi/test-guest.ts";
import { FakeFolder } from "./fake-folder.ts";

const MiB = 2 ** 20;

/** A guest whose `file` calls a page answers; actions on it are written as generators of steps would be: one by one. */
class FolderGuest {
  readonly guest: TestGuest;
  readonly asked: string[] = [];
  readonly #folders: FolderHandle[];
  readonly #host: FolderHost;
  readonly #answers = new Map<string, Uint8Array>();

  constructor(mounts: NonNullable<FileOptions["mounts"]>, options: TestGuestOptions = {}) {
    this.#folders = foldersOf(mounts);
    this.#host = new FolderHost(this.#folders);
    this.guest = new TestGuest({
      pages: 1200,
      ...options,
      preopens: preopensFrom({ mounts }),
      answer: (_kind, request) => {
        const key = new TextDecoder().decode(request);
        const bytes = this.#answers.get(key);
        if (bytes === undefined) throw new Missing(request, key);
        this.#answers.delete(key);
        const { op, path, at } = decodeFolderRequest(request);
        this.asked.push((op === "read" ? `${op} ${path} ${at}` : `${op} ${path}`).trim());
        return { ok: true, bytes };
      },
    });
  }

  /**
   * Runs an action. The test guest is synchronous and the page is not, so an action that meets an open question is
   * dropped and run again with the answer at hand; the import itself starts again just so.
   */
  async do<Value>(action: (guest: TestGuest) => Value): Promise<Value> {
    for (;;) {
      try {
        return action(this.guest);
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        this.#answers.set(error.key, await this.#host.answer(error.request));
      }
    }
  }

  writeBack(): Promise<void> {
    return writeBack(this.#folders, structuredClone(this.guest.host.folderChanges()));
  }
}

class Missing extends Error {
  readonly request: Uint8Array;
  readonly key: string;

  constructor(request: Uint8Array, key: string) {
    super("missing");
    this.request = request;
    this.key = key;
  }
}

const CREAT = { oflags: wasi.OFLAGS_CREAT };

function make(options?: TestGuestOptions): { disk: FakeFolder; on: FolderGuest } {
  const disk = new FakeFolder("work", {
    "a.txt": "alpha",
    "b.txt": "beta",
    sub: { "c.txt": "gamma", deep: { d: "delta" } },
    empty: {},
  });
  return { disk, on: new FolderGuest({ "/work": disk }, options) };
}

describe("reading", () => {
  test("lists, stats and reads only what is looked at", async () => {
    const { on } = make();
    expect(on.asked).toEqual([]);
    expect(await on.do((guest) => guest.list("."))).toEqual(["a.txt", "b.txt", "sub", "empty"]);
    expect(on.asked).toEqual(["list"]);
    const fd = await on.do((guest) => guest.open("sub/c.txt"));
    expect(on.asked.slice(1)).toEqual(["list sub", "stat sub/c.txt"]);
    expect(await on.do((guest) => guest.readText(fd))).toBe("gamma");
    expect(on.asked.slice(3)).toEqual(["read sub/c.txt 0"]);
    expect(await on.do((guest) => guest.stat("sub/c.txt"))).toMatchObject({ size: 5n });
    expect(on.asked).toHaveLength(4);
  });

  test("times are the disk's", async () => {
    const { disk, on } = make();
    const stat = await on.do((guest) => guest.stat("a.txt"));
    expect(stat).toMatchObject({ mtim: BigInt(disk.file("a.txt").modified) * 1_000_000n });
  });

  test("a large file comes in parts of 1 MiB, each once while it is at hand", async () => {
    const bytes = Uint8Array.from({ length: 3 * MiB + 17 }, (_, i) => (i * 31) >> 4);
    const disk = new FakeFolder("big", { f: bytes });
    const on = new FolderGuest({ "/big": disk });
    const fd = await on.do((guest) => guest.open("f"));
    let read = 0;
    for (;;) {
      const part = (await on.do((guest) => guest.read(fd, 50_000))) as Uint8Array;
      if (part.length === 0) break;
      expect(Buffer.compare(part, bytes.subarray(read, read + part.length))).toBe(0);
      read += part.length;
    }
    expect(read).toBe(bytes.length);
    expect(disk.file("f").reads).toEqual([
      [0, MiB],
      [MiB, 2 * MiB],
      [2 * MiB, 3 * MiB],
      [3 * MiB, 3 * MiB + 17],
    ]);
    expect(await on.do((guest) => guest.host.folderChanges())).toEqual([]);
  });

  test("a read of more than is asked at once comes short, and ends", async () => {
    const disk = new FakeFolder("big", { f: new Uint8Array(40 * MiB).fill(7) });
    const on = new FolderGuest({ "/big": disk });
    const fd = await on.do((guest) => guest.open("f"));
    const first = (await on.do((guest) => guest.read(fd, 60 * MiB))) as Uint8Array;
    expect(first.length).toBe(32 * MiB);
    const rest = (await on.do((guest) => guest.read(fd, 60 * MiB))) as Uint8Array;
    expect(rest.length).toBe(8 * MiB);
    expect(rest.every((byte) => byte === 7)).toBe(true);
  });

  test("errors of the disk are errnos", async () => {
    const { disk, on } = make();
    expect(await on.do((guest) => guest.open("nothing"))).toBe(-wasi.ERRNO_NOENT);
    disk.file("a.txt").broken = true;
    expect(await on.do((guest) => guest.open("a.txt"))).toBe(-wasi.ERRNO_IO);
    disk.file("a.txt").broken = false;
    expect(await on.do((guest) => guest.open("a.txt"))).toBeGreaterThan(3);
    (disk.children as Map<string, unknown>).delete("sub");
    expect(await on.do((guest) => guest.open("sub/x"))).toBe(-wasi.ERRNO_NOENT);
  });

  test("a page that does not answer is IO", () => {
    const { on } = make();
    const step = on.guest.step("path_create_directory", 3, ...on.guest.put("x")) as Exclude<
      Step,
      number
    >;
    expect(step.wait === "call" && step.resume({ ok: false })).toBe(wasi.ERRNO_IO);
  });
});

describe("changing", () => {
  test("is kept in memory, then written back: new, changed, cut, removed", async () => {
    const { disk, on } = make();
    const before = JSON.stringify(disk.show());
    const a = await on.do((guest) => guest.open("a.txt"));
    await on.do((guest) => guest.write(a, "ALP"));
    const b = await on.do((guest) => guest.open("b.txt", { oflags: wasi.OFLAGS_TRUNC }));
    await on.do((guest) => guest.write(b, "new beta!"));
    const made = await on.do((guest) => guest.open("sub/new.txt", CREAT));
    await on.do((guest) => guest.write(made, "made"));
    expect(await on.do((guest) => guest.path("path_create_directory", "dir"))).toBe(0);
    expect(await on.do((guest) => guest.path("path_unlink_file", "sub/c.txt"))).toBe(0);
    expect(await on.do((guest) => guest.path("path_remove_directory", "empty"))).toBe(0);
    expect(JSON.stringify(disk.show())).toBe(before);
    expect(on.guest.host.changedFiles()).toEqual({});
    await on.writeBack();
    expect(disk.show()).toEqual({
      "a.txt": "ALPha",
      "b.txt": "new beta!",
      sub: { deep: { d: "delta" }, "new.txt": "made" },
      dir: {},
    });
  });

  test("a byte in a large file writes back its block alone", async () => {
    const disk = new FakeFolder("big", { f: new Uint8Array(5 * MiB).fill(1) });
    const on = new FolderGuest({ "/big": disk });
    const fd = await on.do((guest) => guest.open("f"));
    on.guest.call("fd_seek", fd, BigInt(3 * MiB + 100), 0, RESULT);
    await on.do((guest) => guest.write(fd, "X"));
    const [change] = on.guest.host.folderChanges();
    expect(change).toMatchObject({ change: "write", keep: 5 * MiB, size: 5 * MiB });
    expect(
      change?.change === "write" && change.parts.map(({ at, bytes }) => [at, bytes.length]),
    ).toEqual([[3 * MiB, 65_536]]);
    expect(disk.file("f").reads).toEqual([[3 * MiB, 4 * MiB]]);
    await on.writeBack();
    const { bytes } = disk.file("f");
    expect([bytes.length, bytes[3 * MiB + 99], bytes[3 * MiB + 100], bytes[3 * MiB + 101]]).toEqual(
      [5 * MiB, 1, 88, 1],
    );
  });

  test("cutting and growing leaves zeros, not what the disk had", async () => {
    const { disk, on } = make();
    const fd = await on.do((guest) => guest.open("a.txt"));
    on.guest.call("fd_filestat_set_size", fd, 2n);
    on.guest.call("fd_filestat_set_size", fd, 4n);
    await on.writeBack();
    expect(disk.file("a.txt").text).toBe("al\0\0");
  });

  test("what moves is taken along, folders and all", async () => {
    const { disk, on } = make();
    expect(await on.do((guest) => guest.rename("sub", "moved"))).toBe(0);
    expect(await on.do((guest) => guest.rename("a.txt", "moved/deep/a.txt"))).toBe(0);
    expect(await on.do((guest) => guest.rename("b.txt", "moved/c.txt"))).toBe(0);
    await on.writeBack();
    expect(disk.show()).toEqual({
      empty: {},
      moved: { "c.txt": "beta", deep: { d: "delta", "a.txt": "alpha" } },
    });
  });

  test("a file that replaces a folder, and the other way round", async () => {
    const { disk, on } = make();
    await on.do((guest) => guest.path("path_remove_directory", "empty"));
    await on.do((guest) => guest.open("empty", CREAT));
    await on.do((guest) => guest.path("path_unlink_file", "a.txt"));
    await on.do((guest) => guest.path("path_create_directory", "a.txt"));
    await on.writeBack();
    expect(disk.show()).toMatchObject({ empty: "", "a.txt": {} });
  });

  test("there are no links in it", async () => {
    const { on } = make();
    expect(await on.do((guest) => guest.symlink("a.txt", "l"))).toBe(wasi.ERRNO_PERM);
    expect(await on.do((guest) => guest.link("a.txt", "l"))).toBe(wasi.ERRNO_PERM);
  });

  test("changed bytes count against the quota, read ones do not", async () => {
    const disk = new FakeFolder("d", { big: new Uint8Array(1000), small: "12345" });
    const on = new FolderGuest({ "/d": disk }, { quotas: { fileBytes: 100 } });
    const big = await on.do((guest) => guest.open("big"));
    expect(await on.do((guest) => (guest.read(big, 2000) as Uint8Array).length)).toBe(1000);
    expect(await on.do((guest) => guest.write(big, "x"))).toBe(-wasi.ERRNO_NOSPC);
    const small = await on.do((guest) => guest.open("small"));
    expect(await on.do((guest) => guest.write(small, "x".repeat(100)))).toBe(100);
    expect(await on.do((guest) => guest.write(small, "x"))).toBe(-wasi.ERRNO_NOSPC);
    await on.do((guest) => guest.path("path_unlink_file", "small"));
    on.guest.call("fd_close", small);
    const next = await on.do((guest) => guest.open("next", CREAT));
    expect(await on.do((guest) => guest.write(next, "x".repeat(100)))).toBe(100);
  });
});

describe("conflicts", () => {
  test("what was changed on the disk stays, and the run's bytes are in the error", async () => {
    const { disk, on } = make();
    for (const name of ["a.txt", "b.txt", "sub/c.txt", "fresh"]) {
      const fd = await on.do((guest) => guest.open(name, CREAT));
      await on.do((guest) => guest.write(fd, "RUN"));
    }
    await on.do((guest) => guest.path("path_unlink_file", "sub/deep/d"));
    disk.file("a.txt").set("edited by hand");
    disk.children.delete("b.txt");
    disk.file("sub/deep/d").set("also edited");
    await disk.getFileHandle("fresh", { create: true });
    const error = (await on.writeBack().catch((reason: unknown) => reason)) as SandboxError;
    expect(error).toBeInstanceOf(SandboxError);
    expect(error.code).toBe("conflict");
    const conflicts = error.data as FolderConflict[];
    const decode = (bytes: Uint8Array | null): string | null =>
      bytes && new TextDecoder().decode(bytes);
    conflicts.sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(conflicts.map(({ path, bytes }) => [path, decode(bytes)])).toEqual([
      ["a.txt", "RUNha"],
      ["b.txt", "RUNa"],
      ["fresh", "RUN"],
      ["sub/deep/d", null],
    ]);
    expect(disk.show()).toEqual({
      "a.txt": "edited by hand",
      sub: { "c.txt": "RUNma", deep: { d: "also edited" } },
      empty: {},
      fresh: "",
    });
  });

  test("a folder that others put something into is not removed", async () => {
    const { disk, on } = make();
    await on.do((guest) => guest.path("path_remove_directory", "empty"));
    await (await disk.getDirectoryHandle("empty")).getFileHandle("theirs", { create: true });
    await expect(on.writeBack()).rejects.toMatchObject({ code: "conflict" });
    expect(disk.show()).toMatchObject({ empty: { theirs: "" } });
  });

  test("a disk that is full loses nothing: the file stays, the bytes are in the error", async () => {
    const { disk, on } = make();
    const fd = await on.do((guest) => guest.open("a.txt", { oflags: wasi.OFLAGS_TRUNC }));
    await on.do((guest) => guest.write(fd, "long text"));
    const file = disk.file("a.txt");
    const writable = file.createWritable.bind(file);
    file.createWritable = async (options) => ({
      ...(await writable(options)),
      write: () => Promise.reject(new Error("QuotaExceededError")),
    });
    const error = (await on.writeBack().catch((reason: unknown) => reason)) as SandboxError;
    const [conflict] = error.data as FolderConflict[];
    expect(conflict).toMatchObject({
      folder: "work",
      path: "a.txt",
      reason: expect.stringContaining("Quota"),
    });
    expect(new TextDecoder().decode(conflict!.bytes!)).toBe("long text");
    expect(file.text).toBe("alpha");
  });
});
