// Bytes inside a frame: `{"$bytes": "<base64>"}` objects become Uint8Arrays; page, worker and Node.

import { fromStrictBase64 } from "../schema/base64.ts";
import { isJsonObject, type Json, setOwn } from "../schema/json-value.ts";

/** A `$bytes` object that is none: another key beside it, or text that is not strict base64. */
export class BytesProblem extends Error {
  override readonly name = "BytesProblem";
}

/**
 * Replaces every `$bytes` object inside a value, in place. The depth of the value is bounded by whoever parsed it.
 *
 * @returns How many there were.
 * @throws BytesProblem also when the value itself is a `$bytes` object that is none
 */
export function takeBytes(value: Json): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i] as Json;
      const bytes = asBytes(item);
      if (bytes === undefined) {
        count += takeBytes(item);
      } else {
        value[i] = bytes;
        count++;
      }
    }
  } else if (isJsonObject(value)) {
    asBytes(value);
    for (const key of Object.keys(value)) {
      const member = value[key] as Json;
      const bytes = asBytes(member);
      if (bytes === undefined) {
        count += takeBytes(member);
      } else {
        setOwn(value, key, bytes);
        count++;
      }
    }
  }
  return count;
}

function asBytes(value: Json): Uint8Array | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "$bytes"))
    return undefined;
  if (!isJsonObject(value)) return undefined;
  const text = value["$bytes"];
  if (Object.keys(value).length !== 1) {
    throw new BytesProblem("a $bytes object must have no other key");
  }
  const bytes = typeof text === "string" ? fromStrictBase64(text) : undefined;
  if (bytes === undefined) throw new BytesProblem("$bytes must hold strict base64 text");
  return bytes;
}
