// A request frame, judged by the tool protocol's rules in their order; the only file that knows `v`; page, worker and Node.

import { ECHO_CHARACTERS } from "../limits.ts";
import { cut } from "../schema/characters.ts";
import { isJsonObject, type Json, type JsonObject } from "../schema/json-value.ts";
import { JsonProblem } from "../schema/strict-json.ts";
import { BytesProblem, takeBytes } from "./bytes.ts";
import { PROTOCOL } from "./protocol.ts";
import { parseFrame, type ParsedFrame } from "./parse-frame.ts";

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

/**
 * Judges the bytes of a request; the length has been judged before. Linear in the bytes, never throws.
 *
 * @example
 * readFrame(new TextEncoder().encode('{"v":1,"id":7,"op":"list"}'));    // { op: "list", id: 7 }
 */
export function readFrame(bytes: Uint8Array): Frame {
  let parsed: ParsedFrame;
  try {
    parsed = parseFrame(bytes);
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

function readEnvelope(frame: JsonObject, parsed: ParsedFrame, id: number | null): Frame {
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
