// One pass over a frame's bytes: how deep it nests, and whether JSON.parse may be trusted with it; page, worker and Node.

import { FRAME_DEPTH } from "../limits.ts";

/** What the bytes say before anything is parsed. */
export interface Scan {
  /** Levels of brackets outside strings, counted up to one more than the protocol allows. */
  readonly depth: number;
  /** Colons outside strings: as many as keys, if the text is JSON. */
  readonly colons: number;
  /** Some number's spelling matters (`5.0`, `1e3`, `-0`, 16 digits or more), so JSON.parse would lose something. */
  readonly exactNumbers: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Digits that a double holds in every case. */
const SAFE_DIGITS = 15;
/** Bytes of a string after which the engine's own search for the closing quote is worth its call. */
const SHORT_STRING = 32;

/** Scans a frame. Linear, and stops early where the nesting alone decides. */
export function scanFrame(bytes: Uint8Array): Scan {
  const end = bytes.length;
  let depth = 0;
  let deepest = 0;
  let colons = 0;
  let exactNumbers = false;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at + 1, end);
    } else if (byte === 0x3a) {
      colons++;
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > deepest) {
        deepest = depth;
        if (deepest > FRAME_DEPTH) break;
      }
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    } else if (byte >= 0x30 && byte <= 0x39) {
      const negative = at > 0 && bytes[at - 1] === 0x2d;
      const past = plainNumberEnd(bytes, at, negative);
      if (past < 0) exactNumbers = true;
      at = (past < 0 ? -past : past) - 1;
    }
  }
  return { depth: deepest, colons, exactNumbers };
}

/** Where the closing quote of a string is, or the end. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  for (;;) {
    const soon = Math.min(end, at + SHORT_STRING);
    for (; at < soon; at++) {
      const byte = bytes[at] as number;
      if (byte === QUOTE) return at;
      if (byte === BACKSLASH) at++;
    }
    const quote = at < end ? bytes.indexOf(QUOTE, at) : -1;
    if (quote === -1) return end;
    let before = quote - 1;
    while (before >= at && bytes[before] === BACKSLASH) before--;
    // An even number of backslashes escape each other, not the quote.
    if ((quote - before) % 2 === 1) return quote;
    at = quote + 1;
  }
}

/**
 * Runs over the digits of a number. The result is where it ends, negative when its spelling matters: an exponent, a
 * fraction that is whole, minus zero, or more digits than a double holds in every case. With at most 15 digits a number
 * with a fraction other than zero cannot round to a whole one.
 */
function plainNumberEnd(bytes: Uint8Array, from: number, negative: boolean): number {
  let at = from;
  let byte = bytes[at] as number;
  let digits = 0;
  let sum = 0;
  while (byte >= 0x30 && byte <= 0x39) {
    sum |= byte & 15;
    digits++;
    byte = bytes[++at] as number;
  }
  let plain = !(negative && sum === 0);
  if (byte === 0x2e) {
    let fraction = 0;
    byte = bytes[++at] as number;
    while (byte >= 0x30 && byte <= 0x39) {
      fraction |= byte & 15;
      digits++;
      byte = bytes[++at] as number;
    }
    plain = fraction !== 0;
  }
  plain &&= digits <= SAFE_DIGITS && byte !== 0x65 && byte !== 0x45;
  return plain ? at : -at;
}
