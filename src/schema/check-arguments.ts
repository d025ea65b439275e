// The one question the door asks of a schema: do these arguments fit, and if not, why; page, worker and Node.

import { buildChecks } from "./build-checks.ts";
import { CheckState } from "./check-state.ts";
import type { CompiledSchema } from "./compile-schema.ts";
import { explain, showPath } from "./explain.ts";
import { isJsonObject, type Json } from "./json-value.ts";
import { unbuilt } from "./schema-node.ts";

/**
 * Checks a value against a compiled schema.
 *
 * @param bytes How many byte values it holds: each is accepted only where the schema says so.
 * @param wholeFloats Whether it may hold a WholeFloat.
 * @returns Undefined when it fits, else one line that names the path and what was expected.
 */
export function checkArguments(
  schema: CompiledSchema,
  value: Json,
  bytes: number,
  wholeFloats: boolean,
): string | undefined {
  if (schema.root.check === unbuilt) buildChecks(schema.nodes);
  const state = new CheckState(bytes, wholeFloats);
  const fits = schema.root.check(value, state);
  if (state.tooComplex) return "the arguments are too complex to check";
  if (!fits)
    return state.failure === undefined ? "the arguments do not fit" : explain(state.failure);
  if (bytes === 0) return undefined;
  const stray = strayBytes(value, new Set(state.welcome ?? []), []);
  return stray === undefined
    ? undefined
    : `${showPath(stray)}: bytes are accepted only where the schema has type "string" and contentEncoding "base64"`;
}

/** The path of the first bytes that no schema node welcomed. */
function strayBytes(
  value: Json,
  welcome: ReadonlySet<Uint8Array>,
  path: readonly (string | number)[],
): readonly (string | number)[] | undefined {
  if (value instanceof Uint8Array) return welcome.has(value) ? undefined : path;
  const members: Iterable<[string | number, Json]> = Array.isArray(value)
    ? value.entries()
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, member] of members) {
    const stray = strayBytes(member, welcome, [...path, key]);
    if (stray !== undefined) return stray;
  }
  return undefined;
}
