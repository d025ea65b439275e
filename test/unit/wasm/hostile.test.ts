// Modules made to cost more than their size: every one is done or refused in time that its bytes are worth; Node.
import { expect, test } from "vitest";
import { inspectModule } from "../../../src/package/inspect-module.ts";
import { readModule } from "../../../src/wasm/bound-module.ts";
import { errorOf, lebOf } from "./wat.ts";

/** A section of many times the same entry, in a module of its own or after others. */
function many(
  before: readonly number[],
  section: number,
  count: number,
  entry: readonly number[],
): Uint8Array {
  const head = [section, ...lebOf(lebOf(count).length + count * entry.length), ...lebOf(count)];
  const bytes = new Uint8Array(8 + before.length + head.length + count * entry.length);
  bytes.set([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...before, ...head]);
  for (let at = bytes.length - count * entry.length; at < bytes.length; at += entry.length)
    bytes.set(entry, at);
  return bytes;
}

/** One function of a huge body: no locals, the given bytes again and again, an end. */
function hugeBody(
  start: readonly number[],
  count: number,
  repeated: readonly number[],
): Uint8Array {
  const size = 1 + start.length + count * repeated.length + 1;
  const head = [
    1,
    4,
    1,
    0x60,
    0,
    0,
    3,
    2,
    1,
    0,
    10,
    ...lebOf(1 + lebOf(size).length + size),
    1,
    ...lebOf(size),
    0,
    ...start,
  ];
  const bytes = new Uint8Array(8 + head.length + count * repeated.length + 1);
  bytes.set([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...head]);
  for (let i = 0; i < count; i++) bytes.set(repeated, 8 + head.length + i * repeated.length);
  bytes[bytes.length - 1] = 0x0b;
  return bytes;
}

const M = 1_000_000;
/** Type (), and a million functions of it. */
const functions = [...many([], 1, 1, [0x60, 0, 0]).subarray(8), ...many([], 3, M, [0]).subarray(8)];
const manyFunctions = (body: readonly number[]): Uint8Array => {
  const code = many([], 10, M, [body.length + 1, 0, ...body]).subarray(8);
  const bytes = new Uint8Array(8 + functions.length + code.length);
  bytes.set([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
  bytes.set(functions, 8);
  bytes.set(code, 8 + functions.length);
  return bytes;
};
const type = (parameters: number): number[] => [
  0x60,
  ...lebOf(parameters),
  ...Array.from({ length: parameters }, () => 0x7f),
  0,
];

test.each<[string, () => Uint8Array, string]>([
  [
    "custom sections without end",
    () =>
      Uint8Array.from({ length: 6 * M + 8 }, (_, i) =>
        i < 8 ? ([0, 0x61, 0x73, 0x6d, 1][i] ?? 0) : (i - 8) % 3 === 1 ? 1 : 0,
      ),
    "too_large",
  ],
  ["imports", () => many([], 2, M, [1, 97, 1, 98, 0, 0]), "malformed"],
  ["exports", () => many([], 7, M, [1, 97, 0, 0]), "malformed"],
  ["types", () => many([], 1, 50_000, [0x60, 0, 0]), "none"],
  ["too many types", () => many([], 1, 50_001, [0x60, 0, 0]), "malformed"],
  ["types in too many groups", () => many([], 1, 50_001, [0x4e, 1, 0x60, 0, 0]), "malformed"],
  ["long types", () => many([], 1, 5_000, type(1_000)), "none"],
  ["types that are too long", () => many([], 1, 1, type(1_001)), "malformed"],
  ["globals", () => many([], 6, M, [0x7f, 0, 0x41, 0, 0x0b]), "none"],
  ["elements", () => many([], 9, 2 * M, [0, 0x41, 0, 0x0b, 0]), "none"],
  ["functions that pass", () => manyFunctions([0x0b]), "none"],
  ["functions that need a closer look", () => manyFunctions([0xfe, 3, 0, 0x0b]), "none"],
  ["functions that are broken", () => manyFunctions([0xff]), "none"],
  ["a body of nothing", () => hugeBody([], 8 * M, [0x01]), "none"],
  ["a body of blocks", () => hugeBody([], 4 * M, [0x02, 0x40]), "none"],
  ["a table of labels", () => hugeBody([0x0e, ...lebOf(8 * M - 1)], 8 * M, [0]), "none"],
  [
    "a constant without end",
    () =>
      many([], 6, 1, [
        0x7f,
        0,
        ...Array.from({ length: M }, (_, i) => (i % 2 === 0 ? 0x41 : 0)),
        0x0b,
      ]),
    "none",
  ],
])("%s", async (_, make, code) => {
  const bytes = make();
  const started = performance.now();
  expect(errorOf(() => readModule(bytes)).code).toBe(code);
  const { problems } = await inspectModule(bytes as Uint8Array<ArrayBuffer>);
  expect(problems.length).toBeLessThanOrEqual(1_001);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("types of up to 64 values are told, longer ones are not", () => {
  const one = (parameters: number) =>
    readModule(Uint8Array.from([...many([], 1, 1, type(parameters)), 2, 7, 1, 1, 97, 1, 98, 0, 0]))
      .imports[0];
  expect(one(64)?.type?.params).toHaveLength(64);
  expect(one(65)).not.toHaveProperty("type");
});
