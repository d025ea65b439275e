// JSON as the tool protocol sees it: values that remember which numbers were written as integers; page, worker and Node.

/**
 * A number written with a fraction or an exponent whose value is whole (`5.0`, `1e3`). JavaScript cannot tell it from
 * an integer, the tool protocol must. Every other number needs no wrapper: whole numbers are integers (bigint beyond
 * 2^53 - 1), the rest are not.
 */
export class WholeFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An object of JSON. Keys such as `__proto__` are own properties like any other. */
export interface JsonObject {
  [key: string]: Json;
}

/** A JSON value; Uint8Array stands for a `{"$bytes": …}` object. */
export type Json =
  | null
  | boolean
  | number
  | bigint
  | string
  | WholeFloat
  | Uint8Array
  | Json[]
  | JsonObject;

/** The types a value can have, as bits, so that a schema node accepts a set of them with one test. */
export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
export const FRACTIONAL = 8;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const BYTES = 128;
export const ANY = 255;

/** The type bit of a value. A number with a fraction or exponent in its text is FRACTIONAL, also `5.0`. */
export function typeBit(value: Json): number {
  if (typeof value === "string") return STRING;
  if (typeof value === "number") return Number.isInteger(value) ? INTEGER : FRACTIONAL;
  if (typeof value === "object") return value === null ? NULL : compoundBit(value);
  return typeof value === "boolean" ? BOOLEAN : INTEGER;
}

function compoundBit(value: Exclude<Json & object, null>): number {
  if (Array.isArray(value)) return ARRAY;
  if (value instanceof Uint8Array) return BYTES;
  return value instanceof WholeFloat ? FRACTIONAL : OBJECT;
}

/** Whether a value is an object of JSON (not an array, not bytes). */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return value !== undefined && typeBit(value) === OBJECT;
}

const OBJECT_PROTOTYPE: object = Object.prototype;

/** Sets an own property, whatever the key is called: assigning `__proto__` would set the prototype instead. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key in OBJECT_PROTOTYPE) {
    Object.defineProperty(object, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[key] = value;
  }
}

/** Equality by JSON type and value: `true` is not `1`, `1.0` is not `1`, the order of keys does not matter. */
export function jsonEquals(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const type = typeBit(a);
  if (type !== typeBit(b)) return false;
  if (type === FRACTIONAL) return (a as WholeFloat).value === (b as WholeFloat).value;
  if (type === ARRAY) {
    const [left, right] = [a as Json[], b as Json[]];
    return (
      left.length === right.length && left.every((item, i) => jsonEquals(item, right[i] as Json))
    );
  }
  if (type === BYTES) return canonicalKey(a) === canonicalKey(b);
  const [left, right] = [a as JsonObject, b as JsonObject];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => Object.hasOwn(right, key) && jsonEquals(left[key] as Json, right[key] as Json),
    )
  );
}

/** One text per value: two values have the same key exactly when {@link jsonEquals} holds. */
export function canonicalKey(value: Json): string {
  switch (typeBit(value)) {
    case STRING:
    case BOOLEAN:
    case NULL:
      return JSON.stringify(value);
    case INTEGER:
      return (value as number | bigint).toString();
    case FRACTIONAL:
      // "+ 0" makes one of -0.0 and 0.0, which are equal.
      return `f${(value instanceof WholeFloat ? value.value : (value as number)) + 0}`;
    case BYTES:
      return `b${(value as Uint8Array).join(",")}`;
    case ARRAY:
      return `[${(value as Json[]).map(canonicalKey).join(",")}]`;
    default: {
      const object = value as JsonObject;
      const members = Object.keys(object)
        .sort()
        .map((key) => `${JSON.stringify(key)}:${canonicalKey(object[key] as Json)}`);
      return `{${members.join(",")}}`;
    }
  }
}

/** The values of an enum or const: found in constant time unless they are arrays or objects. */
export class ValueSet {
  readonly values: readonly Json[];
  private readonly primitives: ReadonlySet<Json>;
  private readonly compound: readonly Json[];

  constructor(values: readonly Json[]) {
    const isCompound = (value: Json) => typeof value === "object" && value !== null;
    this.values = values;
    this.primitives = new Set(values.filter((value) => !isCompound(value)));
    this.compound = values.filter(isCompound);
  }

  has(value: Json): boolean {
    if (typeof value !== "object" || value === null) return this.primitives.has(value);
    return this.compound.some((candidate) => jsonEquals(candidate, value));
  }
}

/** The index of the first item that equals an earlier one, or -1. Linear in the size of the items. */
export function indexOfRepeat(items: readonly Json[]): number {
  const primitives = new Set<Json>();
  const keys = new Set<string>();
  return items.findIndex((item) => {
    if (typeof item === "object" && item !== null) {
      const key = canonicalKey(item);
      return keys.size === keys.add(key).size;
    }
    return primitives.size === primitives.add(item).size;
  });
}

/** The value as compact JSON text, numbers spelled as they are (`5.0` stays `5.0`). Bytes are given as `$bytes` elsewhere. */
export function jsonText(value: Json): string {
  switch (typeBit(value)) {
    case ARRAY:
      return `[${(value as Json[]).map(jsonText).join(",")}]`;
    case OBJECT: {
      const object = value as JsonObject;
      const members = Object.keys(object).map(
        (key) => `${JSON.stringify(key)}:${jsonText(object[key] as Json)}`,
      );
      return `{${members.join(",")}}`;
    }
    case FRACTIONAL: {
      const number = value instanceof WholeFloat ? value.value : (value as number);
      const text = Object.is(number, -0) ? "-0" : String(number);
      return /[.e]/.test(text) ? text : `${text}.0`;
    }
    case INTEGER:
      return typeof value === "number" ? BigInt(value).toString() : (value as bigint).toString();
    default:
      return JSON.stringify(value);
  }
}
