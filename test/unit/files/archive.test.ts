// Archives: what is read, and what is refused because it is damaged or meant to harm.

import { gzipSync, strToU8, zipSync, type Zippable } from "fflate";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { readArchive } from "../../../src/files/archive.ts";
import { image } from "../../../src/files/image.ts";
import type { FlatEntry } from "../../../src/files/tree.ts";
import { crc32 } from "../../../src/files/crc32.ts";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const show = (entries: readonly FlatEntry[]): string[] =>
  entries.map((entry) =>
    entry.type === "file"
      ? `${entry.path}: ${decode(entry.bytes).slice(0, 20)}`
      : entry.type === "link"
        ? `${entry.path} -> ${entry.target}`
        : `${entry.path}/`,
  );

async function codeOf(bytes: Uint8Array, limits = {}): Promise<string> {
  try {
    await readArchive(bytes as Uint8Array<ArrayBuffer>, limits);
    return "none";
  } catch (error) {
    return error instanceof SandboxError ? error.code : String(error);
  }
}

interface TarItem {
  readonly name: string;
  readonly type?: string;
  readonly data?: string;
  readonly link?: string;
  readonly prefix?: string;
  readonly size?: number;
}

/** Writes a tar; `sum` false leaves a wrong checksum. */
function tar(items: readonly TarItem[], { sum = true, end = true } = {}): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (const { name, type = "0", data = "", link = "", prefix = "", size } of items) {
    const block = new Uint8Array(512);
    const put = (text: string, at: number): void => block.set(strToU8(text), at);
    const bytes = strToU8(data);
    put(name, 0);
    put("0000644\0", 100);
    put(`${(size ?? bytes.length).toString(8).padStart(11, "0")}\0`, 124);
    put("14000000000\0", 136);
    put("        ", 148);
    put(type, 156);
    put(link, 157);
    put("ustar\x0000", 257);
    put(prefix, 345);
    const total = block.reduce((a, b) => a + b, 0);
    put(`${(sum ? total : total + 1).toString(8).padStart(6, "0")}\0 `, 148);
    blocks.push(block, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  }
  if (end) blocks.push(new Uint8Array(1024));
  return Uint8Array.from(Buffer.concat(blocks));
}

/** A pax record: its length counts itself, in bytes. */
const pax = (...records: string[]): string =>
  records
    .map((record) => {
      let length = 0;
      while (Buffer.byteLength(`${length} ${record}\n`) !== length) length++;
      return `${length} ${record}\n`;
    })
    .join("");

