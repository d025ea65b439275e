// Follows a local $ref into $defs or definitions; page, worker and Node.

import { type Compilation, refuse } from "./compilation.ts";
import { isJsonObject, type Json, type JsonObject } from "./json-value.ts";

/** The schema that `$ref` names and its path; undefined when there is no `$ref`, or one that is skipped. */
export function referenceTarget(
  compilation: Compilation,
  schema: JsonObject,
  path: string,
): { target: Json; path: string } | undefined {
  const reference = schema["$ref"];
  if (reference === undefined) return undefined;
  const named = JSON.stringify(reference);
  if (typeof reference !== "string" || !(reference === "#" || reference.startsWith("#/"))) {
    throw refuse(
      compilation,
      path,
      "$ref",
      `the $ref ${named} is refused: only a local one, such as "#/$defs/name", is followed`,
    );
  }
  if (!/^#\/(?:\$defs|definitions)\/./.test(reference)) {
    if (compilation.lenient) return undefined;
    throw refuse(
      compilation,
      path,
      "$ref",
      `the $ref ${named} is refused: it must lead into $defs or definitions`,
    );
  }
  const target = lookUp(compilation.document, reference);
  if (target === undefined) {
    throw refuse(compilation, path, "$ref", `the $ref ${named} leads nowhere`);
  }
  return { target, path: reference.slice(1) };
}

function lookUp(document: Json, reference: string): Json | undefined {
  let at: Json | undefined = document;
  for (const part of reference.slice(2).split("/")) {
    const token = pointerText(part);
    if (token === undefined) return undefined;
    if (Array.isArray(at)) at = /^(?:0|[1-9][0-9]*)$/.test(token) ? at[Number(token)] : undefined;
    else at = isJsonObject(at) && Object.hasOwn(at, token) ? at[token] : undefined;
  }
  return at;
}

function pointerText(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}
