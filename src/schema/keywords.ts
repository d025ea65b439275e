// Reads the keywords for types, values, text and numbers, saying what is wrong with them; page, worker and Node.

import { type Compilation, refuse } from "./compilation.ts";
import {
  ANY,
  ARRAY,
  BOOLEAN,
  BYTES,
  FRACTIONAL,
  INTEGER,
  type Json,
  type JsonObject,
  NULL,
  OBJECT,
  STRING,
  ValueSet,
  WholeFloat,
} from "./json-value.ts";
import type { NumberRules, StringRules } from "./schema-node.ts";

const TYPES: ReadonlyMap<Json, number> = new Map<Json, number>([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["integer", INTEGER],
  ["number", INTEGER | FRACTIONAL],
  ["string", STRING],
  ["array", ARRAY],
  ["object", OBJECT],
]);

const TYPE_NAMES = "null, boolean, integer, number, string, array, object";

/** The type bits that `type` (and `contentEncoding`, which adds bytes) accepts. */
export function typeRule(compilation: Compilation, schema: JsonObject, path: string): number {
  const type = schema["type"];
  if (type === undefined) return ANY;
  const names = Array.isArray(type) ? type : [type];
  let accepts = 0;
  for (const name of names) {
    const bits = TYPES.get(name);
    if (bits === undefined) {
      throw refuse(compilation, path, "type", `type must be one or more of ${TYPE_NAMES}`);
    }
    accepts |= bits;
  }
  if (names.length === 0) throw refuse(compilation, path, "type", "type must not be an empty list");
  return accepts & STRING && schema["contentEncoding"] === "base64" ? accepts | BYTES : accepts;
}

/** The values of `enum`. */
export function enumRule(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): ValueSet | undefined {
  const values = schema["enum"];
  if (values === undefined) return undefined;
  if (!Array.isArray(values)) throw refuse(compilation, path, "enum", "enum must be a list");
  return new ValueSet(values);
}

/** The value of `const`, which may be null. */
export function constantRule(schema: JsonObject): ValueSet | undefined {
  return Object.hasOwn(schema, "const") ? new ValueSet([schema["const"] as Json]) : undefined;
}

/** minLength, maxLength and contentEncoding. */
export function stringRules(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): StringRules | undefined {
  const minLength = count(compilation, schema, path, "minLength", 0);
  const maxLength = count(compilation, schema, path, "maxLength", Infinity);
  const encoding = schema["contentEncoding"];
  if (encoding !== undefined && encoding !== "base64" && !compilation.lenient) {
    throw refuse(
      compilation,
      path,
      "contentEncoding",
      'contentEncoding is refused unless it is "base64"',
    );
  }
  // Without a type the keyword stays the annotation it is in JSON Schema.
  const base64 =
    encoding === "base64" && schema["type"] !== undefined
      ? (typeRule(compilation, schema, path) & BYTES) !== 0
      : false;
  if (minLength === 0 && maxLength === Infinity && !base64) return undefined;
  return { minLength, maxLength, base64 };
}

/** The four bounds and multipleOf. */
export function numberRules(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): NumberRules | undefined {
  const bound = (keyword: string, absent: number): number | bigint => {
    const value = numeric(schema[keyword]);
    if (value === null) throw refuse(compilation, path, keyword, `${keyword} must be a number`);
    return value ?? absent;
  };
  const rules: NumberRules = {
    minimum: bound("minimum", -Infinity),
    maximum: bound("maximum", Infinity),
    exclusiveMinimum: bound("exclusiveMinimum", -Infinity),
    exclusiveMaximum: bound("exclusiveMaximum", Infinity),
    multipleOf: multipleOf(compilation, schema, path),
  };
  const { multipleOf: multiple, ...bounds } = rules;
  const bounded = Object.values(bounds).some((value) => value !== Infinity && value !== -Infinity);
  return bounded || multiple !== undefined ? rules : undefined;
}

function multipleOf(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): number | bigint | undefined {
  const value = numeric(schema["multipleOf"]);
  if (value === undefined) return undefined;
  const whole = typeof value === "bigint" || Number.isInteger(value);
  if (value !== null && whole && value > 0) return value;
  // A fraction is good JSON Schema, only not in the subset; zero and text are good nowhere.
  if (compilation.lenient && value !== null && value > 0) return undefined;
  throw refuse(compilation, path, "multipleOf", "multipleOf must be a positive integer");
}

/** A number of the schema; undefined when absent, null when it is something else. */
function numeric(value: Json | undefined): number | bigint | null | undefined {
  if (value instanceof WholeFloat) return value.value;
  return value === undefined || typeof value === "number" || typeof value === "bigint"
    ? value
    : null;
}

/** A count such as minLength: an integer of at least 0. */
export function count(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
  keyword: string,
  absent: number,
): number {
  const value = numeric(schema[keyword]);
  if (value === undefined) return absent;
  if (value === null || value < 0 || (typeof value === "number" && !Number.isInteger(value))) {
    throw refuse(compilation, path, keyword, `${keyword} must be an integer of at least 0`);
  }
  return Number(value);
}
