// Images of snapshots as bytes: they come back as they were, and whatever else anybody writes is refused before it is used; Node.

import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  decodeSnapshot,
  encodeSnapshot,
  type SnapshotOrigin,
} from "../../../src/page/snapshot-image.ts";
import type { ModuleFacts } from "../../../src/wasm/module-facts.ts";
import type { SnapshotImage } from "../../../src/wire/snapshot.ts";

const ORIGIN: SnapshotOrigin = {
  module: "ab".repeat(32),
  init: "init",
  args: ["json", "ü"],
  env: { B: "2", A: "1" },
};
const FACTS = {
  memory: {
    initial: 2,
    maximum: 8,
    imported: false,
    shared: false,
    is64: false,
    pageBytes: 65_536,
  },
  globals: [
    { type: "i32", mutable: true, imported: false, exportedAs: ["sp"] },
    { type: "i64", mutable: true, imported: false, exportedAs: ["wide"] },
    { type: "f64", mutable: true, imported: false, exportedAs: ["real"] },
    { type: "i32", mutable: false, imported: false, exportedAs: ["end"] },
  ],
} as unknown as ModuleFacts;
const IMAGE: SnapshotImage = {
  pages: 3,
  globals: [
    ["sp", -5],
    ["wide", 9_007_199_254_740_993n],
    ["real", 0.5],
  ],
  stretches: Uint32Array.of(8, 4, 100, 3, 196_607, 1),
  bytes: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
};

const encode = (change: Partial<SnapshotImage> = {}, origin = ORIGIN) =>
  encodeSnapshot({ ...IMAGE, ...change }, origin, false);

/** The code of the refusal, or what was read. */
function read(bytes: Uint8Array<ArrayBuffer>, origin = ORIGIN): unknown {
  try {
    return decodeSnapshot(bytes, origin, FACTS);
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

describe("an image", () => {
  test("comes back as it was, packed or not, wherever it lies in a buffer", async () => {
    const plain = await encode();
    expect(read(plain)).toEqual(IMAGE);
    const packed = await encodeSnapshot(IMAGE, ORIGIN, true);
    expect(Buffer.compare(gunzipSync(packed), plain)).toBe(0);
    const shifted = new Uint8Array(plain.length + 3);
    shifted.set(plain, 3);
    expect(read(shifted.subarray(3))).toEqual(IMAGE);
    expect(read(plain, { ...ORIGIN, env: { A: "1", B: "2" } })).toEqual(IMAGE);
  });

  test.each<Partial<SnapshotOrigin>>([
    { module: "cd".repeat(32) },
    { init: "other" },
    { args: ["json"] },
    { env: { A: "1" } },
  ])("of another origin is refused: %j", async (change) => {
    expect(read(await encode({}, { ...ORIGIN, ...change }))).toBe("bad_snapshot");
  });

  test.each<[string, Partial<SnapshotImage>]>([
    ["fewer pages than the module starts with", { pages: 1 }],
    ["more pages than it may have", { pages: 9 }],
    ["a broken number of pages", { pages: 2.5 }],
    ["a stretch past the end", { stretches: Uint32Array.of(196_608, 8) }],
    ["a stretch that wraps around", { stretches: Uint32Array.of(8, 4, 4_294_967_295, 4) }],
    ["stretches that overlap", { stretches: Uint32Array.of(8, 4, 11, 4) }],
    ["stretches out of order", { stretches: Uint32Array.of(100, 4, 8, 4) }],
    ["an empty stretch", { stretches: Uint32Array.of(8, 8, 100, 0) }],
    ["lengths that are more than the bytes", { stretches: Uint32Array.of(8, 9) }],
    ["lengths that are fewer", { stretches: Uint32Array.of(8, 7) }],
    ["a global too few", { globals: IMAGE.globals.slice(1) }],
    ["a global twice", { globals: [IMAGE.globals[0]!, ...IMAGE.globals.slice(0, 2)] }],
    ["a global that cannot be written", { globals: [["end", 1], ...IMAGE.globals.slice(1)] }],
    [
      "a number for an i64",
      {
        globals: [
          ["sp", 1],
          ["wide", 1],
          ["real", 1],
        ],
      },
    ],
    [
      "a bigint for an i32",
      {
        globals: [
          ["sp", 1n],
          ["wide", 1n],
          ["real", 1],
        ],
      },
    ],
  ])("with %s is refused", async (_name, change) => {
    expect(read(await encode(change))).toBe("bad_snapshot");
  });

  test("that is cut, longer, or of another kind is refused", async () => {
    const plain = await encode();
    for (let length = 0; length < plain.length; length += 1) {
      expect(read(plain.slice(0, length)), `${length} bytes`).toBe("bad_snapshot");
    }
    const longer = new Uint8Array(plain.length + 1);
    longer.set(plain);
    expect(read(longer)).toBe("bad_snapshot");
    expect(read(new Uint8Array(64))).toBe("bad_snapshot");
  });

  test("changed anywhere is refused, or says no more than a memory can hold", async () => {
    const plain = await encode();
    const content = plain.length - IMAGE.bytes.length;
    let refused = 0;
    for (let at = 0; at < content; at += 1) {
      for (const value of [0, 1, 0x20, 0x7f, 0x80, 0xff]) {
        const changed = plain.slice();
        if (changed[at] === value) continue;
        changed[at] = value;
        const image = read(changed);
        if (image === "bad_snapshot") {
          refused += 1;
          continue;
        }
        const { pages, stretches, bytes } = image as SnapshotImage;
        expect(pages).toBeLessThanOrEqual(8);
        let end = 0;
        let sum = 0;
        for (let index = 0; index < stretches.length; index += 2) {
          expect(stretches[index]).toBeGreaterThanOrEqual(end);
          end = stretches[index]! + stretches[index + 1]!;
          sum += stretches[index + 1]!;
        }
        expect(end).toBeLessThanOrEqual(pages * 65_536);
        expect(sum).toBe(bytes.length);
      }
    }
    expect(refused).toBeGreaterThan(1_000);
  });
});
