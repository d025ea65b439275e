// What a misfit is told: the path, what was expected, what came; and that pages cannot disturb the check; Node.

import { afterEach, describe, expect, test } from "vitest";
import { checkArguments } from "../../../src/schema/check-arguments.ts";
import { compileSchema } from "../../../src/schema/compile-schema.ts";
import { jsonFromOption } from "../../../src/schema/json-from-value.ts";
import { parseStrictJson } from "../../../src/schema/strict-json.ts";

function check(schema: object | string, args: string): string | undefined {
  const compiled = compileSchema("schema", jsonFromOption("schema", schema));
  return checkArguments(compiled, parseStrictJson(args).value, 0, true);
}

const properties = (members: object, more: object = {}) => ({
  type: "object",
  properties: members,
  ...more,
});

describe("messages", () => {
  test.each([
    [
      properties({ code: { type: "string" } }),
      '{"code":5}',
      "code: expected a string, got the integer 5",
    ],
    [
      properties({ n: { type: "integer" } }),
      '{"n":5.0}',
      "n: expected an integer, got the number 5.0",
    ],
    [
      properties({ n: { type: ["number", "null"] } }),
      '{"n":"x"}',
      'n: expected a number or null, got "x"',
    ],
    [properties({ n: {} }, { required: ["n"] }), "{}", "n: required"],
    [
      properties({ n: { type: "array" } }, { required: ["n"] }),
      "{}",
      "n: required, expected an array",
    ],
    [properties({ a: {}, b: {} }), '{"c":1}', "c: no such property; known: a, b"],
    [properties({}), '{"c":1}', "c: no such property; none are known"],
    [
      properties({ a: properties({ b: { items: { const: 1 } } }) }),
      '{"a":{"b":[1,true]}}',
      "a.b[1]: expected 1, got true",
    ],
    [
      properties({ a: { additionalProperties: { type: "null" } } }),
      '{"a":{"x y":1}}',
      'a["x y"]: expected null, got the integer 1',
    ],
    [
      properties({ a: { enum: ["x", 1.5, null] } }),
      '{"a":[]}',
      'a: expected one of "x", 1.5, null, got an array',
    ],
    [
      properties({ a: { minimum: 1, exclusiveMaximum: 5 } }),
      '{"a":5}',
      "a: expected a number of at least 1 and below 5, got the integer 5",
    ],
    [
      properties({ a: { type: "integer", multipleOf: 3 } }),
      '{"a":4}',
      "a: expected a number that is a multiple of 3, got the integer 4",
    ],
    [properties({ a: { minLength: 2 } }), '{"a":""}', 'a: expected at least 2 characters, got ""'],
    [
      properties({ a: { minLength: 1, maxLength: 1 } }),
      '{"a":"xy"}',
      'a: expected 1 character, got "xy"',
    ],
    [
      properties({ a: { minItems: 1, maxItems: 2 } }),
      '{"a":[]}',
      "a: expected 1 to 2 items, got 0",
    ],
    [
      { type: "object", maxProperties: 0 },
      '{"a":1}',
      "the arguments: expected 0 properties, got 1",
    ],
    [
      properties({ a: { uniqueItems: true } }),
      '{"a":[1,2,1]}',
      "a: the items must differ, but item 2 repeats an earlier one",
    ],
    [
      properties({ a: { anyOf: [{ type: "string" }, { type: "null" }] } }),
      '{"a":1}',
      "a: expected a string or null, got the integer 1",
    ],
    [
      properties({ a: { oneOf: [{ type: "integer" }, { minimum: 0 }] } }),
      '{"a":1}',
      "a: fits 2 alternatives where it must fit exactly one",
    ],
    [
      properties({ a: { oneOf: [{ const: 1 }, { enum: [2, 3] }] } }),
      '{"a":4}',
      "a: expected 1 or one of 2, 3, got the integer 4",
    ],
    [properties({ a: false }), '{"a":1}', "a: expected nothing here, got the integer 1"],
    [
      properties({ a: { type: "string", contentEncoding: "base64" } }),
      '{"a":5}',
      "a: expected bytes, got the integer 5",
    ],
    [
      properties({ a: { type: "string", contentEncoding: "base64" } }),
      '{"a":"?"}',
      'a: expected bytes or base64 text, got "?"',
    ],
  ])("%j %s", (schema, args, message) => {
    expect(check(schema, args)).toBe(message);
  });

  test("of alternatives, the one that came furthest is explained", () => {
    const shape = (kind: string, member: object) =>
      properties({ kind: { const: kind }, size: member }, { required: ["kind", "size"] });
    const schema = properties({
      a: {
        anyOf: [
          { type: "null" },
          shape("circle", properties({ radius: { type: "number" } })),
          shape("line", {}),
        ],
      },
    });
    expect(check(schema, '{"a":{"kind":"circle","size":{"radius":"x"}}}')).toBe(
      'a.size.radius: expected a number, got "x"',
    );
  });

  test("long names and values are cut, and lists of names end", () => {
    const long = "v".repeat(100);
    expect(check(properties({ a: { type: "null" } }), `{"a":"${long}"}`)).toBe(
      `a: expected null, got "${"v".repeat(64)}"`,
    );
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`p${i}`, {}]));
    expect(check(properties(many), `{"${long}":1}`)).toMatch(/^v{64}: .*p19, …$/);
  });
});

describe("a page that changed Object.prototype", () => {
  afterEach(() => {
    delete (Object.prototype as Record<string, unknown>)["extra"];
    delete (Object.prototype as Record<string, unknown>)["code"];
  });

  test("does not make arguments misfit or fit", () => {
    const schema = properties({ code: { type: "string" } }, { required: ["code"] });
    for (const [name, value] of [
      ["extra", 1],
      ["code", "x"],
    ] as const) {
      (Object.prototype as Record<string, unknown>)[name] = value;
      expect(check(schema, '{"code":"a"}')).toBeUndefined();
      expect(check(schema, "{}")).toBe("code: required, expected a string");
      expect(
        check({ type: "object", additionalProperties: { type: "null" } }, "{}"),
      ).toBeUndefined();
    }
  });
});

test("a long chain of references is refused without deep recursion", () => {
  const $defs: Record<string, object> = { d5000: { type: "integer" } };
  for (let i = 0; i < 5000; i++) $defs[`d${i}`] = { $ref: `#/$defs/d${i + 1}` };
  expect(() => check({ $ref: "#/$defs/d0", $defs }, "{}")).toThrow(/longer than 8/);
});

test("many alternatives at many levels end at the budget of steps", () => {
  const $defs: Record<string, object> = {};
  const level = (i: number) => ({
    anyOf: Array.from({ length: 12 }, () => ({ $ref: `#/$defs/l${i}` })),
  });
  for (let i = 0; i < 2; i++) $defs[`l${i}`] = level(i + 1);
  $defs["l2"] = { type: "array", items: { $ref: "#/$defs/l0" } };
  const start = performance.now();
  expect(check({ ...level(0), $defs }, '[[[[[[["x"]]]]]]]')).toBe(
    "the arguments are too complex to check",
  );
  expect(performance.now() - start).toBeLessThan(2_000);
});
