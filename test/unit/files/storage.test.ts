// The bytes of a file against a plain array, through random writes, cuts and reads.

import { describe, expect, test } from "vitest";
import { FileStorage } from "../../../src/files/storage.ts";

/** A small generator, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe.each([1, 2, 3, 4, 5, 6])("random use, seed %i", (seed) => {
  test("agrees with a plain array", () => {
    const next = random(seed);
    const base =
      seed % 2 === 0 ? Uint8Array.from({ length: 150_000 }, (_, i) => i % 253) : undefined;
    const storage = new FileStorage(base);
    let model: Uint8Array = base?.slice() ?? new Uint8Array(0);
    for (let round = 0; round < 300; round++) {
      const at = next(300_000);
      const length = next(4) === 0 ? next(150_000) : next(300);
      const action = next(10);
      if (action < 5) {
        const bytes = Uint8Array.from({ length: length + 3 }, () => next(256));
        storage.write(at, bytes, 3, length);
        if (length > 0 && at + length > model.length) model = grown(model, at + length);
        if (length > 0) model.set(bytes.subarray(3), at);
      } else if (action < 7) {
        const size = next(3) === 0 ? next(400_000) : Math.min(model.length, at);
        storage.resize(size);
        model = size < model.length ? model.slice(0, size) : grown(model, size);
      } else {
        const target = new Uint8Array(length + 10).fill(9);
        const count = storage.read(at, target, 5, length);
        const expected = model.subarray(at, at + length);
        expect(count).toBe(expected.length);
        expect(Buffer.compare(target.subarray(5, 5 + count), expected)).toBe(0);
        expect(target.subarray(5 + count).every((byte) => byte === 9)).toBe(true);
      }
      expect(storage.size).toBe(model.length);
    }
    expect(Buffer.compare(storage.toBytes(), model)).toBe(0);
    if (base) expect(base.every((byte, i) => byte === i % 253)).toBe(true);
  });
});

function grown(bytes: Uint8Array, size: number): Uint8Array {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}

test("appending costs the same at any size", () => {
  const storage = new FileStorage();
  const chunk = new Uint8Array(4096);
  const append = (): number => {
    const start = performance.now();
    for (let i = 0; i < 2048; i++) storage.write(storage.size, chunk, 0, 4096);
    return performance.now() - start;
  };
  append();
  const first = Math.min(append(), append());
  for (let i = 0; i < 10; i++) append();
  const last = Math.min(append(), append());
  // 8 MiB each; quadratic would be five times as much.
  expect(last).toBeLessThan(first * 4 + 20);
});
