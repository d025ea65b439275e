// The strict parser: numbers by their spelling, keys as they are, and messages that say where; Node.

import { describe, expect, test } from "vitest";
import { cut, hasLoneSurrogate } from "../../../src/schema/characters.ts";
import { jsonText, WholeFloat } from "../../../src/schema/json-value.ts";
import { JsonProblem, parseStrictJson } from "../../../src/schema/strict-json.ts";

const value = (text: string) => parseStrictJson(text).value;
const problem = (text: string) => {
  try {
    value(text);
    return "none";
  } catch (error) {
    expect(error).toBeInstanceOf(JsonProblem);
    return (error as Error).message;
  }
};

describe("numbers", () => {
  test.each([
    ["5", 5],
    ["-5", -5],
    ["-0", 0],
    ["5.5", 5.5],
    ["1e-2", 0.01],
    ["5.0", new WholeFloat(5)],
    ["5e0", new WholeFloat(5)],
    ["-0.0", new WholeFloat(-0)],
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["-9007199254740993", -9007199254740993n],
  ])("%s", (text, expected) => {
    expect(value(text)).toEqual(expected);
    if (typeof expected === "number") expect(Object.is(value(text), expected)).toBe(true);
  });

  test("whole floats are reported, so that they can be unwrapped", () => {
    expect(parseStrictJson("[1, 2.5]").wholeFloats).toBe(false);
    expect(parseStrictJson("[1, [2.0]]").wholeFloats).toBe(true);
  });

  test("are written as they were read", () => {
    const text = '{"a":[5,5.0,1.5,12345678901234567890,-0.0],"b":{"__proto__":null}}';
    expect(jsonText(value(text))).toBe(text);
  });
});

describe("objects", () => {
  test("__proto__ is a key", () => {
    const object = value('{"__proto__": {"a": 1}}') as object;
    expect(Object.keys(object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect("a" in object).toBe(false);
  });

  test("keys that objects inherit work where the prototype is frozen", () => {
    const inherited: object = Object.prototype;
    const descriptor = Object.getOwnPropertyDescriptor(
      Object.prototype,
      "toString",
    ) as PropertyDescriptor;
    Object.defineProperty(inherited, "toString", { ...descriptor, writable: false });
    try {
      expect(Object.keys(value('{"toString":1}') as object)).toEqual(["toString"]);
    } finally {
      Object.defineProperty(inherited, "toString", descriptor);
    }
  });
});

describe("messages", () => {
  test.each([
    ['{"a":1,}', 'not JSON: expected a key, found "}" at character 7'],
    ["[1 2]", 'not JSON: expected "," or "]", found "2" at character 3'],
    ["[1", 'not JSON: expected "," or "]", found the end at character 2'],
    ['{"a" 1}', 'not JSON: expected ":", found "1" at character 5'],
    ["[NaN]", "not JSON: NaN is no JSON number"],
    ["-Infinity", "not JSON: -Infinity is no JSON number"],
    ["1 x", 'not JSON: expected the end, found "x" at character 2'],
    ['"a', "not JSON: expected a closing quote, found the end at character 2"],
    ['["\\x"]', "not JSON: a bad escape in the string at character 1"],
    ['"a\nb"', 'not JSON: expected an escape for it, found "\\n" at character 2'],
    ["😀", 'not JSON: expected a value, found "😀" at character 0'],
    ['{"a":1,"a":2}', 'the key "a" is repeated'],
    ["1e400", "the number 1e400 overflows a double"],
    ["9".repeat(65), "an integer is written with more than 64 characters"],
    ["[".repeat(65), "nested deeper than 64 levels"],
  ])("%s", (text, message) => {
    expect(problem(text)).toBe(message);
  });

  test("repeat at most 64 characters of the guest's text", () => {
    const key = "k".repeat(100);
    expect(problem(`{"${key}":1,"${key}":2}`)).toBe(`the key "${"k".repeat(64)}" is repeated`);
    expect(problem(`1${"0".repeat(500)}.0`)).toBe(
      `the number 1${"0".repeat(63)} overflows a double`,
    );
  });
});

test("a lone surrogate is reported and the rest is still judged", () => {
  expect(parseStrictJson('["\\ud800x"]').loneSurrogate).toBe("\ud800x");
  expect(parseStrictJson('{"\\udfff":1}').loneSurrogate).toBe("\udfff");
  expect(parseStrictJson('["\\ud83d\\ude00"]').loneSurrogate).toBeUndefined();
  expect(problem('["\\ud800", 01]')).toMatch(/^not JSON/);
});

test("text is cut between characters", () => {
  expect(cut("abc", 2)).toBe("ab");
  expect(cut("abc", 3)).toBe("abc");
  expect(cut("😀😀😀", 2)).toBe("😀😀");
  expect(cut("a😀", 1)).toBe("a");
  expect(hasLoneSurrogate(cut("😀".repeat(100), 64))).toBe(false);
});
