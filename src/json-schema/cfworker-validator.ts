// The validator by default: @cfworker/json-schema, which generates no code; loaded when it is needed; page, worker and Node.

import { Validator } from "@cfworker/json-schema";
import { Budget } from "./budget.ts";
import { instanceOf, NoJson } from "./instance.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { bad } from "./schema-parts.ts";
import type { JsonSchemaValidator, SchemaCheck } from "./validator.ts";

/** Judges values by full JSON Schema (2020-12, 2019-09, drafts 7, 6 and 4), on pages with any content security policy. */
export const cfworkerValidator: JsonSchemaValidator = {
  compile(given: unknown): SchemaCheck {
    const { schema, dialect, parts } = prepareSchema(given);
    const budget = new Budget(parts.some(({ uniqueItems }) => uniqueItems === true));
    let validator: Validator;
    try {
      validator = new Validator(schema, dialect);
      compilePatterns(parts);
    } catch (cause) {
      throw bad("", `cannot be used: ${(cause as Error).message}`, cause);
    }
    for (const part of parts) checkReference(part, validator);
    // It reads `format`, which prepared schemas do not have, once whenever it holds one against a value.
    for (const part of parts) Object.defineProperty(part, "format", { get: budget.step });
    return (value) => judge(validator, value, budget);
  },
};

function judge(validator: Validator, value: unknown, budget: Budget): string | undefined {
  try {
    const { valid, errors } = validator.validate(instanceOf(value, budget));
    if (valid) return undefined;
    const last = errors.at(-1);
    const place = last?.instanceLocation.replace(/^#\/?/, "") ?? "";
    return `${place === "" ? "the value" : place}: ${last?.error ?? "does not fit"}`;
  } catch (error) {
    if (error instanceof NoJson) return error.message;
    if (error instanceof RangeError) return "the value is too complex to check";
    return `the schema cannot be used: ${(error as Error).message}`;
  }
}

/** What it looks references up in has no lists but those of its own keywords. */
function checkReference(part: Record<string, unknown>, validator: Validator): void {
  const { $ref, __absolute_ref__: address } = part;
  const { lookup } = validator as unknown as { readonly lookup: Readonly<Record<string, unknown>> };
  if (typeof $ref !== "string" || lookup[address as string] !== undefined) return;
  throw bad("", `refers to ${$ref}, which is not there`);
}

/** Patterns are compiled when they are met; one that is broken must be told before. */
function compilePatterns(parts: readonly Record<string, unknown>[]): void {
  for (const { pattern, patternProperties } of parts) {
    if (typeof pattern === "string") new RegExp(pattern, "u");
    if (typeof patternProperties === "object" && patternProperties !== null) {
      for (const one of Object.keys(patternProperties)) new RegExp(one, "u");
    }
  }
}
