// Strict base64 (standard alphabet, padded, unused bits zero), without Buffer; page, worker and Node.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const PAD = 0x3d;
const BAD = 64;

/** The value of each ASCII character, BAD where it is none of the alphabet's. */
const VALUES = new Uint8Array(128).fill(BAD);
CODES.forEach((code, value) => (VALUES[code] = value));

function valueAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (VALUES[code] as number) : BAD;
}

/** How many bytes a text decodes to if it is base64 at all, or -1. */
function decodedLength(text: string): number {
  if (text.length % 4 !== 0) return -1;
  let padding = 0;
  while (padding < 2 && text.charCodeAt(text.length - 1 - padding) === PAD) padding++;
  return (text.length / 4) * 3 - padding;
}

/** Whether a text is strict base64. */
export function isStrictBase64(text: string): boolean {
  return fromStrictBase64(text) !== undefined;
}

/**
 * Decodes strict base64: the standard alphabet, full padding, no white space, unused bits zero.
 *
 * @returns The bytes, or undefined when the text is anything else.
 */
export function fromStrictBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const length = decodedLength(text);
  if (length < 0) return undefined;
  const bytes = new Uint8Array(length);
  const whole = length - (length % 3);
  let bad = 0;
  let at = 0;
  let to = 0;
  for (; to < whole; at += 4, to += 3) {
    const [a, b] = [valueAt(text, at), valueAt(text, at + 1)];
    const [c, d] = [valueAt(text, at + 2), valueAt(text, at + 3)];
    bad |= a | b | c | d;
    bytes[to] = (a << 2) | (b >> 4);
    bytes[to + 1] = (b << 4) | (c >> 2);
    bytes[to + 2] = (c << 6) | d;
  }
  if (to < length) {
    const [a, b] = [valueAt(text, at), valueAt(text, at + 1)];
    const c = length - to === 2 ? valueAt(text, at + 2) : 0;
    bad |= a | b | c;
    const bits = (a << 18) | (b << 12) | (c << 6);
    bytes[to] = bits >> 16;
    if (length - to === 2) bytes[to + 1] = bits >> 8;
    if ((bits & (length - to === 2 ? 0xff : 0xffff)) !== 0) return undefined;
  }
  return (bad & BAD) === 0 ? bytes : undefined;
}

const ascii = new TextDecoder("latin1");

/** Bytes as base64 text. */
export function toBase64(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let to = 0;
  for (let at = 0; at < bytes.length; at += 3, to += 4) {
    const bits = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    codes[to] = CODES[bits >> 18] as number;
    codes[to + 1] = CODES[(bits >> 12) & 63] as number;
    codes[to + 2] = at + 1 < bytes.length ? (CODES[(bits >> 6) & 63] as number) : PAD;
    codes[to + 3] = at + 2 < bytes.length ? (CODES[bits & 63] as number) : PAD;
  }
  return ascii.decode(codes);
}
