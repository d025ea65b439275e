// One line of a package's stdout, told apart: an answer, a notification, a request, or no message at all; anywhere.

import { PACKAGE_MESSAGE_DEPTH } from "../limits.ts";

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The error of an answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a line is. */
export type Message =
  | { readonly kind: "result"; readonly id: string | number; readonly result: JsonObject }
  /** Its id is null when the package could not read the request. */
  | { readonly kind: "error"; readonly id: string | number | null; readonly error: RpcError }
  | { readonly kind: "notification" }
  | { readonly kind: "request"; readonly method: string }
  /** `problem` finishes the sentence "the line …". */
  | { readonly kind: "none"; readonly problem: string };

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads one line, without its "\n". Time and stack are bounded by the line's length and by 512 levels. */
export function readMessage(line: Uint8Array): Message {
  if (isTooDeep(line)) return none(`is nested deeper than ${PACKAGE_MESSAGE_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(decoder.decode(line));
  } catch {
    return none("is not JSON in UTF-8");
  }
  if (!isObject(value)) return none("is not a JSON object");
  if (value["jsonrpc"] !== "2.0") return none('lacks "jsonrpc":"2.0"');
  return Object.hasOwn(value, "method") ? readCall(value) : readAnswer(value);
}

function readCall(value: JsonObject): Message {
  const { method } = value;
  if (typeof method !== "string") return none("has a method that is no text");
  return Object.hasOwn(value, "id") ? { kind: "request", method } : { kind: "notification" };
}

function readAnswer(value: JsonObject): Message {
  const { id, result, error } = value;
  const hasResult = Object.hasOwn(value, "result");
  if (hasResult === Object.hasOwn(value, "error")) {
    return none("has neither a method nor exactly one of result and error");
  }
  const known = typeof id === "string" || typeof id === "number";
  if (hasResult) {
    if (!known) return none("has an id that is neither text nor number");
    return isObject(result)
      ? { kind: "result", id, result }
      : none("has a result that is no object");
  }
  if (!known && id !== null && id !== undefined) {
    return none("has an id that is neither text nor number");
  }
  if (
    !isObject(error) ||
    typeof error["code"] !== "number" ||
    typeof error["message"] !== "string"
  ) {
    return none("has an error without code and message");
  }
  return { kind: "error", id: known ? id : null, error: error as unknown as RpcError };
}

/** Whether a value is a JSON object, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function none(problem: string): Message {
  return { kind: "none", problem };
}

/** Counts brackets outside strings. Bytes do: in UTF-8 no other character holds one of these. */
function isTooDeep(line: Uint8Array): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at];
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > PACKAGE_MESSAGE_DEPTH) return true;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return false;
}
