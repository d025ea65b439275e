// What the files that compile a schema share: the document, the nodes so far, and how a schema is refused; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { isJsonObject, type Json, type JsonObject } from "./json-value.ts";
import type { SchemaNode } from "./schema-node.ts";

/** One schema document on its way to nodes. */
export interface Compilation {
  /** Names the option in errors: `inputSchema` or `outputSchema`. */
  readonly what: string;
  readonly document: Json;
  /** Keywords outside the subset are skipped instead of refused. */
  readonly lenient: boolean;
  /** The node of a schema in the document, compiled once however many references lead to it. */
  readonly compile: (schema: Json, path: string) => SchemaNode;
}

/** The error for a schema that tool() does not take. */
export function refuse(
  compilation: Compilation,
  path: string,
  keyword: string,
  message: string,
): SandboxError {
  const at = path === "" ? compilation.what : `${compilation.what} at ${path}`;
  return new SandboxError("bad_tool", `${at}: ${message}`, { data: { path, keyword } });
}

/** The nodes of a keyword that holds a list of schemas, such as anyOf; undefined when it is absent. */
export function schemaList(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
  keyword: string,
): SchemaNode[] | undefined {
  const list = schema[keyword];
  if (list === undefined) return undefined;
  if (!Array.isArray(list) || list.length === 0) {
    throw refuse(compilation, path, keyword, `${keyword} must be a list of at least one schema`);
  }
  return list.map((member, i) => compilation.compile(member, `${path}/${keyword}/${i}`));
}

/** The nodes of a keyword that holds an object of schemas, by name; none when it is absent. */
export function schemaMap(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
  keyword: string,
): [string, SchemaNode][] {
  const map = schema[keyword];
  if (map === undefined) return [];
  if (!isJsonObject(map)) {
    throw refuse(compilation, path, keyword, `${keyword} must be an object of schemas`);
  }
  return Object.entries(map).map(([name, member]) => {
    const token = name.replaceAll("~", "~0").replaceAll("/", "~1");
    return [name, compilation.compile(member, `${path}/${keyword}/${token}`)];
  });
}
