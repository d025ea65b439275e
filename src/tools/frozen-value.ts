// JSON as plain frozen JavaScript values, for the public face of a tool; page, worker and Node.

import { type Json, WholeFloat } from "../schema/json-value.ts";

/** A deep-frozen copy in plain values: numbers lose their spelling, keys such as `__proto__` stay keys. */
export function frozenValue(value: Json): unknown {
  if (value instanceof WholeFloat) return value.value;
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return value.slice();
  if (Array.isArray(value)) return Object.freeze(value.map(frozenValue));
  return Object.freeze(
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, frozenValue(member)])),
  );
}
