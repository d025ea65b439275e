// Reads the keywords for arrays and objects, saying what is wrong with them; page, worker and Node.

import { type Compilation, refuse, schemaList, schemaMap } from "./compilation.ts";
import type { JsonObject } from "./json-value.ts";
import { count } from "./keywords.ts";
import type { ArrayRules, ObjectRules, PropertyRule } from "./schema-node.ts";

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
  const needed = new Set<string>(required);
  const properties = new Map<string, PropertyRule>();
  for (const [name, node] of schemaMap(compilation, schema, path, "properties")) {
    properties.set(name, { name, node, required: needed.has(name) ? 1 : 0 });
  }
  for (const name of needed) {
    if (!properties.has(name)) properties.set(name, { name, node: undefined, required: 1 });
  }
  const minProperties = count(compilation, schema, path, "minProperties", 0);
  const maxProperties = count(compilation, schema, path, "maxProperties", Infinity);
  const rules: ObjectRules = {
    properties,
    ordered: [...properties.values()],
    requiredCount: needed.size,
    additional: additionalRule(compilation, schema, path),
    counted: minProperties > 0 || maxProperties < Infinity,
    minProperties,
    maxProperties,
  };
  const none = properties.size === 0 && rules.additional === "open" && !rules.counted;
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
