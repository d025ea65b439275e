// The pieces in which a whole module is walked: all of its bytes in order, and no section cut but the code; Node.

import { describe, expect, test } from "vitest";
import { sectionPieces } from "../../../src/wasm/section-pieces.ts";

const HEADER = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** A section with a size of two bytes and that many bytes of content. */
function section(id: number, size: number): number[] {
  return [id, (size & 0x7f) | 0x80, size >> 7, ...Array.from({ length: size }, (_, i) => i & 0xff)];
}

function lengths(bytes: Uint8Array, pieceBytes: number): number[] {
  return [...sectionPieces(bytes, pieceBytes)].map(({ length }) => length);
}

describe("pieces of a module", () => {
  const parts = [HEADER, section(0, 50), section(10, 400), section(11, 700), section(0, 90)];
  const module = Uint8Array.from(parts.flat());

  test("begin where the last one ended, and hold everything", () => {
    for (const pieceBytes of [1, 7, 64, 100, 1_000, 5_000]) {
      const pieces = [...sectionPieces(module, pieceBytes)];
      expect(pieces.flatMap((piece) => [...piece])).toEqual([...module]);
      for (const { buffer } of pieces) expect(buffer).toBe(module.buffer);
    }
  });

  test("cut the code where it falls, and no other section", () => {
    const [, , code, data] = parts.map(({ length }) => length) as [number, number, number, number];
    const before = HEADER.length + 53;
    const cuts = lengths(module, 100).map(
      (
        (at) => (length: number) =>
          (at += length)
      )(0),
    );
    const codeEnd = before + code;
    const inside = cuts.filter((cut) => cut > before && cut < codeEnd);
    expect(inside.length).toBeGreaterThanOrEqual(3);
    // What is not in the code is an end of a section.
    const ends = [before, codeEnd, codeEnd + data, module.length];
    for (const cut of cuts.filter((at) => !inside.includes(at))) expect(ends).toContain(cut);
    expect(Math.max(...lengths(module, 100))).toBeGreaterThan(700);
  });

  test("of what is malformed hold everything, too", () => {
    const broken = [
      [],
      HEADER.slice(0, 5),
      HEADER,
      [...HEADER, 11],
      [...HEADER, 11, 0xff, 0xff],
      [...HEADER, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3],
      [...HEADER, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3], // 4 GiB announced
      [...HEADER, 10, 0, 11, 0, 0],
    ];
    for (const bytes of broken) {
      for (const pieceBytes of [1, 4, 100]) {
        const pieces = [...sectionPieces(Uint8Array.from(bytes), pieceBytes)];
        expect(pieces.flatMap((piece) => [...piece])).toEqual(bytes);
        expect(pieces.every(({ length }) => length > 0)).toBe(true);
      }
    }
  });
});
