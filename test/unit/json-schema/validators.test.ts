// Both validators of full JSON Schema: the public suite by every verdict, hostile schemas, hostile values; Node.

import { describe, expect, test } from "vitest";
import { ajvValidator } from "../../../src/json-schema/ajv-validator.ts";
import { cfworkerValidator } from "../../../src/json-schema/cfworker-validator.ts";
import type { JsonSchemaValidator } from "../../../src/json-schema/validator.ts";
import { debianCorpus } from "../http/debian-corpus.ts";

const PACKAGE = "libtest-json-schema-acceptance-perl";
const FILES = (
  "additionalProperties allOf anchor anyOf boolean_schema const contains content default defs dependentRequired " +
  "dependentSchemas dynamicRef enum exclusiveMaximum exclusiveMinimum format id if-then-else " +
  "infinite-loop-detection items maxContains maxItems maxLength maxProperties maximum minContains minItems " +
  "minLength minProperties minimum multipleOf not oneOf pattern patternProperties prefixItems properties " +
  "propertyNames ref refRemote required type unevaluatedItems unevaluatedProperties uniqueItems unknownKeyword vocabulary"
).split(" ");

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

/** Why both validators refuse groups of the suite, by what the refusal says. */
const REFUSALS: readonly RegExp[] = [
  /nothing is fetched/, // refers to a document that is not in the schema
  /several resources may answer, which is not supported/, // dynamic scope over several resources
  /a dialect that is not known/, // a meta-schema of its own, which would have to be fetched
];

const validators: readonly [string, () => Promise<JsonSchemaValidator>][] = [
  ["cfworker", async () => cfworkerValidator],
  ["ajv", ajvValidator],
];

const groupsOf = (draft: string, files: readonly string[]) =>
  files.flatMap((file) => {
    const text = debianCorpus(PACKAGE, `/tests/${draft}/${file}.json`);
    const groups = text === undefined ? [] : (JSON.parse(text) as Group[]);
    return groups.map((group) => ({ name: `${file} | ${group.description}`, group }));
  });
const drafts = [
  ["draft2020-12", FILES, 1_090],
  ["draft2019-09", [...FILES, "additionalItems", "recursiveRef"], 1_100],
  ["draft7", [...FILES, "additionalItems", "definitions", "dependencies"], 830],
] as const;
const here = groupsOf("draft2020-12", ["type"]).length > 0;

