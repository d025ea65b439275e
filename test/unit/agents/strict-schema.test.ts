// Strict schemas: what becomes of each keyword, and that every value finds its way back; Node.

import { describe, expect, test } from "vitest";
import { strictSchema } from "../../../src/agents/strict-schema.ts";
import { cfworkerValidator } from "../../../src/json-schema/cfworker-validator.ts";
import { strictProblem } from "../../agents/scripted-openai.ts";

const text = { type: "string" };

describe("strictSchema", () => {
  test("closes objects and requires every key, null standing for what may be left out", () => {
    const form = strictSchema({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        id: { type: "integer", minimum: 1 },
        note: { ...text, title: "Note", default: "", minLength: 2, format: "whatever" },
        when: { ...text, format: "date-time" },
        kind: { enum: ["a", "b"] },
        size: { type: ["integer", "string"] },
        tags: { type: "array", items: text },
        place: { type: "object", properties: { x: { type: "number" } } },
        only: { const: 5 },
      },
      required: ["id", "when"],
    });
    expect(form?.schema).toEqual({
      type: "object",
      properties: {
        id: { type: "integer", minimum: 1 },
        note: { type: ["string", "null"] },
        when: { type: "string", format: "date-time" },
        kind: { enum: ["a", "b", null] },
        size: { type: ["integer", "string", "null"] },
        tags: { type: ["array", "null"], items: text },
        place: {
          anyOf: [
            {
              type: "object",
              properties: { x: { type: ["number", "null"] } },
              required: ["x"],
              additionalProperties: false,
            },
            { type: "null" },
          ],
        },
        only: { anyOf: [{ const: 5 }, { type: "null" }] },
      },
      required: ["id", "note", "when", "kind", "size", "tags", "place", "only"],
      additionalProperties: false,
    });
    expect(strictProblem(form?.schema)).toBeUndefined();
  });

  test("takes nulls out again where they stood for nothing, and leaves those that mean something", () => {
    const form = strictSchema({
      type: "object",
      properties: {
        gone: text,
        kept: { type: ["string", "null"] },
        list: {
          type: "array",
          items: { type: "object", properties: { a: text, b: { type: ["number", "null"] } } },
        },
        ref: { $ref: "#/$defs/node" },
        choice: {
          anyOf: [{ type: "object", properties: { c: text }, required: ["c"] }, { type: "null" }],
        },
      },
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, v: text } } },
    });
    expect(strictProblem(form?.schema)).toBeUndefined();
    expect(
      form?.restore({
        gone: null,
        kept: null,
        list: [
          { a: null, b: null },
          { a: "x", b: 1 },
        ],
        ref: { next: { next: null, v: "deep" }, v: null },
        choice: null,
      }),
    ).toEqual({
      kept: null,
      list: [{ b: null }, { a: "x", b: 1 }],
      ref: { next: { v: "deep" } },
      choice: null,
    });
    for (const odd of [null, 5, "text", [1]]) expect(form?.restore(odd)).toEqual(odd);
  });

  test.each([
    ["keys of any name", { type: "object", additionalProperties: true }],
    [
      "keys of any name, by a schema",
      { type: "object", properties: {}, additionalProperties: text },
    ],
    [
      "an object inside that says nothing",
      { type: "object", properties: { a: { type: "object" } } },
    ],
    ["a value that says nothing", { type: "object", properties: { a: {} } }],
    ["a list of anything", { type: "object", properties: { a: { type: "array" } } }],
    ["patternProperties", { type: "object", patternProperties: { a: text } }],
    ["allOf", { type: "object", allOf: [{ required: ["a"] }], properties: { a: text } }],
    ["a choice at the top", { anyOf: [{ type: "object" }] }],
    ["oneOf", { type: "object", properties: { a: { oneOf: [text, { type: "number" }] } } }],
    ["an address", { type: "object", properties: { a: { $ref: "https://example.org/x" } } }],
    ["a reference to nothing", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }],
    ["too many levels", deep(12)],
    [
      "too many properties",
      {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 5_001 }, (_, i) => [`p${i}`, text])),
      },
    ],
    ["another type", { type: "array", items: text }],
  ])("has no form for %s", (_what, schema) => {
    expect(strictSchema(schema)).toBeUndefined();
  });

  test("an empty object is one", () => {
    expect(strictSchema({ type: "object" })?.schema).toEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    });
  });

  test("every value of a schema has a strict form that fits and comes back as it was", () => {
    let made = 0;
    for (let seed = 1; seed <= 400; seed++) {
      const random = randomOf(seed);
      const schema = randomObject(random, 0);
      const form = strictSchema(schema);
      if (form === undefined) continue;
      made++;
      expect(strictProblem(form.schema)).toBeUndefined();
      const value = randomValue(random, schema);
      const strict = filled(value, schema);
      expect([seed, cfworkerValidator.compile(schema)(value)]).toEqual([seed, undefined]);
      expect([seed, cfworkerValidator.compile(form.schema)(strict)]).toEqual([seed, undefined]);
      expect([seed, form.restore(strict)]).toEqual([seed, value]);
    }
    expect(made).toBeGreaterThan(300);
  });
});

type Schema = {
  type?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
};

function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return state / 2 ** 32;
  };
}

function randomObject(random: () => number, level: number): Schema & Record<string, unknown> {
  const names = ["a", "b", "constructor", "d"].filter(() => random() < 0.6);
  if (level > 0 && names.length === 0) names.push("z");
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, randomSchema(random, level + 1)])),
    required: names.filter(() => random() < 0.5),
  };
}

function randomSchema(random: () => number, level: number): Schema {
  const kind = Math.floor(random() * (level > 3 ? 4 : 6));
  if (kind === 0) return { type: "string" };
  if (kind === 1) return { type: ["number", "null"] };
  if (kind === 2) return { enum: ["x", null, 5] };
  if (kind === 3) return { enum: ["x", "y"] };
  return kind === 4
    ? { type: "array", items: randomSchema(random, level + 1) }
    : randomObject(random, level);
}

function randomValue(random: () => number, schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[Math.floor(random() * schema.enum.length)];
  if (Array.isArray(schema.type)) return random() < 0.5 ? null : 5;
  if (schema.type === "string") return "text";
  if (schema.type === "array")
    return Array.from({ length: Math.floor(random() * 3) }, () =>
      randomValue(random, schema.items as Schema),
    );
  const properties = Object.entries(schema.properties ?? {});
  // An optional key that may be null leaves no difference between null and nothing, so that it is always there.
  const nullable = (one: Schema) => Array.isArray(one.type) || one.enum?.includes(null) === true;
  const chosen = properties.filter(
    ([name, one]) => schema.required?.includes(name) === true || nullable(one) || random() < 0.5,
  );
  return Object.fromEntries(chosen.map(([name, one]) => [name, randomValue(random, one)]));
}

/** The value as a model would write it: every key there. */
function filled(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((one) => filled(one, schema.items as Schema));
  if (typeof value !== "object" || value === null) return value;
  const own = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, one]) =>
      Object.hasOwn(own, name) ? [[name, filled(own[name], one)]] : [[name, null]],
    ),
  );
}

function deep(levels: number): Schema & Record<string, unknown> {
  let schema: Schema & Record<string, unknown> = { type: "object", properties: { a: text } };
  for (let i = 0; i < levels; i++) schema = { type: "object", properties: { a: schema } };
  return schema;
}
