// A browser that refuses memory for a file's blocks: a full disk for the guest, never an exception through it.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { afterEach, describe, expect, test, vi } from "vitest";
import { FakeFolder } from "../../files/fake-folder.ts";
import { FolderHost } from "../../../../src/files/folder-host.ts";
import { FileSystem } from "../../../../src/files/file-system.ts";
import { leftFiles } from "../../../../src/worker/left-files.ts";
import { LeftTrees } from "../../../../src/worker/left-trees.ts";
import { createTreeHttpFiles } from "../../../../src/worker/tree-http-files.ts";
import type { GuestHttpOutput } from "../../../../src/worker/http-call.ts";
import { DATA, QUOTAS, RESULT, STRUCT, TestGuest } from "./test-guest.ts";

const BLOCK = 65_536;
const CREAT = { oflags: wasi.OFLAGS_CREAT };

/** From now on only so many arrays of a block's size are to be had; one more is a RangeError, as browsers throw it. */
function leaveRoomFor(blocks: number): void {
  let left = blocks;
  const refusing = new Proxy(Uint8Array, {
    construct(target, args: [number], self) {
      if (args[0] === BLOCK && left-- <= 0) throw new RangeError("Array buffer allocation failed");
      return Reflect.construct(target, args, self) as object;
    },
  });
  vi.stubGlobal("Uint8Array", refusing);
}

afterEach(() => vi.unstubAllGlobals());

const pattern = (length: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length }, (_, i) => i * 7 + 1);

describe("a write that finds no memory", () => {
  test("at its first block is NOSPC, and the file is as it was", () => {
    const guest = new TestGuest();
    const fd = guest.open("f", CREAT);
    expect(guest.write(fd, pattern(BLOCK))).toBe(BLOCK);
    leaveRoomFor(0);
    expect(guest.write(fd, pattern(100))).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.stat("f")).toMatchObject({ size: BigInt(BLOCK) });
    expect(guest.call("fd_tell", fd, 0)).toBe(0);
    expect(guest.u64(0)).toBe(BigInt(BLOCK));
  });

  test("later is short, what found room counts, and the rest reads as zeros once the file is longer", () => {
    const guest = new TestGuest({ pages: 16 });
    const fd = guest.open("f", CREAT);
    leaveRoomFor(2);
    const data = pattern(4 * BLOCK);
    expect(guest.write(fd, data)).toBe(2 * BLOCK);
    expect(guest.write(fd, data)).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.call("fd_filestat_set_size", fd, BigInt(4 * BLOCK))).toBe(0);
    vi.unstubAllGlobals();
    const { "/f": left } = guest.host.changedFiles();
    expect(left!.subarray(0, 2 * BLOCK)).toEqual(data.subarray(0, 2 * BLOCK));
    expect(left!.subarray(2 * BLOCK).every((byte) => byte === 0)).toBe(true);
  });

  test("leaves the quota to what was written", () => {
    const guest = new TestGuest({ pages: 16, quotas: { fileBytes: 3 * BLOCK } });
    const fd = guest.open("f", CREAT);
    leaveRoomFor(1);
    expect(guest.write(fd, pattern(3 * BLOCK))).toBe(BLOCK);
    vi.unstubAllGlobals();
    const other = guest.open("g", CREAT);
    expect(guest.write(other, pattern(2 * BLOCK))).toBe(2 * BLOCK);
    expect(guest.write(other, "x")).toBe(-wasi.ERRNO_NOSPC);
    expect(guest.call("fd_close", fd)).toBe(0);
    expect(guest.path("path_unlink_file", "f")).toBe(0);
    expect(guest.write(other, pattern(BLOCK))).toBe(BLOCK);
  });

  test("into an image's file leaves the image's bytes", () => {
    const guest = new TestGuest({ files: { "/f": pattern(2 * BLOCK) } });
    const fd = guest.open("f");
    leaveRoomFor(0);
    expect(guest.write(fd, "changed")).toBe(-wasi.ERRNO_NOSPC);
    vi.unstubAllGlobals();
    expect(guest.read(fd, 3)).toEqual(pattern(3));
  });
});

/** From now on no array of this many bytes is to be had. */
function refuse(bytes: number): void {
  vi.unstubAllGlobals();
  const refusing = new Proxy(Uint8Array, {
    construct(target, args: [number], self) {
      if (args[0] === bytes) throw new RangeError("Array buffer allocation failed");
      return Reflect.construct(target, args, self) as object;
    },
  });
  vi.stubGlobal("Uint8Array", refusing);
}

