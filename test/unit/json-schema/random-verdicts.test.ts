// Both validators on thousands of random schemas of all keywords, and values near what those want: one verdict; Node.

import { expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { ajvValidator } from "../../../src/json-schema/ajv-validator.ts";
import { cfworkerValidator } from "../../../src/json-schema/cfworker-validator.ts";
import type { JsonSchemaValidator } from "../../../src/json-schema/validator.ts";
import { seeded } from "../schema/random-schemas.ts";

/** Names that ajv may see; those after it are why schemas are left to the other. */
const PLAIN_NAMES = ["a", "b", "c", "constructor", "length", "toString", "$ref", "0"];
const NAMES = [...PLAIN_NAMES, "__proto__", ""];
const TEXTS = ["", "a", "ab", "é", "💩", "2026-01-01"];
const NUMBERS = [0, -0, 1, 1.5, -2, 1e300, 0.1, 0.3, 1e-7, 2 ** 53, -1e21];
const PATTERNS = ["^a", "b$", "\\p{L}", "^.$", "", "[0-9]+", "^_"];
const TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"];

class Random {
  readonly names: readonly string[];
  readonly #next: () => number;
  readonly #keywords: readonly string[];

  constructor(seed: number) {
    this.#next = seeded(seed);
    const all = seed % 4 === 0;
    this.names = all ? NAMES : PLAIN_NAMES;
    this.#keywords = all ? KEYWORDS : KEYWORDS.filter((name) => name !== "contains");
  }

  int(below: number): number {
    return Math.floor(this.#next() * below);
  }

  of<T>(list: readonly T[]): T {
    return list[this.int(list.length)] as T;
  }

  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.int(most + 1) }, make);
  }

  /** An object with own keys of any name. */
  object(most: number, make: () => unknown): Record<string, unknown> {
    const entries = this.list(most, () => [this.of(this.names), make()] as const);
    return Object.fromEntries(entries) as Record<string, unknown>;
  }

  value(depth: number): unknown {
    const kind = this.int(depth > 0 ? 8 : 4);
    if (kind === 0) return this.of([null, true, false]);
    if (kind === 1) return this.of(TEXTS);
    if (kind < 4) return this.of(NUMBERS);
    if (kind < 6) return this.list(4, () => this.value(depth - 1));
    return this.object(4, () => this.value(depth - 1));
  }

  document(): Record<string, unknown> {
    const named = { $id: "part", $anchor: "here", ...this.schema(1), $defs: { x: this.schema(1) } };
    const tree = { properties: { a: { $ref: "#/$defs/tree" } }, items: { $dynamicRef: "#leaf" } };
    const leaf = { $dynamicAnchor: "leaf", ...this.schema(1) };
    return { ...this.schema(3), $defs: { named, leaf, tree, "odd ~/%name": this.schema(1) } };
  }

  schema(depth: number): Record<string, unknown> {
    const keywords = this.list(3, () => this.of(depth > 0 ? this.#keywords : LEAVES));
    return Object.fromEntries(keywords.map((name) => [name, MAKERS[name]?.(this, depth - 1)]));
  }

  part(depth: number): unknown {
    return this.int(8) === 0 ? this.of([true, false]) : this.schema(depth);
  }

  parts(depth: number): unknown[] {
    return [this.part(depth), ...this.list(2, () => this.part(depth))];
  }
}

type Maker = (random: Random, depth: number) => unknown;
const count: Maker = (random) => random.int(4);
const number: Maker = (random) => random.of(NUMBERS);
const part: Maker = (random, depth) => random.part(depth);
const parts: Maker = (random, depth) => random.parts(depth);
const byName: Maker = (random, depth) => random.object(4, () => random.part(depth));
const someNames: Maker = (random) => [...new Set(random.list(2, () => random.of(random.names)))];
const REFERENCES = [
  "#/$defs/tree",
  "#leaf",
  "part",
  "part#here",
  "part#/$defs/x",
  "#/$defs/odd%20~0~1%25name",
];

const LEAF_MAKERS: Readonly<Record<string, Maker>> = {
  type: (random) =>
    random.int(3) === 0 ? [...new Set([random.of(TYPES), random.of(TYPES)])] : random.of(TYPES),
  const: (random) => random.value(2),
  enum: (random) => [random.value(1), ...random.list(3, () => random.value(2))],
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: (random) => random.of([1, 2, 0.1, 0.01, 1e-7, 1.5, 3]),
  minLength: count,
  maxLength: count,
  pattern: (random) => random.of(PATTERNS),
  minItems: count,
  maxItems: count,
  uniqueItems: (random) => random.int(3) > 0,
  minProperties: count,
  maxProperties: count,
  required: someNames,
  dependentRequired: (random, depth) => random.object(2, () => someNames(random, depth)),
  $ref: (random) => random.of(REFERENCES),
  format: (random) => random.of(["email", "date", "uri"]),
};
const MAKERS: Readonly<Record<string, Maker>> = {
  ...LEAF_MAKERS,
  items: part,
  prefixItems: parts,
  contains: part,
  minContains: count,
  maxContains: count,
  properties: byName,
  patternProperties: (random, depth) =>
    Object.fromEntries(random.list(2, () => [random.of(PATTERNS), random.part(depth)] as const)),
  additionalProperties: part,
  propertyNames: part,
  dependentSchemas: byName,
  allOf: parts,
  anyOf: parts,
  oneOf: parts,
  not: part,
  if: part,
  // oxlint-disable-next-line unicorn/no-thenable
  then: part,
  else: part,
};
const LEAVES = Object.keys(LEAF_MAKERS);
const KEYWORDS = Object.keys(MAKERS);

/** Verdicts on values, or "refused". */
function verdicts(validator: JsonSchemaValidator, schema: unknown, values: readonly unknown[]) {
  try {
    const check = validator.compile(schema);
    return values.map((value) => check(value) === undefined);
  } catch (error) {
    if (error instanceof SandboxError && error.code === "bad_schema") return "refused";
    throw error;
  }
}

const SCHEMAS = 3_000;

test("random schemas get one verdict", { timeout: 60_000 }, async () => {
  const ajv = await ajvValidator();
  const wrong: string[] = [];
  const seen = { true: 0, false: 0, refused: 0 };
  for (let seed = 1; seed <= SCHEMAS; seed++) {
    const random = new Random(seed);
    const schema = random.document();
    const values = Array.from({ length: 8 }, () => random.value(3));
    const [one, other] = [
      verdicts(ajv, schema, values),
      verdicts(cfworkerValidator, schema, values),
    ];
    if (String(one) !== String(other)) {
      wrong.push(JSON.stringify({ seed, schema, values, ajv: one, cfworker: other }));
    }
    if (typeof other === "string") seen.refused++;
    else for (const fits of other) seen[`${fits}`]++;
  }
  expect(wrong).toEqual([]);
  expect(Math.min(seen.true, seen.false)).toBeGreaterThan(SCHEMAS / 2);
  expect(seen.refused).toBeLessThan(SCHEMAS / 5);
});
