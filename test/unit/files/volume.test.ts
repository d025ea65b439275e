// Volumes: what they hold, calls that wait for each other, and a disk whose page dies at every step of a save; Node.

import { describe, expect, test, vi } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { memoryVolume, openVolume } from "../../../src/files/open-volume.ts";
import { OpfsStore } from "../../../src/files/opfs-store.ts";
import { Volume } from "../../../src/files/volume.ts";
import type { EntryAfter, TreeAfter } from "../../../src/files/volume-content.ts";
import { writeZip } from "../../../src/files/write-zip.ts";
import { FakeDisk, FakeLocks } from "./fake-origin.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const bytes = (value: string) => new TextEncoder().encode(value);

async function code(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SandboxError) return error.code;
  return error === undefined ? "none" : (error as Error).name;
}

async function open(disk: FakeDisk, locks = new FakeLocks(), diesAt = Infinity): Promise<Volume> {
  return new Volume(await OpfsStore.open("notes", { folder: disk.page(diesAt), locks }));
}

/** Everything in a volume: text by path, null for folders. */
async function contentOf(volume: Volume): Promise<Record<string, string | null>> {
  const content: Record<string, string | null> = {};
  for (const { path, type } of await volume.list()) {
    content[path] = type === "file" ? text(await volume.read(path)) : null;
  }
  return content;
}

const data = (...entries: EntryAfter[]): TreeAfter[] => [{ path: "/volume/data", entries }];
const file = (path: string, value: string): EntryAfter => ({
  path,
  type: "file",
  bytes: bytes(value),
  modified: 5,
});

describe("a volume", () => {
  test("is written, listed, read and emptied", async () => {
    const volume = memoryVolume();
    await volume.write("/data/notes/today.txt", "hello");
    await volume.write("/tmp/a.bin", Uint8Array.of(1, 2, 3));
    expect(await volume.list()).toMatchObject([
      { path: "/data/notes", type: "directory", size: 0 },
      { path: "/data/notes/today.txt", type: "file", size: 5, modified: expect.any(Number) },
      { path: "/tmp/a.bin", type: "file", size: 3 },
    ]);
    expect(await volume.list("/tmp")).toHaveLength(1);
    expect(await volume.usage()).toEqual({ bytes: 8, files: 2 });
    const copy = await volume.read("/data/notes/today.txt");
    copy.fill(0);
    expect(text(await volume.read("/data/notes/today.txt"))).toBe("hello");
    await volume.remove("/data/notes");
    await volume.remove("/tmp");
    expect(await volume.list()).toEqual([]);
  });

  test("bytes that the caller changes later are not the volume's", async () => {
    const volume = memoryVolume();
    const own = bytes("own");
    await volume.write("/data/a", own);
    own.fill(0);
    expect(text(await volume.read("/data/a"))).toBe("own");
  });

  test.each([["data/a"], ["/"], ["/other/a"], ["/data/../x"], ["/data//x"], ["/datax/a"]])(
    "%j is no path in it",
    async (path) => expect(await code(memoryVolume().write(path, ""))).toBe("bad_path"),
  );

  test("what is not there, or is something else, is said", async () => {
    const volume = memoryVolume();
    await volume.write("/data/a/b", "");
    expect(await code(volume.read("/data/c"))).toBe("bad_path");
    expect(await code(volume.read("/data/a"))).toBe("bad_path");
    expect(await code(volume.write("/data/a", ""))).toBe("bad_path");
    expect(await code(volume.write("/data", ""))).toBe("bad_path");
    expect(await code(volume.write("/data/a/b/c", ""))).toBe("bad_path");
    expect(await code(volume.remove("/data/c"))).toBe("bad_path");
    expect(await code(volume.write("/data/x", 7 as never))).toBe("bad_option");
    expect(Object.keys(await contentOf(volume))).toEqual(["/data/a", "/data/a/b"]);
  });

  test("256 MiB pass, a byte more does not, and nothing is lost", async () => {
    const volume = memoryVolume();
    await volume.write("/data/a", new Uint8Array(2 ** 28 - 1));
    expect(await code(volume.write("/data/b", Uint8Array.of(1, 2)))).toBe("quota");
    await volume.write("/data/b", Uint8Array.of(1));
    expect((await volume.usage()).bytes).toBe(2 ** 28);
  });

  test("goes out and in again as a zip", async () => {
    const volume = memoryVolume();
    await volume.write("/data/notes/today.txt", "hello");
    await volume.write("/tmp/x", "x");
    const other = memoryVolume();
    await other.write("/data/old", "gone after the import");
    await other.import(await volume.export());
    expect(await contentOf(other)).toEqual(await contentOf(volume));
  });

  test("an archive with anything else in it is refused, and the volume stays", async () => {
    const volume = memoryVolume();
    await volume.write("/data/a", "a");
    const foreign = await writeZip([{ path: "etc/passwd", type: "file", bytes: bytes("x") }]);
    expect(await code(volume.import(foreign))).toBe("bad_path");
    expect(await code(volume.import(bytes("no archive")))).toBe("bad_archive");
    expect(await contentOf(volume)).toEqual({ "/data/a": "a" });
  });

  test("openVolume says where it cannot work, and which names it takes", async () => {
    expect(await code(openVolume("notes"))).toBe("unsupported");
    for (const name of ["", "x".repeat(65), 7 as never, "\ud800"]) {
      expect(await code(openVolume(name))).toBe("bad_option");
    }
  });
});

