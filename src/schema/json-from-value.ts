// Turns what an author wrote as a schema (an object, or JSON text) into the JSON model; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { SCHEMA_DEPTH } from "../limits.ts";
import { type Json, type JsonObject, setOwn } from "./json-value.ts";
import { JsonProblem, parseStrictJson } from "./strict-json.ts";

/**
 * Reads a JSON value given as a JavaScript value, or as JSON text where the spelling of numbers matters (`1.0`).
 * A JavaScript whole number is an integer. Properties that are undefined are left out, as JSON.stringify does.
 *
 * @param what Names the option in errors, such as `inputSchema`.
 * @throws SandboxError `bad_tool`
 */
export function jsonFromOption(what: string, option: unknown): Json {
  if (typeof option !== "string") return jsonFromValue(what, option, 0);
  try {
    const parsed = parseStrictJson(option, SCHEMA_DEPTH);
    if (parsed.loneSurrogate !== undefined) throw new JsonProblem("it holds a lone surrogate");
    return parsed.value;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new SandboxError("bad_tool", `${what}: ${error.message}`, { data: { path: "" } });
  }
}

function jsonFromValue(path: string, value: unknown, level: number): Json {
  if (level > SCHEMA_DEPTH) throw refusal(path, `is nested deeper than ${SCHEMA_DEPTH} levels`);
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      if (!Number.isFinite(value)) throw refusal(path, `is ${value}, which is not JSON`);
      // A double beyond 2^53 is still one exact integer.
      return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value + 0;
    case "object":
      break;
    default:
      throw refusal(path, `is a ${typeof value}, which is not JSON`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    return Array.from(value, (item, i) => jsonFromValue(`${path}[${i}]`, item, level + 1));
  }
  if (Object.prototype.toString.call(value) !== "[object Object]") {
    throw refusal(path, "is not a plain object");
  }
  return jsonFromObject(path, value, level);
}

function jsonFromObject(path: string, value: object, level: number): JsonObject {
  const object: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined)
      setOwn(object, key, jsonFromValue(`${path}.${key}`, member, level + 1));
  }
  return object;
}

function refusal(path: string, message: string): SandboxError {
  return new SandboxError("bad_tool", `${path} ${message}`, { data: { path } });
}
