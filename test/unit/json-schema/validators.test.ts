// Both validators of full JSON Schema: the public suite with each difference named, hostile schemas, hostile values; Node.

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

type Verdict = boolean | "refused";

/** Groups whose verdicts are not the suite's, by validator, each with its reason. Refusals of both are counted below. */
const DYNAMIC = "ajv loses track of what nested parts have looked at";
const SEVERAL = "ajv does not end on several resources that refer to each other by relative names";
const REMOTE = "refers to another document, and nothing is fetched: said when the value is judged";
const AJV: Readonly<Record<string, string>> = {
  "multipleOf | float division = inf": "divides, and takes what overflows for whole",
  "properties | properties whose names are Javascript object property names":
    "leaves a property called __proto__ unchecked",
  "ref | refs with relative uris and defs": SEVERAL,
  "ref | relative refs with absolute uris and defs": SEVERAL,
  "ref | URN ref with nested pointer ref": SEVERAL,
  "refRemote | base URI change": REMOTE,
  "refRemote | base URI change - change folder": REMOTE,
  "refRemote | base URI change - change folder in subschema": REMOTE,
  "unevaluatedItems | unevaluatedItems with nested items": DYNAMIC,
  "unevaluatedItems | unevaluatedItems depends on adjacent contains": DYNAMIC,
  "unevaluatedItems | unevaluatedItems depends on multiple nested contains": DYNAMIC,
  "unevaluatedItems | unevaluatedItems and contains interact to control item dependency relationship":
    DYNAMIC,
  "unevaluatedProperties | unevaluatedProperties with if/then/else, then not defined": DYNAMIC,
};
const CFWORKER: Readonly<Record<string, string>> = {
  "ref | order of evaluation: $id and $anchor and $ref": "looks an anchor up in the outer resource",
  "refRemote | base URI change": REMOTE,
  "refRemote | base URI change - change folder": REMOTE,
  "refRemote | base URI change - change folder in subschema": REMOTE,
};

const groups = FILES.flatMap((file) => {
  const text = debianCorpus(PACKAGE, `/tests/draft2020-12/${file}.json`);
  return text === undefined ? [] : (JSON.parse(text) as Group[]).map((group) => ({ file, group }));
});

const validators: readonly [string, () => Promise<JsonSchemaValidator>, Record<string, string>][] =
  [
    ["cfworker", async () => cfworkerValidator, CFWORKER],
    ["ajv", ajvValidator, AJV],
  ];

describe.skipIf(groups.length === 0)("JSON-Schema-Test-Suite, draft 2020-12", () => {
  test.each(validators)("%s", async (_name, load, differences) => {
    const validator = await load();
    const different = new Set<string>();
    const refused = new Map<string, string>();
    let agreed = 0;
    for (const { file, group } of groups) {
      const name = `${file} | ${group.description}`;
      const check = checkOrRefusal(validator, group.schema);
      if (typeof check === "string") refused.set(name, check);
      for (const { data, valid } of group.tests) {
        const verdict: Verdict = typeof check === "string" ? "refused" : check(data) === undefined;
        if (verdict === valid) agreed++;
        else if (verdict !== "refused") different.add(name);
      }
    }
    // What is refused needs a document that is not there, or dynamic scope over several resources.
    const [said, unsaid] = [[...refused], Object.keys(differences)];
    const own = said.filter(([name]) => !unsaid.includes(name));
    for (const [name, message] of own) {
      expect([name, message]).toEqual([
        name,
        expect.stringMatching(
          /nothing is fetched|which is not supported|not there|(Duplicate|more than one) schema|not known/,
        ),
      ]);
    }
    const notSaid = [...different].filter((name) => !unsaid.includes(name));
    expect(notSaid).toEqual([]);
    const stale = unsaid.filter((name) => !different.has(name) && !refused.has(name));
    expect(stale).toEqual([]);
    expect(agreed).toBeGreaterThan(1_050);
  });
});

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
