// The body scanner: its binary is the one its text gives, it refuses what it must, and it never judges alone; Node.
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { BodyScanner } from "../../../src/wasm/body-scanner.ts";
import { SCANNER_BINARY } from "../../../src/wasm/scanner-binary.ts";
import { scannerText } from "../../../src/wasm/scanner-text.ts";
import { lebOf, wat } from "./wat.ts";

const binaryFile = new URL("../../../src/wasm/scanner-binary.ts", import.meta.url);

test("the binary is the one that the text gives (UPDATE_SCANNER=1 writes it)", () => {
  const bytes = wat(scannerText());
  const base64 = Buffer.from(bytes).toString("base64");
  if (process.env.UPDATE_SCANNER === "1") {
    const [firstLine] = readFileSync(binaryFile, "utf8").split("\n");
    const text = `/** ${bytes.length} bytes. */\nexport const SCANNER_BINARY =\n  "${base64}";\n`;
    writeFileSync(binaryFile, `${firstLine}\n\n${text}`);
  }
  expect(base64 === SCANNER_BINARY || process.env.UPDATE_SCANNER === "1").toBe(true);
});

/** Scans bodies of the given instructions, without locals; returns which were refused. */
function refusedOf(...bodies: readonly (readonly number[])[]): number[] {
  const piece = Uint8Array.from(bodies.flatMap((body) => [...lebOf(body.length + 1), 0, ...body]));
  const { taken, next, refused } = new BodyScanner().scan(piece, 0, piece.length, bodies.length);
  expect([taken, next]).toEqual([bodies.length, piece.length]);
  return refused.map(({ index }) => index);
}

describe("plain bodies pass", () => {
  test.each<[string, number[]]>([
    ["nothing", [0x0b]],
    [
      "constants of all lengths",
      [0x41, 0x7f, 0x41, 0x80, 0x80, 0x80, 0x80, 0x78, 0x41, 0xff, 0xff, 0xff, 0xff, 0x07, 0x0b],
    ],
    [
      "long i64",
      [
        0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f, 0x42, 0x80, 0x80, 0x80,
        0x80, 0x80, 0x01, 0x0b,
      ],
    ],
    [
      "floats",
      [0x43, 0xff, 0xff, 0xff, 0xff, 0x44, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0b],
    ],
    ["blocks", [0x02, 0x40, 0x03, 0x7f, 0x04, 0x40, 0x05, 0x0b, 0x0b, 0x0b, 0x0b]],
    ["memory", [0x28, 0x02, 0x00, 0x36, 0x02, 0x80, 0x80, 0x80, 0x80, 0x0f, 0x3f, 0x00, 0x0b]],
    ["br_table", [0x0e, 0x02, 0x00, 0x80, 0x01, 0x00, 0x0b]],
    ["call_indirect", [0x11, 0x80, 0x01, 0x00, 0x11, 0x00, 0x85, 0x00, 0x0b]],
    ["bulk memory", [0xfc, 0x0a, 0x00, 0x00, 0xfc, 0x0b, 0x00, 0xfc, 0x07, 0x0b]],
    [
      "simd",
      [
        0xfd,
        0x0c,
        ...Array<number>(16).fill(0xff),
        0xfd,
        0xff,
        0x01,
        0xfd,
        0x00,
        0x04,
        0x10,
        0xfd,
        0x15,
        0x01,
        0x0b,
      ],
    ],
  ])("%s", (_, body) => {
    // In every lane, and beside another body.
    expect(refusedOf(body, body, body, body, [0x01, 0x0b], body)).toEqual([]);
  });
});

describe("other bodies are refused", () => {
  test.each<[string, number[]]>([
    ["no end", [0x01]],
    ["bytes after the end", [0x0b, 0x01]],
    ["two ends", [0x0b, 0x0b]],
    ["an open block", [0x02, 0x40, 0x0b]],
    ["else without if", [0x02, 0x40, 0x05, 0x0b, 0x0b]],
    ["else twice", [0x04, 0x40, 0x05, 0x05, 0x0b, 0x0b]],
    ["else outside", [0x05, 0x0b]],
    ["an instruction cut by the end", [0x41, 0x0b]],
    ["a float cut by the end", [0x44, 0x0b]],
    ["i32 too long", [0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x0b]],
    ["i32 too large", [0x41, 0x80, 0x80, 0x80, 0x80, 0x08, 0x0b]],
    [
      "i64 too long",
      [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0x0b],
    ],
    ["i64 too large", [0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0x0b]],
    ["index too large", [0x20, 0x80, 0x80, 0x80, 0x80, 0x10, 0x0b]],
    ["offset too large", [0x28, 0x00, 0x80, 0x80, 0x80, 0x80, 0x10, 0x0b]],
    ["a memory index", [0x28, 0x40, 0x01, 0x00, 0x0b]],
    ["a memory's size by index", [0x3f, 0x01, 0x0b]],
    ["a block of a type index", [0x02, 0x00, 0x0b, 0x0b]],
    ["atomics", [0xfe, 0x03, 0x00, 0x0b]],
    ["a tail call", [0x12, 0x00, 0x0b]],
    ["exceptions", [0x06, 0x40, 0x19, 0x0b, 0x0b]],
    ["relaxed simd", [0xfd, 0x80, 0x02, 0x0b]],
    ["gaps of simd", [0xfd, 0x9a, 0x01, 0x0b]],
    ["table writes", [0x26, 0x00, 0x0b]],
    ["table.grow", [0xfc, 0x0f, 0x00, 0x0b]],
    ["data.drop", [0xfc, 0x09, 0x00, 0x0b]],
    ["an unknown opcode", [0xff, 0x0b]],
    ["br_table with too many labels", [0x0e, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0b]],
  ])("%s", (_, body) => {
    const plain = [0x01, 0x0b];
    expect(refusedOf(plain, body, plain, body, plain, plain, body)).toEqual([1, 3, 6]);
  });
});

test("a scan stops before a body that does not lie in the piece", () => {
  const piece = Uint8Array.of(2, 0, 0x0b, 3, 0, 0x01, 0x0b);
  const scanner = new BodyScanner();
  expect(scanner.scan(piece, 0, 6, 2)).toMatchObject({ taken: 1, next: 3 });
  expect(scanner.scan(piece, 0, 7, 1)).toMatchObject({ taken: 1, next: 3 });
  expect(scanner.scan(piece, 3, 7, 5)).toMatchObject({ taken: 1, next: 7 });
});

test("bodies that all run on past their ends cost no more than their bytes", () => {
  // Each ends in a constant that swallows the start of the next, so that a walk without bounds would never stop.
  const body = [3, 0, 0x44, 0x44];
  const piece = Uint8Array.from({ length: 512 * 1024 }, (_, i) => body[i % 4] as number);
  const scanner = new BodyScanner();
  const started = performance.now();
  let at = 0;
  for (let scans = 0; at < piece.length - 3 && scans < 2_000; scans++)
    at = scanner.scan(piece, at, piece.length, 2 ** 20).next;
  expect(performance.now() - started).toBeLessThan(2_000);
});