describe("calls", () => {
  test("commit as one: made, changed, renamed, removed, folders and links", async () => {
    const volume = memoryVolume();
    await volume.write("/data/keep", "keep");
    await volume.write("/data/old", "old");
    await volume.write("/tmp/t", "t");
    const value = await volume.use(undefined, async (content) => {
      expect(content.under("data").map(({ path }) => path)).toEqual(["keep", "old"]);
      return {
        value: 7,
        next: content.after(
          data(
            { path: "empty", type: "directory" },
            { path: "kept", type: "file", same: "keep", modified: 9 },
            { path: "link", type: "link", target: "kept" },
            file("new", "new"),
          ),
        ),
      };
    });
    expect(value).toBe(7);
    expect(await contentOf(volume)).toEqual({
      "/data/empty": null,
      "/data/kept": "keep",
      "/data/link": null,
      "/data/new": "new",
      "/tmp/t": "t",
    });
    expect((await volume.list("/data"))[1]).toMatchObject({ path: "/data/kept", modified: 9 });
  });

  test("one that throws, or does not complete, changes nothing", async () => {
    const volume = memoryVolume();
    await volume.write("/data/a", "a");
    const failing = volume.use(undefined, async () => {
      throw new Error("crash");
    });
    await expect(failing).rejects.toThrow("crash");
    await volume.use(undefined, async () => ({ value: 0 }));
    expect(await contentOf(volume)).toEqual({ "/data/a": "a" });
  });

  test("wait for each other in their order, whatever each comes to", async () => {
    const volume = memoryVolume();
    const said: string[] = [];
    const call = (name: string, ms: number, fails = false) =>
      volume.use(undefined, async () => {
        said.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        said.push(`${name} ends`);
        if (fails) throw new Error(name);
        return { value: name };
      });
    await Promise.allSettled([call("a", 20), call("b", 5, true), call("c", 1)]);
    expect(said).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  test("a signal ends the waiting, not the call before", async () => {
    const volume = memoryVolume();
    let end!: () => void;
    const first = volume.use<number>(
      undefined,
      () => new Promise((resolve) => (end = () => resolve({ value: 1 }))),
    );
    const stop = new AbortController();
    const second = volume.use(stop.signal, async () => ({ value: 2 }));
    const third = volume.use(undefined, async () => ({ value: 3 }));
    stop.abort();
    expect(await code(second)).toBe("aborted");
    end();
    expect([await first, await third]).toEqual([1, 3]);
    expect(await code(volume.use(AbortSignal.abort(), async () => ({ value: 4 })))).toBe("aborted");
  });
});

describe("a persistent volume", () => {
  test("is there again for the next page; tmp is not", async () => {
    const disk = new FakeDisk();
    const volume = await open(disk);
    await volume.write("/data/a/b", "b");
    await volume.write("/tmp/t", "t");
    expect(await contentOf(volume)).toEqual({ "/data/a": null, "/data/a/b": "b", "/tmp/t": "t" });
    expect(await contentOf(await open(disk))).toEqual({ "/data/a": null, "/data/a/b": "b" });
  });

  test("a save writes what changed and no more, and removes what nobody needs", async () => {
    const disk = new FakeDisk();
    const volume = await open(disk);
    await volume.write("/data/big", "x".repeat(100_000));
    await volume.write("/data/a", "1");
    disk.steps.length = 0;
    await volume.write("/data/a", "2");
    expect(disk.steps.filter((step) => step.startsWith("close")).length).toBe(2); // the blob, the list
    expect(disk.steps.at(-1)).toMatch(/^close list-/);
    expect(disk.blobs()).toHaveLength(3); // big, and both versions of a: the state before stays whole
    await volume.write("/data/a", "3");
    expect(disk.blobs()).toHaveLength(3);
    await volume.remove("/data/big");
    await volume.write("/data/a", "4");
    await volume.write("/data/a", "5");
    expect(disk.blobs()).toHaveLength(2);
  });

  test("two tabs see each other's commits, and never work at once", async () => {
    const disk = new FakeDisk();
    const locks = new FakeLocks();
    const [one, two] = [await open(disk, locks), await open(disk, locks)];
    const add = (volume: Volume) =>
      volume.use(undefined, async (content) => {
        const entry = content.get("data/count");
        const count = entry?.type === "file" ? Number(text(new Uint8Array(entry.bytes))) : 0;
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { value: count + 1, next: content.after(data(file("count", String(count + 1)))) };
      });
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(index % 2 ? one : two)));
    expect(text(await one.read("/data/count"))).toBe("20");
    expect(text(await (await open(disk)).read("/data/count"))).toBe("20");
    expect(locks.mostHeld).toBe(1);
  });

  test("delete removes everything, for other tabs too; then it can be used on", async () => {
    const disk = new FakeDisk();
    const locks = new FakeLocks();
    const [one, two] = [await open(disk, locks), await open(disk, locks)];
    await one.write("/data/a", "a");
    expect(Object.keys(await contentOf(two))).toEqual(["/data/a"]);
    await one.delete();
    expect(disk.bytes).toBe(0);
    expect(await contentOf(two)).toEqual({});
    await two.write("/data/b", "b");
    expect(await contentOf(one)).toEqual({ "/data/b": "b" });
  });

  test("one that another tab deleted and began anew is not taken for the one before", async () => {
    const disk = new FakeDisk();
    const locks = new FakeLocks();
    const [one, two] = [await open(disk, locks), await open(disk, locks)];
    await one.write("/data/a", "a");
    expect(Object.keys(await contentOf(two))).toEqual(["/data/a"]);
    await one.delete();
    // As many saves as the other tab has seen.
    await one.write("/data/b", "b");
    expect(await contentOf(two)).toEqual({ "/data/b": "b" });
    await two.write("/data/a", "a");
    expect(await contentOf(await open(disk))).toEqual({ "/data/a": "a", "/data/b": "b" });
  });

  test("a list of an earlier version, which names no life, is read and goes on", async () => {
    const { formatManifest } = await import("../../../src/files/volume-manifest.ts");
    const disk = new FakeDisk();
    await (await open(disk)).write("/data/a", "a");
    const earlier = { generation: 3, name: "notes", entries: [] };
    disk.volume().set("list-1", await formatManifest(earlier));
    const volume = await open(disk);
    expect(await contentOf(volume)).toEqual({});
    await volume.write("/data/b", "b");
    expect(await contentOf(await open(disk))).toEqual({ "/data/b": "b" });
  });

  test("out of room: typed, nothing lost, nothing left over", async () => {
    const disk = new FakeDisk();
    const volume = await open(disk);
    await volume.write("/data/a", "first");
    disk.quota = disk.bytes + 1_000;
    expect(await code(volume.write("/data/b", "x".repeat(2_000)))).toBe("quota");
    expect(await contentOf(volume)).toEqual({ "/data/a": "first" });
    expect(disk.blobs()).toHaveLength(1);
    expect(await contentOf(await open(disk))).toEqual({ "/data/a": "first" });
    disk.quota = Infinity;
    await volume.write("/data/b", "x".repeat(2_000));
    expect((await volume.usage()).files).toBe(2);
  });

  test("out of room before anything was saved: typed, too", async () => {
    const disk = new FakeDisk();
    disk.quota = 0;
    const volume = await open(disk);
    expect(await contentOf(volume)).toEqual({});
    expect(await code(volume.write("/data/a", "a"))).toBe("quota");
    disk.quota = Infinity;
    await volume.write("/data/a", "a");
    expect(await contentOf(await open(disk))).toEqual({ "/data/a": "a" });
  });

  test("a page that dies while it deletes leaves the volume whole, or empty", async () => {
    const before = new FakeDisk();
    for (const value of ["1", "2", "3"]) {
      // oxlint-disable-next-line no-await-in-loop -- both lists are there then, and blobs of both
      await (await open(before)).write("/data/a", value);
    }
    const outcomes = new Set<string>();
    for (let diesAt = 0; ; diesAt++) {
      const disk = before.copy();
      const died = (await code((await open(disk, new FakeLocks(), diesAt)).delete())) !== "none";
      const found = await open(disk);
      outcomes.add(JSON.stringify(await contentOf(found)));
      await found.write("/data/b", "b");
      if (!died) break;
    }
    expect([...outcomes]).toEqual(['{"/data/a":"3"}', "{}"]);
  });

  test("where the browser has no file system for this frame, it says so", async () => {
    const getDirectory = async (): Promise<never> => {
      throw Object.assign(new Error("not here"), { name: "SecurityError" });
    };
    vi.stubGlobal("navigator", { storage: { getDirectory }, locks: {} });
    try {
      expect(await code(openVolume("notes"))).toBe("unsupported");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test("a page that dies at any step of a save leaves the old state or the new one", async () => {
    const before = new FakeDisk();
    const first = await open(before);
    await first.write("/data/a", "old a");
    await first.write("/data/gone", "gone");
    await first.write("/data/big", "b".repeat(50_000));
    const old = await contentOf(first);
    const next = { "/data/a": "new a", "/data/big": "b".repeat(50_000), "/data/c": "c" };
    const change = (volume: Volume) =>
      volume.use(undefined, async (content) => ({
        value: 0,
        next: content.after(
          data(file("a", "new a"), file("c", "c"), {
            path: "big",
            type: "file",
            same: "big",
            modified: 1,
          }),
        ),
      }));
    const outcomes = new Set<string>();
    for (let diesAt = 0; ; diesAt++) {
      const disk = before.copy();
      const dying = await open(disk, new FakeLocks(), diesAt);
      const died = (await code(change(dying))) !== "none";
      const found = await open(disk);
      const now = await contentOf(found);
      expect([JSON.stringify(sorted(old)), JSON.stringify(sorted(next))]).toContain(
        JSON.stringify(sorted(now)),
      );
      outcomes.add("/data/c" in now ? "new" : "old");
      if (!died) expect(now).toEqual(next);
      // And it goes on from there, with nothing left over.
      await found.write("/data/after", "after");
      await found.write("/data/after", "after 2");
      await found.write("/data/after", "after 3");
      expect(text(await (await open(disk)).read("/data/after"))).toBe("after 3");
      expect(disk.blobs().length).toBe(Object.keys(now).length + 2);
      if (!died) break;
    }
    expect([...outcomes]).toEqual(["old", "new"]);
  });

  test("a page that dies at any step of the very first save leaves an empty volume or the new one", async () => {
    for (let diesAt = 0; ; diesAt++) {
      const disk = new FakeDisk();
      const died =
        (await code((await open(disk, new FakeLocks(), diesAt)).write("/data/a", "a"))) !== "none";
      expect([0, 1]).toContain(Object.keys(await contentOf(await open(disk))).length);
      if (!died) break;
    }
  });

  describe("that is damaged", () => {
    async function damagedDisk(): Promise<FakeDisk> {
      const disk = new FakeDisk();
      const volume = await open(disk);
      await volume.write("/data/a", "first");
      await volume.write("/data/a", "second");
      return disk;
    }

    test("one list is cut off: the state before stands in", async () => {
      for (const slot of ["list-0", "list-1"]) {
        const disk = await damagedDisk();
        const list = disk.volume().get(slot) as Uint8Array;
        disk.volume().set(slot, list.slice(0, -10));
        expect(["first", "second"]).toContain((await contentOf(await open(disk)))["/data/a"]);
      }
    });

    test("one list was changed: the state before stands in", async () => {
      const disk = await damagedDisk();
      const list = text(disk.volume().get("list-0") as Uint8Array);
      expect(list).toContain("data/a");
      disk.volume().set("list-0", bytes(list.replace("data/a", "data/b")));
      expect(await contentOf(await open(disk))).toEqual({ "/data/a": "first" });
    });

    test("one file has other bytes: the state before stands in", async () => {
      const disk = await damagedDisk();
      const blobs = disk.volume().get("blobs") as Map<string, Uint8Array>;
      for (const [name, content] of blobs)
        if (text(content) === "second") blobs.set(name, bytes("sec0nd"));
      expect(await contentOf(await open(disk))).toEqual({ "/data/a": "first" });
    });

    test("everything is: it says so, and can be deleted", async () => {
      const disk = await damagedDisk();
      for (const slot of ["list-0", "list-1"]) disk.volume().set(slot, bytes("{}"));
      const volume = await open(disk);
      expect(await code(volume.list())).toBe("bad_volume");
      expect(await code(volume.write("/data/b", ""))).toBe("bad_volume");
      await volume.delete();
      expect(await contentOf(volume)).toEqual({});
    });

    test("one that a later version stored is never discarded", async () => {
      const { formatManifest } = await import("../../../src/files/volume-manifest.ts");
      const disk = new FakeDisk();
      const storage = { getDirectory: async () => disk.page(), estimate: async () => ({}) };
      vi.stubGlobal("navigator", { storage, locks: new FakeLocks() });
      try {
        await (await openVolume("notes")).write("/data/a", "a");
        const [volume] = (disk.volume() as Map<string, Map<string, Uint8Array>>).values();
        const newer = { format: 2, generation: 9, name: "notes", entries: [] };
        volume!.set("list-1", await formatManifest(newer));
        expect(await code(openVolume("notes", { discardDamaged: true }))).toBe("bad_volume");
        expect(volume!.has("list-1")).toBe(true);
        volume!.set("list-1", bytes("{}"));
        const anew = await openVolume("notes", { discardDamaged: true });
        expect(await contentOf(anew)).toEqual({});
      } finally {
        vi.unstubAllGlobals();
      }
    });

    test("a list that leads elsewhere is no list, and one of a newer format is refused", async () => {
      const { formatManifest } = await import("../../../src/files/volume-manifest.ts");
      const entries = [{ path: "data/../x", type: "directory" as const }];
      const disk = await damagedDisk();
      const hostile = await formatManifest({ generation: 9, name: "notes", entries });
      disk.volume().set("list-1", hostile);
      disk.volume().delete("list-0");
      expect(await code((await open(disk)).list())).toBe("bad_volume");
      const newer = await formatManifest({
        format: 2,
        generation: 9,
        name: "notes",
        entries: [],
      } as never);
      disk.volume().set("list-1", newer);
      expect(await code((await open(disk)).list())).toBe("bad_volume");
    });
  });
});

function sorted(content: object): object {
  return Object.fromEntries(Object.entries(content).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
