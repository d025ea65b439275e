// The parts of JSON-Schema-Test-Suite (draft 2020-12) that use only the subset's keywords, with the flips listed; Node.

import { describe, expect, test } from "vitest";
import { SandboxError } from "../../src/errors.ts";
import { checkArguments } from "../../src/schema/check-arguments.ts";
import { type CompiledSchema, compileSchema } from "../../src/schema/compile-schema.ts";
import type { Json } from "../../src/schema/json-value.ts";
import { parseStrictJson } from "../../src/schema/strict-json.ts";
import { debianCorpus } from "../unit/http/debian-corpus.ts";

const PACKAGE = "libtest-json-schema-acceptance-perl";

interface Group {
  readonly description: string;
  readonly schema: Json;
  readonly tests: readonly {
    readonly description: string;
    readonly data: Json;
    readonly valid: boolean;
  }[];
}

/** Files of keywords that the subset has. */
const FILES = (
  "additionalProperties anyOf boolean_schema const content default enum exclusiveMaximum exclusiveMinimum format items maxItems maxLength maxProperties " +
  "maximum minItems minLength minProperties minimum multipleOf oneOf prefixItems properties ref required type uniqueItems"
).split(" ");

/** What the subset refuses in these files, so that a keyword refused by mistake does not pass unseen. */
const REFUSED = new Set(
  "$anchor $ref allOf contentSchema else if multipleOf not patternProperties then unevaluatedProperties".split(
    " ",
  ),
);

const CLOSED = "properties close an object";
const SPELLING = "a float is no integer";
/** Tests whose verdict the protocol turns round, by file, group and test. */
const FLIPS: Readonly<Record<string, string>> = {
  "additionalProperties | additionalProperties are allowed by default | additional properties are allowed":
    CLOSED,
  "anyOf | anyOf complex types | both anyOf valid (complex)": CLOSED,
  "properties | object properties validation | doesn't invalidate other properties": CLOSED,
  "const | const with 0 does not match other zero-like types | float zero is valid": SPELLING,
  "const | const with 1 does not match true | float one is valid": SPELLING,
  "const | const with -2.0 matches integer and float types | integer -2 is valid": SPELLING,
  "const | float and integers are equal up to 64-bit representation limits | float is valid":
    SPELLING,
  "enum | enum with 0 does not match false | float zero is valid": SPELLING,
  "enum | enum with 1 does not match true | float one is valid": SPELLING,
  "type | integer type matches integers | a float with zero fractional part is an integer":
    SPELLING,
};

/** Undefined where the schema has a keyword, or a form of one, that the subset does not have. */
function compile(group: Group): CompiledSchema | undefined {
  try {
    return compileSchema("schema", group.schema);
  } catch (error) {
    const keyword = error instanceof SandboxError && (error.data as { keyword?: string }).keyword;
    if (keyword && REFUSED.has(keyword)) return undefined;
    throw error;
  }
}

const files = FILES.map((file) => {
  // The strict parser keeps the spelling of numbers, which these tests are about.
  const text = debianCorpus(PACKAGE, `/tests/draft2020-12/${file}.json`);
  const groups =
    text === undefined ? [] : (parseStrictJson(text, 1000).value as unknown as Group[]);
  return { file, groups };
});
const here = files.every(({ groups }) => groups.length > 0);
const flipped = new Set<string>();
let tested = 0;

describe.skipIf(!here)("JSON-Schema-Test-Suite", () => {
  test.each(files)("$file", ({ file, groups }) => {
    for (const group of groups) {
      const schema = compile(group);
      if (schema === undefined) continue;
      for (const one of group.tests) {
        tested++;
        const name = `${file} | ${group.description} | ${one.description}`;
        const fits = checkArguments(schema, one.data, 0, true) === undefined;
        const expected = name in FLIPS ? !one.valid : one.valid;
        if (name in FLIPS) flipped.add(name);
        expect([name, fits]).toEqual([name, expected]);
      }
    }
  });

  test("every flip is still one, and hundreds of tests were run", () => {
    expect(tested).toBeGreaterThan(450);
    expect([...flipped].toSorted()).toEqual(Object.keys(FLIPS).toSorted());
  });
});
