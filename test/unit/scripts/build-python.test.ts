// Parts of the build of Python that can be wrong without a compiler: exports, steps, patches; Node.

import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepExports } from "../../../guests/python/build/keep-exports.mjs";
import { PATCHES, patchSources } from "../../../guests/python/build/patches.mjs";

const guest = readFileSync(new URL("../../guests/door-echo.wasm", import.meta.url));
const names = (module: Uint8Array): string[] =>
  WebAssembly.Module.exports(new WebAssembly.Module(Uint8Array.from(module))).map(
    ({ name }) => name,
  );

test("only the named exports are left, and the module is whole", () => {
  expect(names(guest)).toContain("_start");
  const kept = keepExports(guest, ["memory", "host_alloc"]);
  expect(names(kept).toSorted()).toEqual(["host_alloc", "memory"]);
  expect(names(keepExports(guest, names(guest)))).toEqual(names(guest));
});

test("an export that is not there stops the build", () => {
  expect(() => keepExports(guest, ["memory", "snapshot_init"])).toThrow(/snapshot_init/);
});

test("a patch is made once, and stops the build where its place is gone or there twice", () => {
  const folder = mkdtempSync(join(tmpdir(), "patches-"));
  try {
    const write = (times: (from: string) => string): void => {
      const texts = new Map<string, string>();
      for (const { file, from } of PATCHES) {
        texts.set(file, `${texts.get(file) ?? ""}before\n${times(from)}after\n`);
      }
      for (const [file, text] of texts) {
        mkdirSync(join(folder, file, ".."), { recursive: true });
        writeFileSync(join(folder, file), text);
      }
    };
    write((from) => from);
    patchSources(folder);
    for (const { file, from, to } of PATCHES) {
      const text = readFileSync(join(folder, file), "utf8");
      expect(text).toContain(to);
      if (!to.includes(from)) expect(text).not.toContain(from);
    }
    write((from) => from + from);
    expect(() => patchSources(folder)).toThrow(/not what its patch was made for/);
    write(() => "");
    expect(() => patchSources(folder)).toThrow(/not what its patch was made for/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
