// The measuring keywords: bounds, multipleOf and lengths, exact for integers of any size; page, worker and Node.

import { codePoints } from "./characters.ts";
import { WholeFloat } from "./json-value.ts";
import type { NumberRules, StringRules } from "./schema-node.ts";

/** Whether a number fits the four bounds and multipleOf. Integers and doubles are compared exactly. */
export function fitsNumber(rules: NumberRules, given: number | bigint | WholeFloat): boolean {
  const value = given instanceof WholeFloat ? given.value : given;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules;
  return (
    value >= minimum &&
    value <= maximum &&
    value > exclusiveMinimum &&
    value < exclusiveMaximum &&
    (multipleOf === undefined || isMultiple(value, multipleOf))
  );
}

function isMultiple(value: number | bigint, of: number | bigint): boolean {
  // The remainder of doubles is exact; mixed with a bigint, both must be one.
  if (typeof value === "number" && typeof of === "number") return value % of === 0;
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  return BigInt(value) % BigInt(of) === 0n;
}

/** Whether text fits minLength and maxLength in code points. Bytes count as the base64 text they travel as. */
export function fitsLengths(rules: StringRules, value: string | Uint8Array): boolean {
  const { minLength, maxLength } = rules;
  if (typeof value !== "string") {
    const length = Math.ceil(value.length / 3) * 4;
    return length >= minLength && length <= maxLength;
  }
  const units = value.length;
  // A code point is one or two units, so most texts need no counting.
  if (units < minLength || units > 2 * maxLength) return false;
  if (units >= 2 * minLength && units <= maxLength) return true;
  const length = codePoints(value);
  return length >= minLength && length <= maxLength;
}
