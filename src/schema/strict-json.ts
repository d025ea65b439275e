// The strict JSON parser of the tool protocol: one pass, bounded recursion, numbers by their spelling; page, worker and Node.

import { ECHO_CHARACTERS, FRAME_DEPTH, INTEGER_CHARACTERS } from "../limits.ts";
import { cut, hasLoneSurrogate } from "./characters.ts";
import { type Json, type JsonObject, setOwn, WholeFloat } from "./json-value.ts";

/** Why a text is not JSON as the tool protocol wants it. The message is for the guest and already cut. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
}

/** What {@link parseStrictJson} found. */
export interface ParsedJson {
  readonly value: Json;
  /** Some number is a WholeFloat, so values must be unwrapped before a tool sees them. */
  readonly wholeFloats: boolean;
  /** The first string (key or value) that holds a lone surrogate, cut; absent when none does. */
  readonly loneSurrogate?: string | undefined;
}

/**
 * Parses JSON by the rules of the tool protocol: no NaN or Infinity, no number that overflows a double, no integer
 * literal over 64 characters, no repeated key (compared after unescaping), at most `depth` levels. Time is linear in
 * the text. Lone surrogates are reported, not refused, since that rule comes after this one.
 *
 * @throws JsonProblem
 * @example
 * parseStrictJson('{"a": 5.0}').value;    // { a: WholeFloat { value: 5 } }
 */
export function parseStrictJson(text: string, depth = FRAME_DEPTH): ParsedJson {
  const parser = new Parser(text, depth);
  const value = parser.document();
  return { value, wholeFloats: parser.wholeFloats, loneSurrogate: parser.loneSurrogate };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
const WORD = /-?[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, Json> = new Map<string, Json>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class Parser {
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  wholeFloats = false;
  loneSurrogate: string | undefined;

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  document(): Json {
    const value = this.#value(0);
    this.#blank();
    if (this.#at < this.#text.length) throw this.#unexpected("the end");
    return value;
  }

  #blank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #unexpected(wanted: string): JsonProblem {
    const found =
      this.#at < this.#text.length
        ? JSON.stringify(String.fromCodePoint(this.#text.codePointAt(this.#at) as number))
        : "the end";
    return new JsonProblem(`not JSON: expected ${wanted}, found ${found} at character ${this.#at}`);
  }

  #value(level: number): Json {
    this.#blank();
    const code = this.#text.charCodeAt(this.#at);
    if (code === QUOTE) return this.#string();
    if (code === 0x7b || code === 0x5b) {
      if (level >= this.#depth) {
        throw new JsonProblem(`nested deeper than ${this.#depth} levels`);
      }
      return code === 0x7b ? this.#object(level + 1) : this.#array(level + 1);
    }
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.#number();
    return this.#word();
  }

  #object(level: number): JsonObject {
    const object: JsonObject = {};
    this.#at++;
    this.#blank();
    if (this.#text.charCodeAt(this.#at) === 0x7d) {
      this.#at++;
      return object;
    }
    for (;;) {
      this.#blank();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) throw this.#unexpected("a key");
      const key = this.#string();
      if (Object.hasOwn(object, key)) {
        throw new JsonProblem(`the key ${JSON.stringify(cut(key, ECHO_CHARACTERS))} is repeated`);
      }
      this.#blank();
      if (this.#text.charCodeAt(this.#at) !== COLON) throw this.#unexpected('":"');
      this.#at++;
      setOwn(object, key, this.#value(level));
      if (this.#endsAfter(0x7d, '"," or "}"')) return object;
    }
  }

  #array(level: number): Json[] {
    const array: Json[] = [];
    this.#at++;
    this.#blank();
    if (this.#text.charCodeAt(this.#at) === 0x5d) {
      this.#at++;
      return array;
    }
    for (;;) {
      array.push(this.#value(level));
      if (this.#endsAfter(0x5d, '"," or "]"')) return array;
    }
  }

  /** Past a comma: false; past the closing bracket: true. */
  #endsAfter(close: number, wanted: string): boolean {
    this.#blank();
    const code = this.#text.charCodeAt(this.#at);
    if (code !== close && code !== COMMA) throw this.#unexpected(wanted);
    this.#at++;
    return code === close;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let escaped = false;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) {
        escaped = true;
        at += 2;
      } else if (code >= 0x20) {
        at++;
      } else {
        // NaN past the end, or a control character.
        this.#at = Math.min(at, text.length);
        throw this.#unexpected(at < text.length ? "an escape for it" : "a closing quote");
      }
    }
    this.#at = at + 1;
    return escaped ? this.#unescape(text.slice(start, at + 1), start) : text.slice(start + 1, at);
  }

  /** The engine knows the escapes of JSON; what it makes of the literal is looked at for lone surrogates. */
  #unescape(literal: string, start: number): string {
    let value: string;
    try {
      value = JSON.parse(literal) as string;
    } catch {
      throw new JsonProblem(`not JSON: a bad escape in the string at character ${start}`);
    }
    if (this.loneSurrogate === undefined && literal.includes("\\u") && hasLoneSurrogate(value)) {
      this.loneSurrogate = cut(value, ECHO_CHARACTERS);
    }
    return value;
  }

  #number(): Json {
    NUMBER.lastIndex = this.#at;
    const match = NUMBER.exec(this.#text);
    // "-Infinity" begins like a number and is a word.
    if (match === null) return this.#word();
    const literal = match[0];
    this.#at += literal.length;
    if (match[1] === undefined && match[2] === undefined) {
      if (literal.length > INTEGER_CHARACTERS) {
        throw new JsonProblem(
          `an integer is written with more than ${INTEGER_CHARACTERS} characters`,
        );
      }
      const integer = Number(literal);
      // "+ 0" makes the integer 0 of "-0".
      return Number.isSafeInteger(integer) ? integer + 0 : BigInt(literal);
    }
    const number = Number(literal);
    if (!Number.isFinite(number)) {
      throw new JsonProblem(`the number ${cut(literal, ECHO_CHARACTERS)} overflows a double`);
    }
    if (!Number.isInteger(number)) return number;
    this.wholeFloats = true;
    return new WholeFloat(number);
  }

  #word(): Json {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0];
    const value = word === undefined ? undefined : WORDS.get(word);
    if (value === undefined) {
      if (word === "NaN" || word === "Infinity" || word === "-Infinity") {
        throw new JsonProblem(`not JSON: ${word} is no JSON number`);
      }
      throw this.#unexpected("a value");
    }
    this.#at += (word as string).length;
    return value;
  }
}
