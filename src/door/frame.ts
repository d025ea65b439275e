// A request frame, judged by the tool protocol's rules in their order; the only file that knows `v`; page, worker and Node.

import { ECHO_CHARACTERS, FRAME_DEPTH } from "../limits.ts";
import { cut, hasLoneSurrogate } from "../schema/characters.ts";
import { isJsonObject, type Json, type JsonObject } from "../schema/json-value.ts";
import { JsonProblem, parseStrictJson } from "../schema/strict-json.ts";
import { BytesProblem, takeBytes } from "./bytes.ts";
import { scanFrame } from "./scan.ts";

/** The version of the tool protocol that this host speaks. */
export const PROTOCOL = 1;

/** What a frame asks for, or why it is no frame. `id` is what the answer echoes. */
export type Frame =
  | { readonly op: "list"; readonly id: number | null }
  | {
      readonly op: "call";
      readonly id: number | null;
      readonly tool: Json | undefined;
      readonly args: Json | undefined;
      /** How many byte values the frame holds. */
      readonly bytes: number;
      /** Some number is a WholeFloat. */
      readonly wholeFloats: boolean;
    }
  | { readonly op: "refused"; readonly id: number | null; readonly message: string };

interface Parsed {
  readonly value: Json;
  readonly wholeFloats: boolean;
  readonly loneSurrogate?: string | undefined;
  readonly mayHoldBytes: boolean;
}

// "ignoreBOM" keeps the mark, so that it can be refused.
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Judges the bytes of a request; the length has been judged before. Linear in the bytes, never throws.
 *
 * @example
 * readFrame(new TextEncoder().encode('{"v":1,"id":7,"op":"list"}'));    // { op: "list", id: 7 }
 */
export function readFrame(bytes: Uint8Array): Frame {
  let parsed: Parsed;
  try {
    parsed = parse(bytes);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    return { op: "refused", id: null, message: error.message };
  }
  const { value } = parsed;
  const id = isJsonObject(value) ? echoedId(value["id"]) : null;
  if (parsed.loneSurrogate !== undefined) {
    const message = `a string holds a lone surrogate: ${JSON.stringify(parsed.loneSurrogate)}`;
    return { op: "refused", id, message };
  }
  if (!isJsonObject(value)) return { op: "refused", id, message: "a frame must be a JSON object" };
  return readEnvelope(value, parsed, id);
}

function readEnvelope(frame: JsonObject, parsed: Parsed, id: number | null): Frame {
  let bytes = 0;
  if (parsed.mayHoldBytes) {
    try {
      bytes = takeBytes(frame);
    } catch (error) {
      if (!(error instanceof BytesProblem)) throw error;
      return { op: "refused", id, message: error.message };
    }
  }
  const { v, op, tool, args } = ownFields(frame);
  const serves = `this host serves version ${PROTOCOL} with the operations list and call`;
  if (v !== PROTOCOL) {
    return { op: "refused", id, message: `version ${show(v)} is not served; ${serves}` };
  }
  if (op === "list") return { op, id };
  if (op === "call") return { op, id, tool, args, bytes, wholeFloats: parsed.wholeFloats };
  const refusal =
    op === "batch" ? "the operation batch is reserved" : `unknown operation ${show(op)}`;
  return { op: "refused", id, message: `${refusal}; ${serves}` };
}

/** Own properties only: a frame without `v` must not find one that a page put on Object.prototype. */
function ownFields(frame: JsonObject): Record<"v" | "op" | "tool" | "args", Json | undefined> {
  const own = (key: string) => (Object.hasOwn(frame, key) ? frame[key] : undefined);
  return { v: own("v"), op: own("op"), tool: own("tool"), args: own("args") };
}

function echoedId(id: Json | undefined): number | null {
  return typeof id === "number" && Number.isInteger(id) && id >= 0 ? id : null;
}

/** A piece of the guest's text for a message, cut to 64 characters. */
export function show(value: Json | undefined): string {
  switch (typeof value) {
    case "undefined":
      return "(absent)";
    case "string":
      return JSON.stringify(cut(value, ECHO_CHARACTERS));
    case "object":
      if (value === null) return "null";
      return isJsonObject(value)
        ? "(an object)"
        : Array.isArray(value)
          ? "(an array)"
          : "(no integer)";
    default:
      return cut(String(value), ECHO_CHARACTERS);
  }
}

/** Rules 2 to 5. @throws JsonProblem */
function parse(bytes: Uint8Array): Parsed {
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
