// A tool's result on its way out: the protocol's table carried over to JavaScript; Node.

import { describe, expect, test } from "vitest";
import { encodeResult, NotJson, ResultTooLarge } from "../../../src/door/encode-result.ts";

const MiB = 2 ** 20;

describe("crosses", () => {
  class Region {
    code = "EMEA";
    #secret = 1;
    get secret() {
      return this.#secret;
    }
  }
  test.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["undefined as null", undefined, "null"],
    ["undefined inside, as null", { a: undefined, b: [undefined] }, '{"a":null,"b":[null]}'],
    ["holes of an array as null", Object.assign([1], { 2: 2 }), "[1,null,2]"],
    ["booleans", [true, false], "[true,false]"],
    ["integers", [0, -0, 5, 2 ** 53], "[0,0,5,9007199254740992]"],
    ["fractions", [0.5, -1e-7, 1e21], "[0.5,-1e-7,1e+21]"],
    ["a bigint as an integer", 2n ** 64n, "18446744073709551616"],
    ["text", 'é"\\\n\u2028', '"é\\"\\\\\\n\u2028"'],
    ["a lone surrogate, escaped", "\ud800", '"\\ud800"'],
    ["a surrogate pair", "😀", '"😀"'],
    ["nested values", { a: [{ b: "c" }] }, '{"a":[{"b":"c"}]}'],
    ["an object without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ["own properties of an instance", new Region(), '{"code":"EMEA"}'],
    ["keys like __proto__", JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
    ["a key that needs escapes", { 'a"b': 1, "": 2 }, '{"a\\"b":1,"":2}'],
    ["a Uint8Array as bytes", new Uint8Array([104, 105]), '{"$bytes":"aGk="}'],
    [
      "a view as its part of the buffer",
      new Uint8Array([0, 104, 105, 0]).subarray(1, 3),
      '{"$bytes":"aGk="}',
    ],
    ["a Buffer", Buffer.from("hi"), '{"$bytes":"aGk="}'],
    ["an ArrayBuffer", new Uint8Array([104, 105]).buffer, '{"$bytes":"aGk="}'],
    ["a SharedArrayBuffer", new SharedArrayBuffer(1), '{"$bytes":"AA=="}'],
    ["a DataView", new DataView(new Uint8Array([104, 105]).buffer), '{"$bytes":"aGk="}'],
    ["a Uint8ClampedArray", new Uint8ClampedArray([104, 105]), '{"$bytes":"aGk="}'],
    ["bytes inside", { a: [new Uint8Array()] }, '{"a":[{"$bytes":""}]}'],
    [
      "other typed arrays as lists",
      [new Int16Array([-1, 2]), new Float64Array([0.5])],
      "[[-1,2],[0.5]]",
    ],
    ["a BigInt64Array", new BigInt64Array([-(2n ** 63n)]), "[-9223372036854775808]"],
    [
      "a Map with text keys",
      new Map<string, unknown>([
        ["a", 1],
        ["b", new Map()],
      ]),
      '{"a":1,"b":{}}',
    ],
    ["a Set as a list", new Set([1, "a"]), '[1,"a"]'],
    ["a Date, by toJSON", new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ["a URL, by toJSON", new URL("https://example.com/"), '"https://example.com/"'],
    ["an invalid Date, whose toJSON gives null", new Date(Number.NaN), "null"],
    ["an object that is bytes already", { $bytes: "aGk=" }, '{"$bytes":"aGk="}'],
    ["the same object twice, side by side", ((a) => [a, a])({ b: 1 }), '[{"b":1},{"b":1}]'],
    ["symbols as keys are left out", { [Symbol("x")]: 1, a: 2 }, '{"a":2}'],
    [
      "properties that are not enumerable are left out",
      Object.defineProperty({ a: 1 }, "b", { value: 2 }),
      '{"a":1}',
    ],
  ])("%s", (_, value, json) => {
    expect(encodeResult(value)).toBe(json);
  });
});

describe("is no JSON", () => {
  const cycle: unknown[] = [];
  cycle.push({ a: cycle });
  test.each<[string, unknown, RegExp]>([
    ["NaN", Number.NaN, /^result is NaN/],
    ["Infinity, inside", { a: [1, Infinity] }, /^result\.a\[1\] is Infinity/],
    ["NaN in a typed array", new Float32Array([Number.NaN]), /^result\[0\] is NaN/],
    ["a function", () => 1, /^result is a function/],
    ["a function inside", { a: () => 1 }, /^result\.a is a function/],
    ["a symbol", Symbol("x"), /^result is a symbol/],
    ["a symbol in a Set", new Set([Symbol("x")]), /^result\[0\] is a symbol/],
    ["a cycle", cycle, /nested deeper than 512 levels, or holds itself/],
    ["a Promise inside", { a: Promise.resolve(1) }, /^result\.a is an instance of Promise/],
    // oxlint-disable-next-line unicorn/no-thenable -- what a tool may return
    ["something with a then", { a: { then() {} } }, /^result\.a is/],
    ["an Error", new RangeError("x"), /^result is an instance of RangeError/],
    ["a regular expression", /x/, /^result is an instance of RegExp/],
    ["a WeakMap", new WeakMap(), /^result is an instance of WeakMap/],
    ["a boxed number", Object(5), /^result is an instance of Number/],
    ["a Map with other keys", new Map([[1, 2]]), /^result is a Map with a key that is no string/],
    ["a generator", (function* () {})(), /^result is/],
    ["$bytes with other keys", { $bytes: "aGk=", a: 1 }, /^result has the key \$bytes/],
    ["$bytes that is no base64", { $bytes: "?" }, /^result has the key \$bytes/],
    ["$bytes in a Map", new Map([["$bytes", 5]]), /^result has the key \$bytes/],
  ])("%s", (_, value, message) => {
    expect(() => encodeResult(value)).toThrow(NotJson);
    expect(() => encodeResult(value)).toThrow(message);
  });

  test("what a getter or toJSON throws is thrown on", () => {
    const thrown = new Error("no");
    const throws = () => {
      throw thrown;
    };
    expect(() =>
      encodeResult(Object.defineProperty({}, "a", { enumerable: true, get: throws })),
    ).toThrow(thrown);
    expect(() => encodeResult({ toJSON: throws })).toThrow(thrown);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => encodeResult(proxy)).toThrow(TypeError);
  });

  test("a toJSON that gives itself for ever ends", () => {
    const endless = { toJSON: () => endless };
    expect(() => encodeResult(endless)).toThrow(NotJson);
  });
});

describe("size", () => {
  test("the encoder stops early, also where parts are shared many times over", () => {
    let value: unknown = "x".repeat(100);
    for (let i = 0; i < 40; i++) value = [value, value];
    const start = performance.now();
    expect(() => encodeResult(value)).toThrow(ResultTooLarge);
    expect(() => encodeResult(Array.from({ length: 9 * MiB }))).toThrow(ResultTooLarge);
    expect(() => encodeResult(new Uint8Array(17 * MiB))).toThrow(ResultTooLarge);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  test("512 levels cross, one more does not", () => {
    const nest = (levels: number) => {
      let value: unknown[] = [];
      for (let i = 1; i < levels; i++) value = [value];
      return value;
    };
    expect(encodeResult(nest(512))).toHaveLength(1024);
    expect(() => encodeResult(nest(513))).toThrow(NotJson);
  });

  test("five megabytes take well under a second", () => {
    const rows = Array.from({ length: 50_000 }, (_, i) => ({
      id: i,
      name: `name ${i}`,
      tags: ["a", "b"],
      on: true,
    }));
    const start = performance.now();
    expect(JSON.parse(encodeResult(rows))).toEqual(rows);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