describe("output and the door device without memory for a copy", () => {
  test("are NOMEM, and go on once there is some", () => {
    const asked: string[] = [];
    const guest = new TestGuest({
      device: true,
      answer: (_kind, request) => {
        asked.push(new TextDecoder().decode(request));
        return { ok: true, bytes: pattern(4321) };
      },
    });
    const fd = guest.open("dev/door");
    // Two buffers, since one is copied by another way.
    const write = (to: number): number => {
      guest.put("abcdefg\n", DATA);
      for (const [i, word] of [DATA, 3, DATA + 3, 5].entries()) {
        guest.view.setUint32(STRUCT + i * 4, word, true);
      }
      const error = guest.call("fd_write", to, STRUCT, 2, RESULT);
      return error === 0 ? guest.u32(RESULT) : -error;
    };
    refuse(8);
    expect(write(1)).toBe(-wasi.ERRNO_NOMEM);
    refuse(3);
    expect(write(fd)).toBe(-wasi.ERRNO_NOMEM);
    refuse(7);
    expect(write(fd)).toBe(3); // the second buffer found no room behind the first
    vi.unstubAllGlobals();
    expect(asked).toEqual([]);
    expect(guest.write(fd, "x\n")).toBe(2);
    expect(asked).toEqual(["abcx"]);
    refuse(4322);
    expect(write(fd)).toBe(-wasi.ERRNO_NOMEM);
    vi.unstubAllGlobals();
    expect(write(fd)).toBe(8);
    expect(asked.slice(1)).toEqual(["abcdefg", "abcdefg"]);
    expect((guest.read(fd, 5000) as Uint8Array).length).toBe(4322);
    expect(write(1)).toBe(8);
    expect(guest.text(1)).toBe("abcdefg\n");
  });
});

describe("copies that find no memory", () => {
  const made = (): TestGuest => {
    const guest = new TestGuest();
    guest.write(guest.open("small", CREAT), "x");
    guest.write(guest.open("large", CREAT), pattern(12_345));
    return guest;
  };

  test("are told apart from a run without changes, whole or not at all", () => {
    const guest = made();
    const ended = { end: "exited", exitCode: 0 } as const;
    refuse(12_345);
    const without = leftFiles(ended, guest.host, undefined);
    vi.unstubAllGlobals();
    expect(without).toEqual({
      folders: [],
      lost: { what: ["files"], message: expect.stringContaining("allocation failed") as string },
    });
    expect(Object.keys(leftFiles(ended, guest.host, undefined).files!).sort()).toEqual([
      "/large",
      "/small",
    ]);
  });

  test("of a package are no result", () => {
    const guest = made();
    const trees = new LeftTrees(guest.host.preopens);
    guest.write(guest.open("large"), "y");
    refuse(12_345);
    const left = (): unknown => leftFiles({ end: "exited", exitCode: 0 }, guest.host, trees);
    expect(left).toThrow(expect.objectContaining({ code: "resource_exhausted" }));
  });

  test("any other failure is not taken for that", () => {
    const guest = made();
    const broken = { ...guest.host, changedFiles: () => [].at(0)!["x"] };
    expect(() => leftFiles({ end: "exited" }, broken, undefined)).toThrow(TypeError);
  });
});

test("an answer that is saved to a file is told that there is no room", () => {
  const files = new FileSystem({
    preopens: [{ path: "/", source: { kind: "memory", entries: [] } }],
    quotas: QUOTAS,
    devices: [],
    now: () => 0,
  });
  let output: GuestHttpOutput | undefined;
  createTreeHttpFiles(files.preopens).openOutput("/f", (opened) => {
    output = opened as GuestHttpOutput;
    return 0;
  });
  const told: unknown[] = [];
  const write = (): unknown =>
    output!.write(pattern(2 * BLOCK), (refused) => {
      told.push(refused);
      return 0;
    });
  leaveRoomFor(3);
  write();
  write();
  expect(told).toEqual([undefined, "quota"]);
  output!.discard();
  expect(files.usage.bytes).toBe(0);
});

test("a rename inside a granted folder, which takes the file in, is NOSPC", async () => {
  const host = new FolderHost([new FakeFolder("disk", { "a.bin": pattern(3 * BLOCK) })]);
  const answers = new Map<string, Uint8Array>();
  const guest = new TestGuest({
    preopens: [{ path: "/", source: { kind: "folder", folder: 0 } }],
    answer: (_kind, request) => {
      const bytes = answers.get(String(request));
      if (bytes === undefined) throw Object.assign(new Error("ask"), { request });
      return { ok: true, bytes };
    },
  });
  const asked = async (act: () => number): Promise<number> => {
    for (;;) {
      try {
        return act();
      } catch (error) {
        const { request } = error as { request: Uint8Array };
        answers.set(String(request), await host.answer(request));
      }
    }
  };
  const fd = await asked(() => guest.open("a.bin"));
  expect(await asked(() => (typeof guest.read(fd, 1) === "number" ? 1 : 0))).toBe(0);
  leaveRoomFor(1);
  expect(await asked(() => guest.rename("a.bin", "b.bin"))).toBe(wasi.ERRNO_NOSPC);
  vi.unstubAllGlobals();
  expect(guest.list(".")).toEqual(["a.bin"]);
  expect(await asked(() => guest.rename("a.bin", "b.bin"))).toBe(0);
  expect(guest.list(".")).toEqual(["b.bin"]);
});
