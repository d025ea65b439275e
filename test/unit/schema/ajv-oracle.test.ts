// ajv as the oracle: where the subset and JSON Schema agree, random schemas and values get the same verdict from both; Node.

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { checkArguments } from "../../../src/schema/check-arguments.ts";
import { type CompiledSchema, compileSchema } from "../../../src/schema/compile-schema.ts";
import { jsonFromOption } from "../../../src/schema/json-from-value.ts";
import type { Json } from "../../../src/schema/json-value.ts";
import { RandomSchemas } from "./random-schemas.ts";

const SCHEMAS = 1_500;
const VALUES = 20;

/** Undefined for a chain that is too long or does not descend: the generator does not avoid them. */
function compile(schema: object): CompiledSchema | undefined {
  try {
    return compileSchema("schema", jsonFromOption("schema", schema));
  } catch (error) {
    if (error instanceof SandboxError && /chain|leads back/.test(error.message)) return undefined;
    throw error;
  }
}

test.each([1, 2, 3, 4])("random schemas, seed %i", (seed) => {
  const random = new RandomSchemas(seed);
  const seen = { fits: 0, not: 0, refused: 0 };
  for (let i = 0; i < SCHEMAS / 4; i++) {
    const schema = random.document();
    const ours = compile(schema);
    if (ours === undefined) {
      seen.refused++;
      continue;
    }
    const theirs = new Ajv2020({ strict: false, logger: false, ownProperties: true }).compile(
      schema,
    );
    for (let j = 0; j < VALUES; j++) {
      const value = random.value(3);
      const fits = theirs(value);
      const [json] = jsonFromOption("values", [value]) as [Json];
      const problem = checkArguments(ours, json, 0, false);
      seen[fits ? "fits" : "not"]++;
      expect([JSON.stringify({ schema, value }), problem === undefined, problem]).toEqual([
        JSON.stringify({ schema, value }),
        fits,
        problem,
      ]);
    }
  }
  // A generator that only ever misses would prove little.
  expect(Math.min(seen.fits, seen.not)).toBeGreaterThan(500);
  expect(seen.refused).toBeLessThan(SCHEMAS / 8);
});
