// What the files of a library may be called; Node.

import { expect, test } from "vitest";
import { Library } from "../../../src/page/library.ts";

const BYTES = new Uint8Array([1]);

test.for<[what: string, files: unknown, code: string]>([
  ["an array", [], "bad_option"],
  ["nothing", null, "bad_option"],
  ["a file at the root", { "/a": BYTES }, "bad_option"],
  ["a folder", { "/": BYTES }, "bad_option"],
  ["no source of bytes", { "/lib/a": 1 }, "bad_option"],
  ["a path with ..", { "/lib/../a": BYTES }, "bad_path"],
  ["a path with an empty name", { "/lib//a": BYTES }, "bad_path"],
  ["a file that comes twice", { "/lib/a": BYTES, "/lib/a/": BYTES }, "bad_option"],
  ["a file inside another", { "/lib/a/b": BYTES, "/lib/a": BYTES }, "bad_option"],
  ["a file deep inside another", { "/lib/a": BYTES, "/lib/a/b/c": BYTES }, "bad_option"],
])("%s is refused", ([, files, code]) => {
  expect(() => new Library(files as Record<string, BufferSource>, fetch)).toThrow(
    expect.objectContaining({ code }),
  );
});

test("folders may lie in folders, and names may begin alike", async () => {
  const library = new Library({ "/a/b": BYTES, "/a/c/d": BYTES, "/a/bc/e": BYTES }, fetch);
  expect((await library.entries()).map(({ path }) => path)).toEqual(["a/b", "a/c/d", "a/bc/e"]);
});
