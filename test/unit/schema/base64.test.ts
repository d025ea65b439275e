// Strict base64 beside Node's own, for every length and every way to be wrong; Node.

import { expect, test } from "vitest";
import { fromStrictBase64, isStrictBase64, toBase64 } from "../../../src/schema/base64.ts";
import { seeded } from "./random-schemas.ts";

test("every byte and every length comes back", () => {
  const random = seeded(5);
  const lengths = [...Array.from({ length: 70 }, (_, i) => i), 255, 256, 257, 65_537];
  for (const length of lengths) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i < 256 ? i : random() * 256));
    const text = toBase64(bytes);
    expect(text).toBe(Buffer.from(bytes).toString("base64"));
    expect(fromStrictBase64(text)).toEqual(bytes);
  }
});

test("a text is strict when Node writes it the same way again", () => {
  const alphabet = "ABab01+/-_= \n\u00e9\u0141";
  const random = seeded(6);
  for (let i = 0; i < 20_000; i++) {
    const length = Math.floor(random() * 9);
    const text = Array.from(
      { length },
      () => alphabet[Math.floor(random() * alphabet.length)],
    ).join("");
    const strict = Buffer.from(text, "base64").toString("base64") === text;
    expect([text, isStrictBase64(text)]).toEqual([text, strict]);
  }
});

test("unused bits must be zero", () => {
  expect(isStrictBase64("AA==")).toBe(true);
  expect(isStrictBase64("AB==")).toBe(false);
  expect(isStrictBase64("AAA=")).toBe(true);
  expect(isStrictBase64("AAB=")).toBe(false);
});

test("a view into a larger buffer is encoded as the view", () => {
  const buffer = Uint8Array.from([1, 2, 3, 4, 5]);
  expect(toBase64(buffer.subarray(1, 4))).toBe(Buffer.from([2, 3, 4]).toString("base64"));
});