describe("zip", () => {
  const tree: Zippable = {
    "a.txt": strToU8("stored"),
    lib: { "b.py": strToU8("x = 1\n".repeat(1000)), deep: { ü: strToU8("u") } },
  };

  test.each([0, 6, 9] as const)("at level %i", async (level) => {
    const entries = await readArchive(zipSync(tree, { level }));
    expect(show(entries)).toEqual([
      "a.txt: stored",
      "lib/",
      "lib/b.py: x = 1\nx = 1\nx = 1\nx ".slice(0, 30),
      "lib/deep/",
      "lib/deep/ü: u",
    ]);
    const file = entries.find(({ path }) => path === "lib/b.py");
    expect(file?.type === "file" && file.bytes.length).toBe(6000);
  });

  test("an empty one, times, and links", async () => {
    expect(await readArchive(zipSync({}))).toEqual([]);
    const zip = zipSync({
      f: [strToU8("x"), { mtime: new Date(2020, 5, 1, 12) }],
      l: [strToU8("../f"), { os: 3, attrs: 0xa1ff << 16 }],
    });
    const entries = await readArchive(zip);
    expect(show(entries)).toEqual(["f: x", "l -> ../f"]);
    const [file] = entries;
    expect(file?.type === "file" && new Date(file.modified!).getUTCFullYear()).toBe(2020);
  });

  test.each(["../evil", "/abs", "a/../../b", "a//b", "a/./b", "n".repeat(300)])(
    "refuses the name %j",
    async (name) => {
      const placeholder = "x".repeat(name.length);
      const zip = zipSync({ [placeholder]: strToU8("bad") }, { level: 0 });
      // The library does not write such names, so they are put in afterwards.
      const text = Buffer.from(zip).toString("latin1").replaceAll(placeholder, name);
      expect(await codeOf(Uint8Array.from(Buffer.from(text, "latin1")))).toBe("bad_archive");
    },
  );

  test("refuses what is cut off, anywhere", async () => {
    const zip = zipSync(tree);
    for (let length = 0; length < zip.length; length += 7) {
      expect(await codeOf(zip.slice(0, length)), String(length)).toBe("bad_archive");
    }
  });

  test("refuses damage of every byte, or reads the same files", async () => {
    const zip = zipSync({ f: strToU8("some content ".repeat(20)), g: strToU8("stored") });
    const good = show(await readArchive(zip)).join();
    for (let i = 0; i < zip.length; i++) {
      const damaged = zip.slice();
      damaged[i]! ^= 0x55;
      const result = await readArchive(damaged).then(show, (error: SandboxError) => error.code);
      if (typeof result === "string") expect(result).toMatch(/^(bad_archive|quota)$/);
      else {
        const contents = result.map((line) => line.split(": ")[1]).join();
        expect(contents).toBe(good.replaceAll(/[fg]: /g, ""));
      }
    }
  });

  test("refuses entries that overlap, encrypted ones, unknown methods, zip64", async () => {
    const zip = zipSync({ f: strToU8("one"), g: strToU8("two") }, { level: 0 });
    const directory = Buffer.from(zip).indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    const second = Buffer.from(zip).indexOf(Buffer.from([0x50, 0x4b, 1, 2]), directory + 1);
    const patched = (at: number, ...bytes: number[]): Uint8Array => {
      const copy = zip.slice();
      copy.set(bytes, at);
      return copy;
    };
    expect(await codeOf(patched(second + 42, 0, 0, 0, 0))).toBe("bad_archive");
    // The same bytes twice, as a bomb has them: nothing but their place is wrong.
    const twins = zipSync({ f: strToU8("one"), g: strToU8("one") }, { level: 0 });
    twins.set([0, 0, 0, 0], second + 42);
    expect(await codeOf(twins)).toBe("bad_archive");
    expect(await codeOf(patched(directory + 8, 1))).toBe("bad_archive");
    expect(await codeOf(patched(directory + 10, 12))).toBe("bad_archive");
    expect(await codeOf(patched(zip.length - 12, 0xff, 0xff))).toBe("bad_archive");
  });

  test("a bomb is refused before it is unpacked, a liar while it is", async () => {
    const zip = zipSync({ bomb: new Uint8Array(50_000_000) });
    expect(zip.length).toBeLessThan(100_000);
    const start = performance.now();
    expect(await codeOf(zip, { bytes: 1_000_000 })).toBe("quota");
    expect(performance.now() - start).toBeLessThan(500);
    const liar = zip.slice();
    const directory = Buffer.from(zip).indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    liar.set([100, 0, 0, 0], directory + 24);
    expect(await codeOf(liar, { bytes: 1_000_000 })).toMatch(/quota|bad_archive/);
    expect(
      await codeOf(
        zipSync(Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}`, strToU8("")]))),
        { entries: 10 },
      ),
    ).toBe("quota");
  });
});

describe("tar", () => {
  test("files, folders, links, prefixes, long names; plain or gzipped", async () => {
    const long = `${"long/".repeat(30)}name`;
    const bytes = tar([
      { name: "./", type: "5" },
      { name: "./a", data: "A" },
      { name: "d/", type: "5" },
      { name: "d/hard", type: "1", link: "a" },
      { name: "d/soft", type: "2", link: "../a" },
      { name: "deep", prefix: "some/prefix", data: "p" },
      { name: "././@LongLink", type: "L", data: `${long}\0` },
      { name: long.slice(0, 100), data: "gnu" },
      { name: "pax", type: "x", data: pax("path=päx/名", "mtime=1234.5") },
      { name: "short", data: "pax" },
    ]);
    const expected = [
      "a: A",
      "d/",
      "d/hard: A",
      "d/soft -> ../a",
      "some/",
      "some/prefix/",
      "some/prefix/deep: p",
    ];
    const plain = show(await readArchive(bytes as Uint8Array<ArrayBuffer>));
    expect(plain.slice(0, 7)).toEqual(expected);
    expect(plain).toContain(`${long}: gnu`);
    expect(plain).toContain("päx/名: pax");
    expect(show(await readArchive(gzipSync(bytes)))).toEqual(plain);
  });

  test.each([
    ["a name that leads out", [{ name: "../x" }]],
    ["an absolute name", [{ name: "/etc/passwd" }]],
    ["a device", [{ name: "dev", type: "3" }]],
    ["a hard link to nothing", [{ name: "x", type: "1", link: "y" }]],
    ["a file below a link", [{ name: "l", type: "2", link: "/" }, { name: "l/x" }]],
    ["the same twice", [{ name: "x" }, { name: "x" }]],
    ["a size that is not there", [{ name: "x", size: 10_000 }]],
    ["a damaged pax header", [{ name: "p", type: "x", data: "99 path=x\n" }, { name: "x" }]],
    [
      "a pax size that is spelled oddly",
      [
        { name: "p", type: "x", data: pax("size=1e1") },
        { name: "x", data: "0123456789" },
      ],
    ],
    [
      "a pax length that is spelled oddly",
      [{ name: "p", type: "x", data: "0x9 a=b\n" }, { name: "x" }],
    ],
  ])("refuses %s", async (_name, items) => {
    expect(await codeOf(tar(items))).toBe("bad_archive");
  });

  test("a pax record without a value is none", async () => {
    const entries = await readArchive(
      tar([
        { name: "p", type: "x", data: pax("path=other", "path=") },
        { name: "x", data: "X" },
      ]) as Uint8Array<ArrayBuffer>,
    );
    expect(show(entries)).toEqual(["x: X"]);
  });

  test("refuses wrong checksums, missing ends, damaged gzip, and what is no archive", async () => {
    expect(await codeOf(tar([{ name: "x" }], { sum: false }))).toBe("bad_archive");
    expect(await codeOf(tar([{ name: "x" }], { end: false }))).toBe("bad_archive");
    const zipped = gzipSync(tar([{ name: "x", data: "content" }]));
    zipped[20]! ^= 0xff;
    expect(await codeOf(zipped)).toBe("bad_archive");
    expect(await codeOf(gzipSync(tar([{ name: "x" }])).slice(0, 40))).toBe("bad_archive");
    expect(await codeOf(strToU8("<!doctype html>"))).toBe("bad_archive");
    expect(await codeOf(new Uint8Array(0))).toBe("bad_archive");
  });

  test("a bomb is stopped while it unpacks", async () => {
    const bomb = gzipSync(new Uint8Array(80_000_000));
    expect(await codeOf(bomb, { bytes: 1000 })).toBe("quota");
    expect(await codeOf(tar([{ name: "x", data: "12345" }]), { bytes: 4 })).toBe("quota");
  });
});

test("crc32 is that of zip, at any length and place", async () => {
  expect(await crc32(strToU8("123456789"))).toBe(0xcbf4_3926);
  expect(await crc32(new Uint8Array(0))).toBe(0);
  const noise = Uint8Array.from({ length: 2 ** 20 + 9 }, (_, i) => (i * 2_654_435_761) >>> 13);
  for (const [from, to] of [
    [0, 1],
    [1, 4],
    [3, 8],
    [2, 2 ** 20 + 2],
    [5, 2 ** 20 + 8],
  ]) {
    const bytes = noise.subarray(from, to);
    expect(await crc32(bytes)).toBe(byBits(bytes));
  }
});

/** By its definition, bit by bit. */
function byBits(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb8_8320 ^ (crc >>> 1) : crc >>> 1;
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

describe("image", () => {
  test("of objects is there at once, of an archive is a promise", async () => {
    const now = image({ a: "x", d: { b: "y" } });
    expect(now.data.entries.map((entry) => entry[1])).toEqual(["a", "d", "d/b"]);
    const later = await image(zipSync({ lib: { "m.py": strToU8("pass") }, other: strToU8("") }), {
      root: "lib",
    });
    expect(later.data.entries.map((entry) => entry[1])).toEqual(["m.py"]);
    expect(later.data.id).not.toBe(now.data.id);
    expect(later.writable().copyOnWrite).toBe(true);
    await expect(image(zipSync({}), { root: "lib" })).rejects.toMatchObject({ code: "bad_path" });
  });

  test("is fetched with progress from a Response or a URL", async () => {
    const zip = zipSync({ f: new Uint8Array(100_000).map((_, i) => (i * 7919) >> 3) });
    const seen: number[] = [];
    const response = new Response(zip, {
      headers: { "content-length": String(zip.length) },
    });
    const made = await image(response, {
      onProgress: ({ loaded, total }) => seen.push(loaded, total!),
    });
    expect(seen.slice(-2)).toEqual([zip.length, zip.length]);
    expect(made.data.entries).toHaveLength(1);
    const url = `data:application/zip;base64,${Buffer.from(zip).toString("base64")}`;
    expect((await image(url)).data.entries).toHaveLength(1);
  });

  test("a file of more than 256 MiB is not read", async () => {
    const sized = (size: number): Blob =>
      Object.defineProperty(new Blob(["no archive"]), "size", { value: size });
    await expect(image(sized(2 ** 28))).rejects.toMatchObject({ code: "bad_archive" });
    await expect(image(sized(2 ** 28 + 1))).rejects.toMatchObject({ code: "quota" });
  });

  test("rejects with what onProgress throws", async () => {
    const thrown = new Error("the progress bar is gone");
    const made = image(new Response(zipSync({ f: strToU8("x") })), {
      onProgress: () => {
        throw thrown;
      },
    });
    await expect(made).rejects.toBe(thrown);
  });

  test("says why it could not be had", async () => {
    await expect(image(new Response("no", { status: 404 }))).rejects.toMatchObject({
      code: "load_failed",
    });
    await expect(image("http://127.0.0.1:9/none.zip")).rejects.toMatchObject({
      code: "load_failed",
    });
    await expect(image(new Response("text"))).rejects.toMatchObject({ code: "bad_archive" });
    await expect(image("data:,x", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
    expect(() => image({ "a/b": "x" })).toThrow(expect.objectContaining({ code: "bad_path" }));
  });
});
