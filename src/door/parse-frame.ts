// Bytes of a frame to a JSON value, by the quick way where it is safe and the strict way where not; page, worker and Node.

import { ECHO_CHARACTERS, FRAME_DEPTH } from "../limits.ts";
import { cut, hasLoneSurrogate } from "../schema/characters.ts";
import { isJsonObject, type Json, type JsonObject } from "../schema/json-value.ts";
import { JsonProblem, type ParsedJson, parseStrictJson } from "../schema/strict-json.ts";
import { scanFrame } from "./scan.ts";

/** A frame's value, whatever it is. */
export interface ParsedFrame extends ParsedJson {
  /** There may be `$bytes` objects in it. */
  readonly mayHoldBytes: boolean;
}

// "ignoreBOM" keeps the mark, so that it can be refused.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Parses a frame by the rules for UTF-8, nesting and JSON, in their order. A lone surrogate is reported, not refused,
 * since its rule comes after them.
 *
 * @throws JsonProblem
 */
export function parseFrame(bytes: Uint8Array): ParsedFrame {
  const scan = scanFrame(bytes);
  const text = decode(bytes);
  if (scan.depth > FRAME_DEPTH) {
    throw new JsonProblem(`the frame nests deeper than ${FRAME_DEPTH} levels`);
  }
  // Where a backslash is itself escaped this is true without need, which costs little and harms nothing.
  const unicodeEscapes = text.includes("\\u");
  const mayHoldBytes = unicodeEscapes || text.includes("$");
  if (!scan.exactNumbers) {
    const value = parsePlain(text, scan.colons);
    if (value !== undefined) {
      const lone = unicodeEscapes ? loneSurrogateIn(value) : undefined;
      const loneSurrogate = lone === undefined ? undefined : cut(lone, ECHO_CHARACTERS);
      return { value, wholeFloats: false, loneSurrogate, mayHoldBytes };
    }
  }
  return { ...parseStrictJson(text), mayHoldBytes };
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new JsonProblem("the frame is not UTF-8");
  }
  if (text.startsWith("\ufeff")) throw new JsonProblem("the frame begins with a byte order mark");
  // Text in UTF-16 or UTF-32 begins with an ASCII character of JSON and so has a zero byte near its start.
  if (text.startsWith("\0") || text.charCodeAt(1) === 0) {
    throw new JsonProblem("the frame is UTF-16 or UTF-32, not UTF-8");
  }
  return text;
}

/**
 * The ordinary frame: the engine's own parser, trusted because the scan saw no number whose spelling matters, and
 * because as many keys came out as there were colons (a repeated key would be missing). Undefined sends the frame to
 * the strict parser, which has the last word and the better message.
 */
function parsePlain(text: string, colons: number): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  return countKeys(value) === colons ? value : undefined;
}

// The scan has bounded the depth, so these may recurse.

function countKeys(value: Json): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === "object" && item !== null) count += countKeys(item);
    }
  } else if (typeof value === "object" && value !== null) {
    const object = value as JsonObject;
    for (const key in object) {
      count++;
      const member = object[key];
      if (typeof member === "object" && member !== null) count += countKeys(member);
    }
  }
  return count;
}

function loneSurrogateIn(value: Json): string | undefined {
  if (typeof value === "string") return hasLoneSurrogate(value) ? value : undefined;
  if (Array.isArray(value)) {
    for (const item of value) {
      const lone = loneSurrogateIn(item);
      if (lone !== undefined) return lone;
    }
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const lone = hasLoneSurrogate(key) ? key : loneSurrogateIn(value[key] as Json);
      if (lone !== undefined) return lone;
    }
  }
  return undefined;
}
