// Strict JSON on text without building values: checks the grammar and says where members lie; page, worker and Node.
//
// JSON.parse would build up to eight megabytes of a guest's values only to throw most of them away, takes repeated keys,
// and changes numbers. Here a `json` body is found, checked, and sent as the guest wrote it.

import { HTTP_DEPTH } from "../limits.ts";

/** The text breaks the grammar of JSON, or a rule on top of it. */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
}

/** Where a value lies in the text: `start` inclusive, `end` exclusive, no white space around it. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

type Visit = (key: string, value: JsonSpan) => void;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Checks that `text` is exactly one JSON value, and returns where it lies. Throws {@link JsonFault}. */
export function scanJson(text: string): JsonSpan {
  const start = skipSpace(text, 0);
  const end = skipValue(text, start, 1);
  if (skipSpace(text, end) !== text.length) fault("more than one value", end);
  return { start, end };
}

/**
 * The members of the object that lies at `span`, in order; undefined when no object lies there. Throws
 * {@link JsonFault} when a key repeats.
 */
export function jsonMembers(text: string, span: JsonSpan): Map<string, JsonSpan> | undefined {
  if (text.charCodeAt(span.start) !== OPEN_OBJECT) return undefined;
  const members = new Map<string, JsonSpan>();
  skipObject(text, span.start, 1, (key, value) => {
    if (members.has(key)) fault("a key repeats", value.start);
    members.set(key, value);
  });
  return members;
}

function skipValue(text: string, at: number, depth: number): number {
  if (depth > HTTP_DEPTH) fault(`more than ${HTTP_DEPTH} levels`, at);
  const code = text.charCodeAt(at);
  if (code === QUOTE) return skipString(text, at);
  if (code === OPEN_OBJECT) return skipObject(text, at, depth);
  if (code === OPEN_LIST) return skipList(text, at, depth);
  for (const literal of ["true", "false", "null"]) {
    if (text.startsWith(literal, at)) return at + literal.length;
  }
  return skipNumber(text, at);
}

function skipObject(text: string, start: number, depth: number, visit?: Visit): number {
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) fault("a key is no string", at);
    const keyEnd = skipString(text, at);
    const colon = skipSpace(text, keyEnd);
    if (text.charCodeAt(colon) !== COLON) fault("a colon is missing", colon);
    const valueStart = skipSpace(text, colon + 1);
    const valueEnd = skipValue(text, valueStart, depth + 1);
    visit?.(JSON.parse(text.slice(at, keyEnd)), { start: valueStart, end: valueEnd });
    at = skipSpace(text, valueEnd);
    if (text.charCodeAt(at) === CLOSE_OBJECT) return at + 1;
    if (text.charCodeAt(at) !== COMMA) fault("a comma or brace is missing", at);
    at = skipSpace(text, at + 1);
  }
}

function skipList(text: string, start: number, depth: number): number {
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_LIST) return at + 1;
  for (;;) {
    at = skipSpace(text, skipValue(text, at, depth + 1));
    if (text.charCodeAt(at) === CLOSE_LIST) return at + 1;
    if (text.charCodeAt(at) !== COMMA) fault("a comma or bracket is missing", at);
    at = skipSpace(text, at + 1);
  }
}

/** A string, its escapes, and no lone surrogate among them. */
function skipString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code !== BACKSLASH) {
      // NaN is the end of the text.
      if (!(code >= 0x20)) fault("a string is not closed, or holds a control character", at);
      at += 1;
      continue;
    }
    const escape = text[at + 1] ?? "";
    if (escape === "u") at = skipUnicodeEscape(text, at);
    else if (escape !== "" && '"\\/bfnrt'.includes(escape)) at += 2;
    else fault("an unknown escape", at);
  }
}

function skipUnicodeEscape(text: string, at: number): number {
  const unit = escapedUnit(text, at);
  if (unit < 0xd800 || unit > 0xdfff) return at + 6;
  const next = unit < 0xdc00 && text.startsWith("\\u", at + 6) ? escapedUnit(text, at + 6) : 0;
  if (next < 0xdc00 || next > 0xdfff) fault("a lone surrogate", at);
  return at + 12;
}

function escapedUnit(text: string, at: number): number {
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) fault("a broken escape", at);
  return Number.parseInt(digits, 16);
}

function skipNumber(text: string, start: number): number {
  let at = text[start] === "-" ? start + 1 : start;
  const whole = skipDigits(text, at);
  if (text[at] === "0" && whole > at + 1) fault("a number starts with zero", at);
  at = whole;
  if (text[at] === ".") at = skipDigits(text, at + 1);
  if (text[at] === "e" || text[at] === "E") {
    const sign = text[at + 1] === "+" || text[at + 1] === "-" ? 1 : 0;
    at = skipDigits(text, at + 1 + sign);
  }
  return at;
}

function skipDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  if (at === start) fault("not a value", start);
  return at;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

function fault(what: string, at: number): never {
  throw new JsonFault(`${what} (at character ${at})`);
}
