// Parts of the build of Python that can be wrong without a compiler: exports, steps, patches; Node.

import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import wabt from "wabt";
import { cutColdData } from "../../../guests/python/build/cold-data.mjs";
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

const TABLES = `(module (memory (export "memory") 1)
  (data (i32.const 1000) "before--COLDTABLE-ONEafter")
  (data (i32.const 5000) "\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01\\01"))`;
const MAP = `    Addr      Off     Size Out     In      Symbol
     3e8       10        8         a.o:(.rodata.before)
     3f0       18        9         cold.o:(.rodata.table)
     3f9       21        4         cold.o:(.rodata.one)
     3fd       25        5         b.o:(.rodata.after)
    1388       40       18         t.o:(.data.table)
`;

test("constants that are cut lie in a file, and the module knows where", async () => {
  const compiler = await wabt();
  const { buffer } = compiler.parseWat("tables.wat", TABLES).toBinary({});
  const { module, data } = cutColdData(buffer, MAP, ["cold.o"], "t.o:(.data.table)", 100);
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(module)));
  const memory = Buffer.from((exports["memory"] as WebAssembly.Memory).buffer);
  expect(memory.subarray(1000, 1026).toString("latin1")).toBe(`before--${"\0".repeat(13)}after`);
  expect(data.subarray(8).toString()).toBe("COLDTABLE-ONE");
  expect(memory.subarray(5000, 5008).equals(data.subarray(0, 8))).toBe(true);
  const numbers = [0, 4, 8].map((at) => memory.readUInt32LE(5008 + at));
  expect(numbers).toEqual([1008, 13, 108]); // address, length, place in the file
});

test("what the map does not say, or says of somebody else, stops the build", async () => {
  const compiler = await wabt();
  const { buffer } = compiler.parseWat("tables.wat", TABLES).toBinary({});
  const cut =
    (map: string, object = "cold.o", table = "t.o:(.data.table)") =>
    () =>
      cutColdData(buffer, map, [object], table, 0);
  expect(cut(MAP, "none.o")).toThrow(/no constants of none\.o/);
  expect(cut(MAP, "cold.o", "t.o:(.data.other)")).toThrow(/no room/);
  expect(cut(MAP.replace("       18         t.o", "       10         t.o"))).toThrow(/no room/);
  const foreign = "     3f4       1c        2         c.o:(.rodata.x)\n";
  expect(cut(MAP + foreign)).toThrow(/c\.o:\(\.rodata\.x\) lies among/);
  expect(cut(MAP.replace("1388", "9999"))).toThrow(/no segment/);
});
