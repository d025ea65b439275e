// What the page may write as files and mounts, and what it becomes.

import { Directory, File, type Inode } from "@bjorn3/browser_wasi_shim";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { image } from "../../../src/files/image.ts";
import { memory } from "../../../src/files/memory.ts";
import {
  foldersOf,
  preopensFrom,
  type FileOptions,
  type PreopenSpec,
} from "../../../src/files/preopens.ts";
import type { FlatEntry } from "../../../src/files/tree.ts";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** The entries of a memory preopen as "path: content". */
function listOf(spec: PreopenSpec | undefined): string[] {
  if (spec?.source.kind !== "memory") throw new Error("not in memory");
  return spec.source.entries.map((entry: FlatEntry) =>
    entry.type === "file" ? `${entry.path}: ${decode(entry.bytes)}` : `${entry.path}/`,
  );
}

function codeOf(options: unknown): string {
  try {
    preopensFrom(options as FileOptions);
    return "none";
  } catch (error) {
    return error instanceof SandboxError ? error.code : String(error);
  }
}

describe("files", () => {
  test("text, bytes, buffers, views and nested folders; folders on the way are made", () => {
    const specs = preopensFrom({
      files: {
        "/a/b.txt": "é",
        "/c": new Uint8Array([104, 105]),
        "/d": new TextEncoder().encode("buffer").buffer,
        "/e/": {},
        "/f": { g: { h: "deep" } },
      },
    });
    expect(specs.map(({ path }) => path)).toEqual(["/"]);
    expect(listOf(specs[0])).toEqual([
      "a/",
      "a/b.txt: é",
      "c: hi",
      "d: buffer",
      "e/",
      "f/",
      "f/g/",
      "f/g/h: deep",
    ]);
  });

  test("names of Object.prototype are names", () => {
    const files = JSON.parse(
      '{"/__proto__": "p", "/constructor": {"__proto__": "q"}}',
    ) as FileOptions["files"];
    expect(listOf(preopensFrom({ files: files! })[0])).toEqual([
      "__proto__: p",
      "constructor/",
      "constructor/__proto__: q",
    ]);
  });

  test("File and Directory of the shim fit, maps and all", () => {
    const tree = new Directory(
      new Map<string, Inode>([
        ["x", new File(new TextEncoder().encode("shim"))],
        ["d", new Directory([])],
      ]),
    );
    expect(listOf(preopensFrom({ files: { "/s": tree } })[0])).toEqual(["s/", "s/x: shim", "s/d/"]);
    expect(listOf(preopensFrom({ mounts: { "/m": tree } })[0])).toEqual(["x: shim", "d/"]);
  });

  test("a folder with names like a shim's fields is a folder", () => {
    const folder = { data: new Uint8Array([1]), ino: "x", contents: "y", kind: "directory" };
    expect(listOf(preopensFrom({ files: { "/f": folder } })[0])).toHaveLength(5);
  });

  test.each([
    ["no slash in front", { "a.txt": "" }],
    ["an empty name", { "/a//b": "" }],
    ["a dot", { "/a/./b": "" }],
    ["two dots", { "/../b": "" }],
    ["NUL", { "/a\0": "" }],
    ["a lone surrogate", { "/\ud800": "" }],
    ["a name of 256 bytes", { [`/${"é".repeat(128)}`]: "" }],
    ["a path of 4,097 bytes", { [`/${"abcdefg/".repeat(512)}`]: "" }],
    ["129 levels", { [`/${"a/".repeat(128)}f`]: "" }],
    ["the root as a file", { "/": "x" }],
    ["a file with a slash at the end", { "/a/": "x" }],
    ["a file that is also a folder", { "/a": "", "/a/b": "" }],
    ["the same in the other order", { "/a/b": "", "/a": "" }],
    ["a slash in a nested name", { "/a": { "b/c": "" } }],
    ["dots in a nested name", { "/a": { "..": "" } }],
    ["a file given twice", { "/a/b": "", "/a": { b: "" } }],
  ])("bad_path: %s", (_name, files) => {
    expect(codeOf({ files })).toBe("bad_path");
  });

  test.each([
    ["a number", { "/a": 5 }],
    ["null", { "/a": null }],
    ["a date deep inside", { "/a": { b: { c: new Date() } } }],
  ])("bad_option: %s", (_name, files) => {
    expect(codeOf({ files })).toBe("bad_option");
  });

  test("what is no object at all is bad_option, an endless tree bad_path", () => {
    expect(codeOf({ files: 7 })).toBe("bad_option");
    expect(codeOf({ mounts: "x" })).toBe("bad_option");
    const endless: Record<string, unknown> = {};
    endless["self"] = endless;
    expect(codeOf({ files: { "/a": endless } })).toBe("bad_path");
  });
});

