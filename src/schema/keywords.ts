// Reads the values of single schema keywords, saying what is wrong with them; page, worker and Node.

import { type Compilation, refuse, schemaList, schemaMap } from "./compilation.ts";
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
import type {
  ArrayRules,
  NumberRules,
  ObjectRules,
  PropertyRule,
  StringRules,
} from "./schema-node.ts";

const TYPES: ReadonlyMap<Json, number> = new Map<Json, number>([
  ["null", NULL],
  ["boolean", BOOLEAN],
  ["integer", INTEGER],
  ["number", INTEGER | FRACTIONAL],
  ["string", STRING],
  ["array", ARRAY],
  ["object", OBJECT],
]);

/** The type bits that `type` (and `contentEncoding`, which adds bytes) accepts. */
export function typeRule(compilation: Compilation, schema: JsonObject, path: string): number {
  const type = schema["type"];
  if (type === undefined) return ANY;
  const names = Array.isArray(type) ? type : [type];
  let accepts = 0;
  for (const name of names) {
    const bits = TYPES.get(name);
    if (bits === undefined) {
      throw refuse(
        compilation,
        path,
        "type",
        `type must be one or more of ${[...TYPES.keys()].join(", ")}`,
      );
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
  const bound = (keyword: string): number | bigint | undefined => {
    const value = numeric(schema[keyword]);
    if (value === null) throw refuse(compilation, path, keyword, `${keyword} must be a number`);
    return value;
  };
  const rules: NumberRules = {
    minimum: bound("minimum"),
    maximum: bound("maximum"),
    exclusiveMinimum: bound("exclusiveMinimum"),
    exclusiveMaximum: bound("exclusiveMaximum"),
    multipleOf: multipleOf(compilation, schema, path),
  };
  return Object.values(rules).every((rule) => rule === undefined) ? undefined : rules;
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

/** prefixItems, items, minItems, maxItems and uniqueItems. */
export function arrayRules(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): ArrayRules | undefined {
  const items = schema["items"];
  if (Array.isArray(items)) {
    throw refuse(
      compilation,
      path,
      "items",
      "the array form of items is refused: use prefixItems for the first items",
    );
  }
  const unique = schema["uniqueItems"] ?? false;
  if (typeof unique !== "boolean") {
    throw refuse(compilation, path, "uniqueItems", "uniqueItems must be true or false");
  }
  const rules: ArrayRules = {
    prefix: schemaList(compilation, schema, path, "prefixItems") ?? [],
    items: items === undefined ? undefined : compilation.compile(items, `${path}/items`),
    minItems: count(compilation, schema, path, "minItems", 0),
    maxItems: count(compilation, schema, path, "maxItems", Infinity),
    unique,
  };
  const none =
    rules.prefix.length === 0 &&
    rules.items === undefined &&
    rules.minItems === 0 &&
    rules.maxItems === Infinity &&
    !unique;
  return none ? undefined : rules;
}

/** properties, required, additionalProperties, minProperties and maxProperties. */
export function objectRules(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): ObjectRules | undefined {
  const required = schema["required"] ?? [];
  if (!Array.isArray(required) || !required.every((name) => typeof name === "string")) {
    throw refuse(compilation, path, "required", "required must be a list of property names");
  }
  const needed = new Set(required as string[]);
  const properties = new Map<string, PropertyRule>();
  for (const [name, node] of schemaMap(compilation, schema, path, "properties")) {
    properties.set(name, { node, required: needed.has(name) });
  }
  for (const name of needed) {
    if (!properties.has(name)) properties.set(name, { node: undefined, required: true });
  }
  const rules: ObjectRules = {
    properties,
    requiredCount: needed.size,
    additional: additionalRule(compilation, schema, path),
    minProperties: count(compilation, schema, path, "minProperties", 0),
    maxProperties: count(compilation, schema, path, "maxProperties", Infinity),
  };
  const none =
    properties.size === 0 &&
    rules.additional === "open" &&
    rules.minProperties === 0 &&
    rules.maxProperties === Infinity;
  return none ? undefined : rules;
}

function additionalRule(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): ObjectRules["additional"] {
  const additional = schema["additionalProperties"];
  // Stricter than JSON Schema: an object that lists its properties takes no others unless told to.
  if (additional === undefined) return schema["properties"] === undefined ? "open" : "closed";
  if (typeof additional === "boolean") return additional ? "open" : "closed";
  return compilation.compile(additional, `${path}/additionalProperties`);
}

function count(
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
