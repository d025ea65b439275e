// Arguments as a caller in the page gives them, copied and measured before a schema judges them; page, worker and Node.

import { FRAME_DEPTH } from "../limits.ts";
import { checkArguments } from "../schema/check-arguments.ts";
import { toBase64 } from "../schema/base64.ts";
import { isJsonObject, type Json, type JsonObject, setOwn } from "../schema/json-value.ts";
import type { ToolParts } from "./tool.ts";

/** Levels that the envelope of a frame takes, so that both ways to a tool allow the same depth. */
const ENVELOPE_LEVELS = 2;

/**
 * Judges arguments by a tool's schema and copies them, as the door does with those of a guest.
 *
 * @returns The tool's own copy, or a text that says what is wrong
 */
export function readArguments(
  parts: ToolParts,
  args: unknown,
): { readonly args: Record<string, unknown> } | string {
  const reader = new Reader();
  let value: Json;
  try {
    value = reader.read(args, 0);
  } catch (error) {
    if (error instanceof NoJson) return error.message;
    throw error;
  }
  if (!isJsonObject(value)) return "the arguments must be an object";
  const problem = checkArguments(parts.input, value, reader.bytes, false);
  if (problem !== undefined) return problem;
  // Absent, `args.constructor` must be undefined where the schema has a property of that name.
  if (parts.input.inheritedNames) detach(value);
  return { args: value };
}

class NoJson extends Error {}

class Reader {
  bytes = 0;

  read(value: unknown, level: number): Json {
    if (level > FRAME_DEPTH - ENVELOPE_LEVELS) {
      throw new NoJson(
        `the arguments are nested deeper than ${FRAME_DEPTH - ENVELOPE_LEVELS} levels`,
      );
    }
    switch (typeof value) {
      case "string":
      case "boolean":
      case "bigint":
        return value;
      case "number":
        if (!Number.isFinite(value))
          throw new NoJson(`the arguments hold ${value}, which is not JSON`);
        // A double beyond 2^53 is still one exact integer.
        return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value + 0;
      case "object":
        return value === null ? null : this.#object(value, level);
      default:
        throw new NoJson(`the arguments hold a ${typeof value}, which is not JSON`);
    }
  }

  #object(value: object, level: number): Json {
    if (value instanceof Uint8Array) {
      this.bytes++;
      return value;
    }
    if (Array.isArray(value)) return value.map((item: unknown) => this.read(item, level + 1));
    if (Object.prototype.toString.call(value) !== "[object Object]") {
      throw new NoJson("the arguments hold an object that is not JSON");
    }
    const copy: JsonObject = {};
    for (const [key, member] of Object.entries(value as Record<string, unknown>)) {
      if (member !== undefined) setOwn(copy, key, this.read(member, level + 1));
    }
    return copy;
  }
}

function detach(value: Json): void {
  if (Array.isArray(value)) for (const item of value) detach(item);
  else if (isJsonObject(value)) {
    for (const member of Object.values(value)) detach(member);
    Object.setPrototypeOf(value, null);
  }
}

/** Arguments as JSON can carry them: bytes as base64 text, long integers as numbers; for tools that are not in the page. */
export function jsonArguments(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return toBase64(value);
  if (Array.isArray(value)) return value.map(jsonArguments);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, jsonArguments(member)]),
  );
}
