// Compiles a schema of the tool protocol's subset into nodes, refusing what the subset does not have; page, worker and Node.

import { checkChains } from "./chains.ts";
import { type Compilation, refuse, schemaList, schemaMap } from "./compilation.ts";
import { ANY, isJsonObject, type Json, type JsonObject } from "./json-value.ts";
import { arrayRules, objectRules } from "./container-keywords.ts";
import { constantRule, enumRule, numberRules, stringRules, typeRule } from "./keywords.ts";
import { referenceTarget } from "./references.ts";
import { type SchemaNode, type Shape, unbuilt } from "./schema-node.ts";

const CHECKED = new Set([
  ..."type enum const properties required additionalProperties minProperties maxProperties".split(
    " ",
  ),
  ..."items prefixItems minItems maxItems uniqueItems anyOf oneOf $ref $defs definitions".split(
    " ",
  ),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
  ..."minLength maxLength contentEncoding".split(" "),
]);
const IGNORED = new Set([
  ..."title description default examples format deprecated readOnly writeOnly".split(" "),
  ..."contentMediaType discriminator $schema $id $comment".split(" "),
]);

/** A schema ready to check values with. */
export interface CompiledSchema {
  readonly root: SchemaNode;
  /** All of them; their checks are built by the first check. */
  readonly nodes: readonly SchemaNode[];
  /** Some property is called like something that every object inherits, such as `constructor`. */
  readonly inheritedNames: boolean;
}

/**
 * Compiles a schema document.
 *
 * @param what Names the option in errors, such as `inputSchema`.
 * @param options.lenient Keywords outside the subset are skipped (`validatesInput`); what could make checking endless
 * is refused all the same.
 * @throws SandboxError `bad_tool` whose message names the path and the keyword, with `data: { path, keyword }`
 * @example
 * const node = compileSchema("inputSchema", { type: "object", properties: { n: { type: "integer" } } });
 */
export function compileSchema(
  what: string,
  document: Json,
  options: { lenient?: boolean } = {},
): CompiledSchema {
  const nodes = new Map<Json, SchemaNode>();
  const pending: { node: SchemaNode; target: Json; path: string }[] = [];
  const compilation: Compilation = {
    what,
    document,
    lenient: options.lenient === true,
    compile(schema, path) {
      const known = nodes.get(schema);
      if (known !== undefined && isJsonObject(schema)) return known;
      const node = emptyNode(path, schema !== false);
      nodes.set(schema, node);
      if (typeof schema === "boolean") return node;
      if (!isJsonObject(schema)) {
        throw refuse(compilation, path, "", "a schema is an object, true or false");
      }
      fill(compilation, node, schema);
      const reference = referenceTarget(compilation, schema, path);
      if (reference !== undefined) pending.push({ node, ...reference });
      return node;
    },
  };
  const root = compilation.compile(document, "");
  // References wait, so that a long chain of them takes a loop here and no deep recursion.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    next.node.reference = compilation.compile(next.target, next.path);
    next.node.shape = "mixed";
  }
  checkChains(compilation, nodes.values());
  const all = [...nodes.values()];
  const names = all.flatMap((node) => [...(node.object?.properties.keys() ?? [])]);
  return { root, nodes: all, inheritedNames: names.some((name) => name in Object.prototype) };
}

function emptyNode(path: string, accepts: boolean): SchemaNode {
  return {
    path,
    accepts: accepts ? ANY : 0,
    shape: "type",
    values: undefined,
    constant: undefined,
    string: undefined,
    number: undefined,
    object: undefined,
    array: undefined,
    reference: undefined,
    anyOf: undefined,
    oneOf: undefined,
    check: unbuilt,
  };
}

function fill(compilation: Compilation, node: SchemaNode, schema: JsonObject): void {
  const { path } = node;
  checkKeywords(compilation, schema, path);
  node.accepts = typeRule(compilation, schema, path);
  node.values = enumRule(compilation, schema, path);
  node.constant = constantRule(schema);
  node.string = stringRules(compilation, schema, path);
  node.number = numberRules(compilation, schema, path);
  node.array = arrayRules(compilation, schema, path);
  node.object = objectRules(compilation, schema, path);
  node.anyOf = schemaList(compilation, schema, path, "anyOf");
  node.oneOf = schemaList(compilation, schema, path, "oneOf");
  // Definitions are part of the schema, used or not: what is wrong with them is said now.
  for (const keyword of ["$defs", "definitions"]) schemaMap(compilation, schema, path, keyword);
  node.shape = shapeOf(node);
}

function shapeOf(node: SchemaNode): Shape {
  const { values, constant, reference, anyOf, oneOf } = node;
  if ([values, constant, reference, anyOf, oneOf].some((rule) => rule !== undefined))
    return "mixed";
  const kinds = (["string", "number", "object", "array"] as const).filter(
    (kind) => node[kind] !== undefined,
  );
  return kinds.length > 1 ? "mixed" : (kinds[0] ?? "type");
}

function checkKeywords(compilation: Compilation, schema: JsonObject, path: string): void {
  if (compilation.lenient) return;
  for (const keyword of Object.keys(schema)) {
    if (CHECKED.has(keyword) || IGNORED.has(keyword)) continue;
    const why =
      keyword === "pattern"
        ? "a regular expression run on text from a guest can backtrack without end"
        : "it is not in the subset of JSON Schema that the tool protocol checks";
    throw refuse(
      compilation,
      path,
      keyword,
      `the keyword ${JSON.stringify(keyword)} is refused: ${why}; drop it, or check the input in the tool and set validatesInput: true`,
    );
  }
}
