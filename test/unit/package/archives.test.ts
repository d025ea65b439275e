// Package archives: what is read, what is refused before anything is kept, and what packPackage makes; Node.

import { readFileSync } from "node:fs";
import { gzipSync, strToU8, unzipSync, zipSync, type Zippable } from "fflate";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { readArchive } from "../../../src/files/archive.ts";
import type { FlatEntry } from "../../../src/files/tree.ts";
import { writeZip } from "../../../src/files/write-zip.ts";
import { packPackage } from "../../../src/package/pack-package.ts";
import { readPackage } from "../../../src/package/read-package.ts";
import { tarEntry } from "./tar-entry.ts";

const guest = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../guests/${name}.wasm`, import.meta.url)));
const GREET = guest("packages/greet");
const MANIFEST = strToU8('{"abi":1,"name":"greeter"}');
const own = (bytes: Uint8Array) => new Uint8Array(bytes);

const zip = (files: Zippable) =>
  own(zipSync({ "module.wasm": GREET, "subako-package.json": MANIFEST, ...files }));

async function refusal(work: Promise<unknown>): Promise<SandboxError> {
  const error = await work.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason,
  );
  if (error instanceof SandboxError) return error;
  throw error;
}

function tarGz(...entries: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const parts = [
    tarEntry("module.wasm", GREET),
    tarEntry("subako-package.json", MANIFEST),
    ...entries,
    new Uint8Array(1024),
  ];
  return own(gzipSync(Buffer.concat(parts)));
}

const paths = (entries: readonly FlatEntry[]) => entries.map(({ path }) => path);

describe("what is read", () => {
  test("a bare module", async () => {
    expect(await readPackage(GREET)).toEqual({ module: GREET, manifest: undefined, assets: [] });
    const marked = new Uint8Array(600);
    marked.set(GREET.subarray(0, 8));
    marked.set(strToU8("ustar"), 257); // where a tar has it
    expect((await readPackage(marked)).module).toBe(marked);
  });

  test("zip: everything beside module and manifest is an asset", async () => {
    const parts = await readPackage(zip({ "names.txt": strToU8("Ada"), "a/b.txt": strToU8("b") }));
    expect(parts.module).toEqual(GREET);
    expect(parts.module.buffer.byteLength).toBe(GREET.length); // and not all of the archive
    expect(parts.manifest).toEqual({ abi: 1, name: "greeter" });
    expect(paths(parts.assets)).toEqual(["names.txt", "a", "a/b.txt"]);
  });

  test("tar.gz, with and without ./", async () => {
    const parts = await readPackage(tarGz(tarEntry("./a/b.txt", strToU8("b"))));
    expect(parts.module).toEqual(GREET);
    expect(paths(parts.assets)).toEqual(["a", "a/b.txt"]);
  });

  test("nothing at the top, but a hint where it lies", async () => {
    const bytes = own(zipSync({ "pkg/module.wasm": GREET, "subako-package.json": MANIFEST }));
    expect(await refusal(readPackage(bytes))).toMatchObject({
      code: "bad_package",
      message: expect.stringContaining("pkg/module.wasm"),
      data: { field: "module.wasm" },
    });
    const bare = own(zipSync({ "module.wasm": GREET }));
    expect(await refusal(readPackage(bare))).toMatchObject({
      data: { field: "subako-package.json" },
    });
  });
});

/** With other bytes in place of some; they have to be there, and as many. */
function patched(
  bytes: Uint8Array,
  from: string,
  to: string,
  most = Infinity,
): Uint8Array<ArrayBuffer> {
  const text = Buffer.from(bytes).toString("latin1");
  const parts = text.split(from);
  expect(parts.length).toBeGreaterThan(1);
  expect(to).toHaveLength(from.length);
  const head = parts.slice(0, most + 1).join(to);
  const tail = parts.slice(most + 1);
  return own(Buffer.from([head, ...tail].join(from), "latin1"));
}

/** Bits of a field of every entry of a zip's directory. */
function withField(bytes: Uint8Array<ArrayBuffer>, field: number, ...values: number[]) {
  const made = bytes.slice();
  const view = new DataView(made.buffer);
  for (let at = 0; at + 46 <= made.length; at++) {
    if (view.getUint32(at, true) === 0x0201_4b50) made.set(values, at + field);
  }
  return made;
}

const pax = (record: string): Uint8Array => {
  let length = 0;
  while (`${length} ${record}\n`.length !== length) length++;
  return strToU8(`${length} ${record}\n`);
};

describe("hostile archives", () => {
  const text = strToU8("x");
  const plain = zipSync({ "module.wasm": GREET, "subako-package.json": MANIFEST }, { level: 0 });
  test.each<[string, Uint8Array<ArrayBuffer>]>([
    ["an absolute path", zip({ "/etc/passwd": text })],
    ["a way up", zip({ "../x": text })],
    ["a way up inside", zip({ "a/../../x": text })],
    ["a dot inside", zip({ "a/./x": text })],
    ["a backslash", zip({ "a\\b": text })],
    ["a way up by backslashes", zip({ "..\\x": text })],
    ["names that differ by case", zip({ "a.txt": text, "A.txt": text })],
    ["folders that differ by case", zip({ "a/x": text, "A/y": text })],
    ["a module that differs by case", zip({ "MODULE.wasm": text })],
    ["names that differ by Unicode form", zip({ "\u00e9": text, "e\u0301": text })],
    ["names that differ by a special case", zip({ "stra\u00dfe": text, STRASSE: text })],
    ["a file and a folder of one name", zip({ a: text, "a/b": text })],
    ["a link in a zip", zip({ a: [text, { os: 3, attrs: 0o120777 << 16 }] })],
    ["a link in a tar", tarGz(tarEntry("a", new Uint8Array(0), "2", "/etc/passwd"))],
    ["a hard link in a tar", tarGz(tarEntry("a", new Uint8Array(0), "1", "module.wasm"))],
    ["a device in a tar", tarGz(tarEntry("a", new Uint8Array(0), "3"))],
    ["a file twice in a tar", tarGz(tarEntry("a", text), tarEntry("a", text))],
    ["an absolute path in a tar", tarGz(tarEntry("/a", text))],
    ["a way up in a tar", tarGz(tarEntry("a/../../b", text))],
    ["a cut archive", zip({}).slice(0, -30)],
    ["a cut tar.gz", tarGz().slice(0, -30)],
    ["a file twice in a zip", patched(zip({ aaa: text, aab: text }), "aab", "aaa")],
    ["another name in front of the data", patched(zip({ aaa: text }), "aaa", "aab", 1)],
    ["a wrong checksum of a stored file", patched(own(plain), '"abi":1', '"abi":2')],
    ["a wrong checksum of a packed file", withField(zip({}), 16, 1, 2, 3, 4)],
    ["an encrypted file", withField(zip({}), 8, 1)],
    ["a packing of another kind", withField(zip({}), 10, 93)],
    ["a zip64 size", withField(zip({}), 20, 0xff, 0xff, 0xff, 0xff)],
    ["a zip64 place", withField(zip({}), 42, 0xff, 0xff, 0xff, 0xff)],
    ["something behind a zip", own(Buffer.concat([zip({}), text]))],
    ["something behind a gzip", own(Buffer.concat([tarGz(), text]))],
    [
      "a second gzip behind the first",
      own(Buffer.concat([tarGz(), gzipSync(tarEntry("a", text))])),
    ],
    ["a file behind the end of a tar", tarGz(new Uint8Array(512), tarEntry("a", text))],
    ["a tar without an end", own(gzipSync(tarEntry("module.wasm", GREET)))],
    ["a pax name that leads out", tarGz(tarEntry("p", pax("path=../x"), "x"), tarEntry("a", text))],
    ["an absolute pax name", tarGz(tarEntry("p", pax("path=/x"), "x"), tarEntry("a", text))],
    [
      "a pax name with a backslash",
      tarGz(tarEntry("p", pax("path=a\\x"), "x"), tarEntry("a", text)),
    ],
    [
      "a GNU name that leads out",
      tarGz(tarEntry("L", strToU8("a/../../x\0"), "L"), tarEntry("a", text)),
    ],
    [
      "a pax name of another file",
      tarGz(tarEntry("p", pax("path=module.wasm"), "x"), tarEntry("a", text)),
    ],
  ])("%s", async (_, bytes) => {
    expect((await refusal(readPackage(bytes))).code).toBe("bad_archive");
  });

  test("a bomb by ratio, in zip and tar.gz; the same content with more around it passes", async () => {
    const zeros = new Uint8Array(8 * 2 ** 20);
    expect((await refusal(readPackage(zip({ bomb: zeros })))).code).toBe("quota");
    expect((await refusal(readPackage(tarGz(tarEntry("bomb", zeros))))).code).toBe("quota");
    const noise = crypto.getRandomValues(new Uint8Array(2 ** 16));
    const loose = zip({ bomb: zeros, noise: [noise, { level: 0 }], noise2: noise });
    expect((await readPackage(loose)).assets).toHaveLength(3);
  });

  test("the ratio at its edge: 100 times passes, a byte less around it does not", async () => {
    const zeros = new Uint8Array(4_000_000);
    const bare = zip({ zeros });
    const all = GREET.length + MANIFEST.length + zeros.length;
    const sized = (length: number): Uint8Array<ArrayBuffer> => {
      const made = own(Buffer.concat([bare, new Uint8Array(length - bare.length)]));
      new DataView(made.buffer).setUint16(bare.length - 2, length - bare.length, true); // a comment
      return made;
    };
    const least = Math.ceil(all / 100);
    expect((await readPackage(sized(least))).assets).toHaveLength(1);
    expect((await refusal(readPackage(sized(least - 1)))).code).toBe("quota");
  });

  test("long names of both kinds, a comment behind a zip and zeros behind a tar are no harm", async () => {
    const long = `${"long/".repeat(30)}name`;
    const named = tarGz(
      tarEntry("p", pax(`path=${long}`), "x"),
      tarEntry("a", text),
      tarEntry("L", strToU8(`${long}2\0`), "L"),
      tarEntry("a", text),
      new Uint8Array(10_240),
    );
    expect(paths((await readPackage(named)).assets).slice(-2)).toEqual([long, `${long}2`]);
    const commented = own(Buffer.concat([plain, strToU8("by me")]));
    commented[plain.length - 2] = 5;
    expect((await readPackage(commented)).module).toEqual(GREET);
  });

  test("a small archive may always unpack to 1 MiB, and to no byte more", async () => {
    const files = { "module.wasm": GREET.subarray(0, 8), "subako-package.json": MANIFEST };
    const sized = (bytes: number): Uint8Array<ArrayBuffer> => {
      const zeros = new Uint8Array(bytes - 8 - MANIFEST.length);
      return own(zipSync({ ...files, zeros }, { level: 9 }));
    };
    expect(sized(2 ** 20).length * 100).toBeLessThan(2 ** 19);
    expect((await readPackage(sized(2 ** 20))).assets).toHaveLength(1);
    expect((await refusal(readPackage(sized(2 ** 20 + 1)))).code).toBe("quota");
  });

  test("a bomb by count: 16,384 entries pass, more do not", async () => {
    const many = (count: number): Uint8Array<ArrayBuffer> => {
      const files: Zippable = {};
      for (let i = 0; i < count - 2; i++) files[`f${i}`] = [new Uint8Array(0), { level: 0 }];
      return zip(files);
    };
    expect((await readPackage(many(16_384))).assets).toHaveLength(16_382);
    expect((await refusal(readPackage(many(16_385)))).code).toBe("quota");
  });
});

describe("manifests", () => {
  test.each<[string, string, object]>([
    ["no JSON", "{", { field: "manifest" }],
    ["no object", "[1]", { field: "manifest" }],
    ["no abi", "{}", { field: "abi", limit: 1 }],
    ["a later abi", '{"abi":2}', { field: "abi", limit: 1 }],
    ["an abi as text", '{"abi":"1"}', { field: "abi", limit: 1 }],
    ["a name of 65", `{"abi":1,"name":"${"n".repeat(65)}"}`, { field: "name", limit: 64 }],
    [
      "a description of 1,025",
      `{"abi":1,"description":"${"d".repeat(1_025)}"}`,
      { field: "description" },
    ],
    ["a name with a NUL", '{"abi":1,"name":"a\\u0000b"}', { field: "name" }],
    ["a version that is a number", '{"abi":1,"version":1}', { field: "version" }],
    [
      "64 KiB and a byte",
      `{"abi":1,"x":"${"x".repeat(65_536 - 14)}"}`,
      { field: "size", limit: 65_536 },
    ],
  ])("%s", async (_, text, data) => {
    const bytes = own(zipSync({ "module.wasm": GREET, "subako-package.json": strToU8(text) }));
    const error = await refusal(readPackage(bytes));
    expect(error).toMatchObject({ code: "bad_package", data });
    if (text.includes("2}")) expect(error.message).toContain("abi 2");
  });

  test("keys that are not known stay, and the edges pass", async () => {
    const manifest = { abi: 1, name: "n".repeat(64), description: "😀".repeat(1_024), other: [1] };
    const bytes = own(
      zipSync({ "module.wasm": GREET, "subako-package.json": strToU8(JSON.stringify(manifest)) }),
    );
    expect((await readPackage(bytes)).manifest).toEqual(manifest);
  });
});

describe("packPackage", () => {
  test("what it packs is read back, and other tools read it", async () => {
    const assets = { "names.txt": "Ada\n", images: { "a.bin": new Uint8Array(100_000) } };
    const bytes = await packPackage({ module: GREET, name: "greeter", version: "1.0", assets });
    const parts = await readPackage(bytes);
    expect(parts.module).toEqual(GREET);
    expect(parts.manifest).toEqual({ abi: 1, name: "greeter", version: "1.0" });
    expect(paths(parts.assets)).toEqual(["names.txt", "images", "images/a.bin"]);
    const files = unzipSync(bytes);
    expect(Object.keys(files)).toEqual([
      "module.wasm",
      "subako-package.json",
      "names.txt",
      "images/",
      "images/a.bin",
    ]);
    expect(files["images/a.bin"]).toEqual(assets.images["a.bin"]);
    expect(bytes.length).toBeLessThan(20_000);
  });

  test("what shrinks too well is packed as it is: no reader takes it for a bomb", async () => {
    const bytes = await packPackage({
      module: GREET,
      assets: { zeros: new Uint8Array(8 * 2 ** 20) },
    });
    expect((await readPackage(bytes)).assets).toHaveLength(1);
    const assets = { a: new Uint8Array(2 ** 27), b: new Uint8Array(2 ** 27) };
    expect((await refusal(packPackage({ module: GREET, assets }))).code).toBe("quota");
  });

  test("the same options give the same bytes", async () => {
    const options = { module: GREET, assets: { a: "a" } };
    expect(await packPackage(options)).toEqual(await packPackage(options));
  });

  test("a module that is no package is refused, with every problem", async () => {
    const error = await refusal(packPackage({ module: guest("door-echo") }));
    expect(error.code).toBe("bad_package");
    expect((error.data as { problems: { code: string }[] }).problems[0]!.code).toBe(
      "import_module",
    );
  });

  test("assets that would not be read are not packed", async () => {
    const assets = [{ "a\\b": "" }, { a: "", A: "" }, { "module.wasm": "" }];
    for (const one of assets) {
      expect((await refusal(packPackage({ module: GREET, assets: one }))).code).toBe("bad_archive");
    }
    expect((await refusal(packPackage({ module: GREET, assets: { "..": "" } }))).code).toBe(
      "bad_path",
    );
    expect((await refusal(packPackage({ module: GREET, name: "n".repeat(65) }))).code).toBe(
      "bad_package",
    );
    expect((await refusal(packPackage({ module: "x" as never }))).code).toBe("bad_option");
  });
});

describe("writeZip", () => {
  test("folders, links, empty files, times and names in any script go there and back", async () => {
    const modified = Date.UTC(2026, 6, 28, 12, 34, 56);
    const entries: FlatEntry[] = [
      { path: "données", type: "directory" },
      { path: "données/空.txt", type: "file", bytes: new Uint8Array(0), modified },
      { path: "données/link", type: "link", target: "空.txt" },
      { path: "big", type: "file", bytes: new Uint8Array(300_000).fill(7), modified },
      {
        path: "noise",
        type: "file",
        bytes: crypto.getRandomValues(new Uint8Array(5_000)),
        modified,
      },
    ];
    expect(await readArchive(await writeZip(entries))).toEqual(entries);
  });

  test("bytes in shared memory are packed too", async () => {
    const bytes = new Uint8Array(new SharedArrayBuffer(8)).fill(3);
    const [entry] = await readArchive(
      await writeZip([{ path: "a", type: "file", bytes, modified: 0 }]),
    );
    expect(entry).toMatchObject({ bytes: new Uint8Array(8).fill(3) });
  });

  test("no archive of nothing is an archive of nothing", async () => {
    expect(await readArchive(await writeZip([]))).toEqual([]);
  });
});
