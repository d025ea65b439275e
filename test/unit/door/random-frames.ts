// Seeded random frames: JSON in every spelling, and what mutation makes of it; Node.

import { seeded } from "../schema/random-schemas.ts";

const PUNCTUATION = [...new TextEncoder().encode('{}[]":,\\-.0eu$')];
const NUMBERS = (
  "0 -0 1 -1 5 5.0 5e0 5E+0 0.5 -0.0 1.50 1e3 1e400 -1e400 1e-400 0.1e1 123456789012345 1234567890123456 " +
  "9007199254740991 9007199254740992 9007199254740993 -9007199254740993 0.999999999999999999999 99999999999999.5 " +
  "123456789012345.5 0.000 10.00 00 01 -01 1. .5 +1 1e 1e+ -  NaN Infinity -Infinity 4.9e-324 1.7976931348623157e308"
).split(" ");
const STRINGS = [
  "",
  "a",
  "code",
  "$bytes",
  "$",
  "é",
  "\u{1f600}",
  "\u2028",
  "\\n",
  '\\"',
  "\\\\",
  "\\/",
  "\\u0061",
  "\\u0024bytes",
  "\\ud83d\\ude00",
  "\\ud800",
  "\\udc00x",
  "\\ude00\\ud83d",
  "\\u00",
  "\\x",
  "\t",
  ":",
  "{[",
  "\\\\u0041",
  "__proto__",
  "constructor",
  "x".repeat(40),
  `${"y".repeat(31)}\\`,
  `${"z".repeat(33)}\\"${"[".repeat(70)}`,
  "aGk=",
  "aGk",
];

/** Makes frames from one stream of random numbers. */
export class RandomFrames {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** A call, well-formed but for the odd number, string or repeated key. */
  frame(): string {
    const blank = () => (this.#random() < 0.1 ? this.#pick([" ", "\n", "\t\r\n "]) : "");
    const fields = [
      `"v":${this.#random() < 0.9 ? "1" : this.#pick(NUMBERS)}`,
      `"id":${this.#random() < 0.5 ? String(this.#int(100)) : this.#value(1)}`,
      `"op":"${this.#random() < 0.9 ? "call" : this.#pick(["list", "batch", "x"])}"`,
      `"tool":${this.#random() < 0.8 ? this.#pick(['"echo"', '"constructor"', '"strict"', '"toString"']) : this.#value(0)}`,
      `${blank()}"args"${blank()}:${blank()}${this.#random() < 0.9 ? this.#object(3) : this.#value(2)}`,
    ];
    if (this.#random() < 0.2) fields.push(`"${this.#pick(STRINGS)}":${this.#value(2)}`);
    if (this.#random() < 0.2) fields.reverse();
    return `${blank()}{${fields.join(",")}}${blank()}`;
  }

  /** The bytes of a frame after up to three accidents. */
  mutated(): Uint8Array {
    let bytes = [...new TextEncoder().encode(this.frame())];
    for (let i = this.#int(4); i > 0; i--) {
      const at = this.#int(bytes.length + 1);
      const length = this.#int(12);
      const kind = this.#int(6);
      if (kind === 0) bytes[Math.min(at, bytes.length - 1)] = this.#int(256);
      else if (kind === 1) bytes.splice(at, length);
      else if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + length));
      else if (kind === 3) bytes.splice(at, 0, ...new TextEncoder().encode(this.#value(1)));
      else if (kind === 4) bytes = bytes.slice(0, at);
      else bytes.splice(at, 0, this.#pick(PUNCTUATION));
    }
    return Uint8Array.from(bytes);
  }

  #value(depth: number): string {
    const kind = this.#int(depth > 0 ? 10 : 7);
    if (kind < 3) return this.#pick(NUMBERS);
    if (kind < 6) return `"${this.#pick(STRINGS)}"`;
    if (kind === 6) return this.#pick(["null", "true", "false", "True", "nul"]);
    if (kind === 7) return this.#object(depth - 1);
    if (kind === 8) return `{"$bytes":"${this.#pick(["aGk=", "", "aGk", "x", "AAAA"])}"}`;
    const items = Array.from({ length: this.#int(4) }, () => this.#value(depth - 1));
    const deep = this.#random() < 0.02 ? 40 + this.#int(40) : 0;
    return `${"[".repeat(deep)}[${items.join(",")}]${"]".repeat(deep)}`;
  }

  #object(depth: number): string {
    const members = Array.from(
      { length: this.#int(5) },
      (_, i) => `"${this.#random() < 0.7 ? `k${i}` : this.#pick(STRINGS)}":${this.#value(depth)}`,
    );
    return `{${members.join(",")}}`;
  }

  #int(below: number): number {
    return Math.floor(this.#random() * below);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#int(from.length)] as T;
  }
}
