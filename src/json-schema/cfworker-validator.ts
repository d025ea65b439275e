// The validator by default: @cfworker/json-schema, which generates no code; loaded when it is needed; page, worker and Node.

import { Validator } from "@cfworker/json-schema";
import { instanceOf, NoJson } from "./instance.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { bad } from "./schema-parts.ts";
import type { JsonSchemaValidator, SchemaCheck } from "./validator.ts";

/** Judges values by full JSON Schema (2020-12, 2019-09, drafts 7, 6 and 4), on pages with any content security policy. */
export const cfworkerValidator: JsonSchemaValidator = {
  compile(given: unknown): SchemaCheck {
    const { schema, dialect } = prepareSchema(given);
    let validator: Validator;
    try {
      validator = new Validator(schema, dialect);
      compilePatterns(schema);
    } catch (cause) {
      throw bad("", `cannot be used: ${(cause as Error).message}`, cause);
    }
    return (value) => judge(validator, value);
  },
};

function judge(validator: Validator, value: unknown): string | undefined {
  try {
    const { valid, errors } = validator.validate(instanceOf(value));
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

/** Patterns are compiled when they are met; one that is broken must be told before. */
function compilePatterns(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, member] of Object.entries(schema)) {
    if (key === "pattern" && typeof member === "string") new RegExp(member, "u");
    if (key === "patternProperties" && typeof member === "object" && member !== null) {
      for (const pattern of Object.keys(member)) new RegExp(pattern, "u");
    }
    if (!["const", "enum", "default", "examples"].includes(key)) compilePatterns(member);
  }
}
