// What a stub needs to know of a schema: its parameters, and references followed; page, worker and Node.

import { isJsonObject, type Json, type JsonObject } from "../schema/json-value.ts";
import { type Tool, toolParts } from "../tools/tool.ts";

/** A parameter of a tool's function. */
export interface StubParameter {
  readonly name: string;
  readonly schema: Json;
  readonly required: boolean;
}

/** A tool as its stub sees it. */
export interface StubTool {
  readonly name: string;
  readonly description: string;
  /** In the order of the schema, the required ones first, as a signature needs them. */
  readonly parameters: readonly StubParameter[];
  /** Properties beyond the listed ones are welcome. */
  readonly open: boolean;
  readonly input: Json;
  readonly output: Json | undefined;
}

/** Reads a tool for its stub. */
export function stubTool(tool: Tool): StubTool {
  const { inputSchema, outputSchema } = toolParts(tool);
  const root = follow(inputSchema, inputSchema);
  const parameters = properties(root);
  return {
    name: tool.name,
    description: tool.description,
    parameters: [...parameters.filter((p) => p.required), ...parameters.filter((p) => !p.required)],
    open: isJsonObject(root) && isOpen(root),
    input: inputSchema,
    output: outputSchema,
  };
}

/** The properties that a schema lists. */
export function properties(schema: Json): StubParameter[] {
  if (!isJsonObject(schema)) return [];
  const { properties: listed, required } = schema as Record<string, Json | undefined>;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isJsonObject(listed) ? listed : {}).map(([name, member]) => ({
    name,
    schema: member,
    required: needed.includes(name),
  }));
}

/** Whether an object schema takes properties that it does not list. */
export function isOpen(schema: JsonObject): boolean {
  const additional = schema["additionalProperties"] ?? schema["properties"] === undefined;
  return additional !== false;
}

/** The schema behind a chain of local references; the schema itself when there is none. */
export function follow(document: Json, schema: Json): Json {
  let at: Json | undefined = schema;
  // tool() has bounded the chain and refused cycles; the bound here is for output schemas, which it does not compile.
  for (let hops = 0; hops < 8 && isJsonObject(at); hops++) {
    const reference: Json | undefined = at["$ref"];
    if (typeof reference !== "string") return at;
    at = lookUp(document, reference);
  }
  return isJsonObject(at) && at["$ref"] !== undefined ? true : (at ?? true);
}

function lookUp(document: Json, reference: string): Json | undefined {
  if (!reference.startsWith("#/")) return undefined;
  let at: Json | undefined = document;
  for (const token of reference.slice(2).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

/** The description of a schema, on one line. */
export function describe(schema: Json): string {
  const text = isJsonObject(schema) ? schema["description"] : undefined;
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}

/** How a language writes types. */
export interface TypeWriter {
  readonly any: string;
  readonly names: Readonly<Record<string, string>>;
  readonly bytes: string;
  union(types: readonly string[]): string;
  literal(values: readonly Json[]): string | undefined;
  list(item: string): string;
  object(members: readonly (StubParameter & { readonly type: string })[]): string;
  map(value: string): string;
}

/** Levels of a schema that a type shows; deeper, or round in a circle, it is any value. */
const SHOWN_LEVELS = 6;

/** The type of a schema, as a language writes it. */
export function typeOf(writer: TypeWriter, document: Json, given: Json, level = 0): string {
  const schema = follow(document, given);
  if (!isJsonObject(schema) || level > SHOWN_LEVELS) return writer.any;
  const deeper = (inner: Json) => typeOf(writer, document, inner, level + 1);
  const values =
    schema["enum"] ?? (Object.hasOwn(schema, "const") ? [schema["const"] as Json] : []);
  if (Array.isArray(values) && values.length > 0) {
    const literal = writer.literal(values);
    if (literal !== undefined) return literal;
  }
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches)) return writer.union(branches.map(deeper));
  const type = schema["type"];
  if (Array.isArray(type)) {
    return writer.union(type.map((one) => deeper({ ...schema, type: one })));
  }
  if (type === "array") return writer.list(deeper(schema["items"] ?? true));
  if (type === "object") return objectType(writer, schema, deeper);
  if (type === "string" && schema["contentEncoding"] === "base64") return writer.bytes;
  return (typeof type === "string" ? writer.names[type] : undefined) ?? writer.any;
}

function objectType(
  writer: TypeWriter,
  schema: JsonObject,
  deeper: (inner: Json) => string,
): string {
  const members = properties(schema);
  if (members.length > 0) {
    return writer.object(members.map((member) => ({ ...member, type: deeper(member.schema) })));
  }
  const additional = schema["additionalProperties"];
  return writer.map(isJsonObject(additional) ? deeper(additional) : writer.any);
}
