// A tool's result as JSON text, by the protocol's table carried over to JavaScript; page, worker and Node.

import { DOOR_ANSWER_BYTES, RESULT_DEPTH } from "../limits.ts";
import { isStrictBase64, toBase64 } from "../schema/base64.ts";

/** A result over 16 MiB. */
export class ResultTooLarge extends Error {
  override readonly name = "ResultTooLarge";
}

/** A result that is not JSON; the message, for the page's record, says where and what. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/**
 * The JSON text of a result:
 * - null, booleans, strings, finite numbers as they are; a bigint as an integer; undefined as null;
 * - arrays, Sets and typed arrays as arrays; Uint8Array, Uint8ClampedArray, ArrayBuffer and DataView as `$bytes`;
 * - objects and Maps with string keys as objects; an object with a toJSON method (Date, URL) as what that returns.
 * Anything else is no JSON: NaN, functions, symbols, Promises, cycles, a getter that throws.
 *
 * @throws NotJson, ResultTooLarge, or whatever a getter throws
 * @example
 * encodeResult({ when: 2n ** 64n, data: new Uint8Array([1]) });    // '{"when":18446744073709551616,"data":{"$bytes":"AQ=="}}'
 */
export function encodeResult(value: unknown): string {
  return new Encoder().encode(value, "result", 0);
}

// oxlint-disable-next-line no-control-regex -- what JSON escapes, and nothing else
const NEEDS_ESCAPES = /[\0-\x1f"\\\ud800-\udfff]/;

class Encoder {
  /** Characters so far, so that a result that shares its parts many times over ends early. */
  #size = 0;

  encode(value: unknown, path: string, level: number): string {
    switch (typeof value) {
      case "string":
        return this.#count(NEEDS_ESCAPES.test(value) ? JSON.stringify(value) : `"${value}"`);
      case "number":
        if (!Number.isFinite(value)) throw new NotJson(`${path} is ${value}, which is not JSON`);
        return this.#count(String(value + 0));
      case "boolean":
        return this.#count(value ? "true" : "false");
      case "undefined":
        return this.#count("null");
      case "bigint":
        return this.#count(value.toString());
      case "object":
        return value === null ? this.#count("null") : this.#object(value, path, level);
      default:
        throw new NotJson(`${path} is a ${typeof value}, which is not JSON`);
    }
  }

  #count(text: string): string {
    this.#size += text.length + 1;
    if (this.#size > DOOR_ANSWER_BYTES) throw new ResultTooLarge("the result is over 16 MiB");
    return text;
  }

  #object(value: object, path: string, level: number): string {
    if (level >= RESULT_DEPTH) {
      throw new NotJson(`${path} is nested deeper than ${RESULT_DEPTH} levels, or holds itself`);
    }
    if (Array.isArray(value)) return this.#list(value, path, level);
    const bytes = bytesOf(value);
    if (bytes !== undefined) return this.#bytes(bytes);
    if (ArrayBuffer.isView(value)) {
      return this.#list(value as unknown as ArrayLike<unknown>, path, level);
    }
    if (value instanceof Set) return this.#list([...value], path, level);
    if (value instanceof Map) return this.#members(mapEntries(value, path), path, level);
    const { toJSON, then } = value as { toJSON?: unknown; then?: unknown };
    if (typeof toJSON === "function") {
      return this.encode(Reflect.apply(toJSON, value, [""]), path, level + 1);
    }
    const tag = Object.prototype.toString.call(value);
    if (tag !== "[object Object]" || typeof then === "function") {
      throw new NotJson(`${path} is ${describe(value, tag)}, which is not JSON`);
    }
    return this.#members(
      Object.keys(value).map((key) => [key, (value as Record<string, unknown>)[key]]),
      path,
      level,
    );
  }

  #list(items: ArrayLike<unknown>, path: string, level: number): string {
    this.#count("");
    let text = "[";
    for (let i = 0; i < items.length; i++) {
      text += `${i === 0 ? "" : ","}${this.encode(items[i], `${path}[${i}]`, level + 1)}`;
    }
    return `${text}]`;
  }

  #members(entries: Iterable<readonly [string, unknown]>, path: string, level: number): string {
    this.#count("");
    let text = "{";
    for (const [key, member] of entries) {
      if (key === "$bytes") this.#checkBytesKey(entries, member, path);
      const name = this.encode(key, path, level);
      text += `${text === "{" ? "" : ","}${name}:${this.encode(member, `${path}.${key}`, level + 1)}`;
    }
    return `${text}}`;
  }

  /** An object with the key `$bytes` would reach the guest as bytes, or not at all. */
  #checkBytesKey(entries: Iterable<unknown>, member: unknown, path: string): void {
    const alone = [...entries].length === 1;
    if (alone && typeof member === "string" && isStrictBase64(member)) return;
    throw new NotJson(`${path} has the key $bytes, which is kept for bytes: return a Uint8Array`);
  }

  #bytes(bytes: Uint8Array): string {
    if (bytes.length > DOOR_ANSWER_BYTES) throw new ResultTooLarge("the result is over 16 MiB");
    return this.#count(`{"$bytes":"${toBase64(bytes)}"}`);
  }
}

function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof Uint8ClampedArray || value instanceof DataView) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  const tag = Object.prototype.toString.call(value);
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]"
    ? new Uint8Array(value as ArrayBuffer)
    : undefined;
}

function mapEntries(map: Map<unknown, unknown>, path: string): [string, unknown][] {
  return Array.from(map, ([key, member]) => {
    if (typeof key !== "string") throw new NotJson(`${path} is a Map with a key that is no string`);
    return [key, member];
  });
}

function describe(value: object, tag: string): string {
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? `an instance of ${name}` : tag.slice(8, -1);
}