describe.skipIf(!here)("JSON-Schema-Test-Suite: every verdict of both is the suite's", () => {
  test.each(drafts)("%s", async (draft, files, least) => {
    const wrong: unknown[] = [];
    const refused: Record<string, string[]> = {};
    let agreed = 0;
    for (const [label, load] of validators) {
      const validator = await load();
      for (const { name, group } of groupsOf(draft, files)) {
        const check = checkOrRefusal(validator, inDialect(group.schema, draft));
        if (typeof check === "string") {
          (refused[label] ??= []).push(name);
          if (!REFUSALS.some((reason) => reason.test(check))) wrong.push([label, name, check]);
          continue;
        }
        for (const { description, data, valid } of group.tests) {
          const said = check(data);
          if ((said === undefined) === valid) agreed++;
          else wrong.push([label, name, description, said]);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(refused["ajv"]).toEqual(refused["cfworker"]);
    expect(agreed / validators.length).toBeGreaterThan(least);
  });
});

const ADDRESSES: Readonly<Record<string, string>> = {
  "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
  draft7: "http://json-schema.org/draft-07/schema#",
};

/** The suite's older drafts do not name themselves. */
function inDialect(schema: unknown, draft: string): unknown {
  const $schema = ADDRESSES[draft];
  if ($schema === undefined || typeof schema !== "object" || schema === null) return schema;
  return { $schema, ...schema };
}

function checkOrRefusal(validator: JsonSchemaValidator, schema: unknown) {
  try {
    return validator.compile(schema);
  } catch (error) {
    return (error as Error).message;
  }
}

describe.each(validators)("%s", (_name, load) => {
  test("reads older dialects by their rules, and refuses one it does not know", async () => {
    const validator = await load();
    const draft4 = {
      $schema: "http://json-schema.org/draft-04/schema#",
      minimum: 1,
      exclusiveMinimum: true,
    };
    expect(validator.compile(draft4)(1)).toMatch(/\S/);
    expect(validator.compile(draft4)(2)).toBeUndefined();
    const draft7 = {
      $schema: "http://json-schema.org/draft-07/schema#",
      properties: { a: { $ref: "#/definitions/text", maxLength: 1 } },
      definitions: { text: { type: "string" } },
    };
    expect(
      validator.compile(draft7)({ a: "siblings of a reference do not count" }),
    ).toBeUndefined();
    expect(() => validator.compile({ $schema: "https://example.org/mine" })).toThrow(
      expect.objectContaining({ code: "bad_schema" }),
    );
  });

  test.each([
    ["an address to fetch", { $ref: "https://example.org/schema.json" }],
    ["a reference to nothing", { $ref: "#/$defs/none" }],
    ["a reference to itself", { $ref: "#" }],
    ["a circle of references", { $ref: "#/$defs/a", $defs: { a: { anyOf: [{ $ref: "#" }] } } }],
    ["a broken pattern", { properties: { a: { pattern: "(" } } }],
    ["no schema", 5],
    ["too many steps", { $defs: doubling(40), $ref: "#/$defs/d0" }],
    ["too many levels", deep(1_000)],
    ["too many parts", { enum: Array.from({ length: 30_000 }, () => ({})) }],
  ])("refuses %s", async (_what, schema) => {
    const validator = await load();
    expect(() => validator.compile(schema)).toThrow(
      expect.objectContaining({ code: "bad_schema" }),
    );
  });

  test("never coerces, fills in or changes what it judges", async () => {
    const check = (await load()).compile({
      type: "object",
      properties: { n: { type: "integer", default: 5 }, extra: { type: "string" } },
      additionalProperties: false,
    });
    const value = Object.freeze({ n: "1" });
    expect(check(value)).toMatch(/^n: /);
    expect(check({})).toBeUndefined();
    expect(check({ n: 1, other: 1 })).toMatch(/\S/);
    expect(check(Object.freeze({ n: true }))).toMatch(/^n: /);
  });

  test("takes names that every object inherits for plain keys", async () => {
    const check = (await load()).compile({ type: "object", required: ["constructor", "toString"] });
    expect(check({})).toMatch(/\S/);
    expect(check(JSON.parse('{"constructor":1,"toString":2}'))).toBeUndefined();
    const closed = (await load()).compile({ type: "object", additionalProperties: false });
    expect(closed(JSON.parse('{"__proto__":{"a":1}}'))).toMatch(/\S/);
  });

  test("format is no rule; a schema may be frozen, and stays as it was", async () => {
    const schema = Object.freeze({ type: "string", format: "email" });
    expect((await load()).compile(schema)("not an address")).toBeUndefined();
    expect(Reflect.ownKeys(schema)).toEqual(["type", "format"]);
  });

  test("says what is no JSON, and ends on hostile values", async () => {
    const check = (await load()).compile({
      $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } },
      $ref: "#/$defs/list",
    });
    let nested: unknown = [];
    for (let i = 0; i < 100_000; i++) nested = [nested];
    expect(check(nested)).toMatch(/deeper/);
    expect(check([Number.NaN])).toMatch(/JSON/);
    expect(check([() => {}])).toMatch(/JSON/);
    expect(check([2n ** 70n])).toMatch(/\S/);
    const text = (await load()).compile({ type: "string", maxLength: 4 });
    expect(text(new Uint8Array([1, 2, 3]))).toBeUndefined();
  });
});

/** Schemas whose work doubles with each level of the value, whatever their own size. */
const branches = (keyword: string, part: unknown) => ({ [keyword]: [part, part] });
const self = { $ref: "#" };
const DOUBLING: readonly [string, unknown][] = [
  ["allOf and properties", branches("allOf", { properties: { a: self } })],
  ["allOf and items", branches("allOf", { items: self })],
  // oxlint-disable-next-line unicorn/no-thenable
  ["a condition", { if: { properties: { a: self } }, then: { properties: { a: self } } }],
  [
    "a name and its pattern",
    { properties: { a: self }, patternProperties: { a: self, "^a": self }, items: self },
  ],
  [
    "unevaluatedProperties",
    { ...branches("allOf", { properties: { a: self } }), unevaluatedProperties: false },
  ],
  ["no recursion", { $defs: doublingProperties(60), $ref: "#/$defs/d0" }],
];

describe.each(validators)("%s ends in time", (_name, load) => {
  test.each(DOUBLING)("on a schema that doubles with each level: %s", async (_what, schema) => {
    const check = (await load()).compile(schema);
    let object: unknown = 1;
    let list: unknown = 1;
    for (let i = 0; i < 60; i++) [object, list] = [{ a: object }, [list]];
    const started = performance.now();
    const said = [check(object), check(list)];
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(said).toContain("the value is too complex to check");
    // The next value starts afresh.
    expect(check({ a: { a: {} } })).toBe(check({ a: { a: {} } }));
    expect(check(1)).toBeUndefined();
  });

  test("on large values held against many schemas, and on items compared with each other", async () => {
    const validator = await load();
    const many = Array.from({ length: 20_000 }, (_, i) => i);
    const often = validator.compile({
      allOf: Array.from({ length: 5_000 }, () => ({ items: true })),
    });
    const unique = validator.compile({ uniqueItems: true });
    const keys = validator.compile({
      allOf: Array.from({ length: 5_000 }, () => ({ propertyNames: true })),
    });
    const started = performance.now();
    expect(often(many)).toBe("the value is too complex to check");
    expect(unique(many)).toBe("the value is too complex to check");
    const object = Object.fromEntries(many.map((i) => [`k${i}`, i]));
    expect(keys(object)).toBe("the value is too complex to check");
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(unique(many.slice(0, 4_000))).toBeUndefined();
    expect(unique([...many.slice(0, 4_000), 0])).toMatch(/\S/);
  });

  test("and a large honest value is judged to its end", async () => {
    const check = (await load()).compile({
      type: "array",
      items: {
        type: "object",
        properties: { id: { type: "integer" }, tags: { type: "array", items: { type: "string" } } },
        required: ["id"],
        additionalProperties: false,
      },
    });
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, tags: ["a", "b"] }));
    expect(check(rows)).toBeUndefined();
    expect(check([...rows, { id: "x", tags: [] }])).toMatch(/^100000\/id/);
  });

  test("on a large part that many refer to", async () => {
    const parts = Array.from({ length: 3_000 }, (_, i) => [`p${i}`, { type: "string" }]);
    const started = performance.now();
    const check = (await load()).compile({
      $defs: { large: { properties: Object.fromEntries(parts) } },
      properties: Object.fromEntries(parts.map(([name]) => [name, { $ref: "#/$defs/large" }])),
    });
    expect(check({ p1: { p2: 5 } })).toMatch(/^p1\/p2: /);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

test("ajv's keywords of ours say what is wrong", async () => {
  const validator = await ajvValidator();
  const said = [
    validator.compile({ multipleOf: 0.5 })(0.7),
    validator.compile({ properties: { a: { const: 1 } } })({ a: 2 }),
    validator.compile({ enum: ["x"] })("y"),
    validator.compile({ uniqueItems: true })([1, 1]),
  ];
  expect(said).toEqual([
    "the value: must be a multiple of 0.5",
    "a: must be equal to the constant",
    "the value: must be equal to one of the allowed values",
    "the value: must not have items twice",
  ]);
});

test("both take several resources, and give one verdict on names and numbers that are easy to get wrong", async () => {
  const [one, other] = [await ajvValidator(), cfworkerValidator];
  const bundled = {
    $id: "https://example.org/root.json",
    $ref: "part.json#/$defs/n",
    $defs: {
      part: {
        $id: "part.json",
        $defs: { n: { $ref: "#whole" }, w: { $anchor: "whole", type: "integer" } },
      },
    },
  };
  const data = { const: { $ref: "https://example.org/", $id: "x" } };
  const cases: readonly [unknown, unknown, boolean][] = [
    [bundled, 1, true],
    [bundled, "1", false],
    [{ multipleOf: 0.01 }, 19.99, true],
    [{ multipleOf: 0.01 }, 0.010000000001, false],
    [{ multipleOf: 0.1 }, 1e300, true],
    [{ required: ["__proto__"] }, {}, false],
    [{ required: ["__proto__"] }, JSON.parse('{"__proto__":1}'), true],
    [{ patternProperties: { "^_": { type: "number" } } }, JSON.parse('{"__proto__":"a"}'), false],
    [{ additionalProperties: { type: "number" } }, JSON.parse('{"__proto__":"a"}'), false],
    [{ dependentRequired: { __proto__x: ["a"] } }, { __proto__x: 1 }, false],
    [data, { $ref: "https://example.org/", $id: "x" }, true],
    [{ properties: { $ref: { type: "string" }, $id: { type: "number" } } }, { $id: "a" }, false],
    [{ id: "not a name in this dialect", type: "string" }, "a", true],
    [{ $defs: { "a b/c%d": { type: "string" } }, $ref: "#/$defs/a%20b~1c%25d" }, 1, false],
    [{ $defs: { "ü$[]|^": { type: "string" } }, $ref: "#/$defs/ü$[]|^" }, 1, false],
    [{ maxLength: 1 }, "💩", true],
    [{ enum: [{ a: [1, { b: null }] }] }, { a: [1, { b: null }] }, true],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [{ const: 1.0 }, 1, true],
    [{ type: "integer" }, 1.0, true],
    [{ contains: { type: "number" }, maxContains: 1 }, [1, 2], false],
    [{ items: { contains: { minimum: 1 } } }, [[1], []], false],
    [{ prefixItems: [{ maxLength: 1 }], contains: { type: "string" } }, [], false],
    [{ required: [""] }, {}, false],
    [
      {
        patternProperties: { "[0-9]+": { $ref: "#/$defs/x", minProperties: 0 } },
        $defs: { x: { type: "object" } },
      },
      { "0": {} },
      true,
    ],
    [{ dependentRequired: { "": ["a"] } }, { "": 1 }, false],
    [{ const: { toString: 1 } }, { toString: 1 }, true],
    [{ uniqueItems: true }, [{ toString: 1 }, { toString: 2 }, 1, "1", null], true],
    [{ uniqueItems: true }, [{ constructor: 1 }, { constructor: 1 }], false],
    [{ uniqueItems: true }, [0, 1, -0], false],
  ];
  for (const [schema, value, fits] of cases) {
    const verdicts = [one, other].map(
      (validator) => validator.compile(schema)(value) === undefined,
    );
    expect([schema, value, ...verdicts]).toEqual([schema, value, fits, fits]);
  }
  for (const schema of [
    { $ref: "#/const", const: { type: "string" } },
    { $ref: "#/properties", properties: {} },
    { $ref: "#/x-list/0", "x-list": [{}] },
    { $ref: 5 },
    { allOf: [{ $anchor: "a" }, { $anchor: "a" }] },
    { allOf: [{ $id: "a" }, { $id: "a" }] },
    { allOf: [{ $id: "https://[" }] },
  ]) {
    for (const validator of [one, other]) {
      expect(() => validator.compile(schema)).toThrow(
        expect.objectContaining({ code: "bad_schema" }),
      );
    }
  }
});

function doublingProperties(levels: number): Record<string, unknown> {
  const next = (i: number) => {
    const part = { properties: { a: { $ref: `#/$defs/d${i}` } }, items: { $ref: `#/$defs/d${i}` } };
    return { allOf: [part, part] };
  };
  const all = Array.from({ length: levels }, (_, i) => [`d${i}`, next(i + 1)]);
  return Object.fromEntries([...all, [`d${levels}`, {}]]);
}

function doubling(levels: number): Record<string, unknown> {
  const next = (i: number) =>
    i === levels ? {} : { allOf: [{ $ref: `#/$defs/d${i}` }, { $ref: `#/$defs/d${i}` }] };
  return Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, i) => [`d${i}`, next(i + 1 > levels ? levels : i + 1)]),
  );
}

function deep(levels: number): unknown {
  let schema: unknown = {};
  for (let i = 0; i < levels; i++) schema = { items: schema };
  return schema;
}