describe("mounts", () => {
  const pathsOf = (options: FileOptions): string[] => preopensFrom(options).map(({ path }) => path);

  test("order: / first when files are given or nothing is, then as listed", () => {
    expect(pathsOf({})).toEqual(["/"]);
    expect(pathsOf({ mounts: {} })).toEqual(["/"]);
    expect(pathsOf({ mounts: { "/z": memory({}), "/a/": memory({}) } })).toEqual(["/z", "/a"]);
    expect(pathsOf({ files: {}, mounts: { "/z": memory({}), "/a": memory({}) } })).toEqual([
      "/",
      "/z",
      "/a",
    ]);
  });

  test("an image crosses with its buffer, shared where there is shared memory", () => {
    const lib = image({ a: "x" });
    const [spec] = preopensFrom({ mounts: { "/lib": lib } });
    if (spec?.source.kind !== "image") throw new Error("no image");
    expect(spec.source.image.buffer).toBeInstanceOf(SharedArrayBuffer);
    const clone = structuredClone(spec);
    expect(clone).toEqual(spec);
  });

  test("a plain tree is a mount in memory", () => {
    expect(listOf(preopensFrom({ mounts: { "/data": { f: "x" } } })[0])).toEqual(["f: x"]);
  });

  test("a granted folder is told by its place among them", () => {
    const handle = (name: string) =>
      ({ kind: "directory", name, getFileHandle: () => {} }) as never;
    const mounts = { "/a": handle("A"), "/b": memory({}), "/c": handle("C") };
    const specs = preopensFrom({ mounts });
    expect(
      specs.map(({ source }) => (source.kind === "folder" ? source.folder : source.kind)),
    ).toEqual([0, "memory", 1]);
    expect(foldersOf(mounts).map(({ name }) => name)).toEqual(["A", "C"]);
  });

  test.each([
    ["the same twice", { mounts: { "/a": memory({}), "/a/": memory({}) } }, "bad_path"],
    ["no absolute path", { mounts: { a: memory({}) } }, "bad_path"],
    ["two roots", { files: {}, mounts: { "/": memory({}) } }, "bad_path"],
    ["a file under it", { files: { "/a/b": "" }, mounts: { "/a": memory({}) } }, "bad_path"],
    ["a file in its place", { files: { "/a": "" }, mounts: { "/a": memory({}) } }, "bad_path"],
    ["a file in its way", { files: { "/a": "" }, mounts: { "/a/b": memory({}) } }, "bad_path"],
    ["bytes", { mounts: { "/a": new Uint8Array(1) } }, "bad_option"],
    ["a promise", { mounts: { "/a": Promise.resolve(1) } }, "bad_option"],
    ["a number", { mounts: { "/a": 1 } }, "bad_option"],
    ["undefined", { mounts: { "/a": undefined } }, "bad_option"],
  ])("refused: %s", (_name, options, code) => {
    expect(codeOf(options)).toBe(code);
  });

  test("a folder of files may stand where a mount comes, and a mount at / alone is the root", () => {
    expect(pathsOf({ files: { "/a/": {} }, mounts: { "/a": memory({}) } })).toEqual(["/", "/a"]);
    expect(pathsOf({ mounts: { "/": memory({}), "/a": memory({}) } })).toEqual(["/", "/a"]);
  });
});
