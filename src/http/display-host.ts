// A host name as people read it: punycode labels with their Unicode form beside them; page, worker and Node.

import { ECHO_CHARACTERS } from "../limits.ts";
import { cut } from "./http-failure.ts";

/**
 * The ASCII name, followed by its Unicode form where it has one, so that a look-alike is seen for what it is.
 *
 * @example displayHost("xn--bcher-kva.example") // "xn--bcher-kva.example (bücher.example)"
 */
export function displayHost(host: string): string {
  const labels = host.split(".");
  const shown = labels.map((label) => decodeLabel(label) ?? label).join(".");
  const name = cut(host, ECHO_CHARACTERS * 2);
  return shown === host ? name : `${name} (${cut(shown, ECHO_CHARACTERS * 2)})`;
}

const PREFIX = "xn--";
const BASE = 36;
const MAX_CODE_POINT = 0x10ffff;

/** RFC 3492; undefined for a label that is not punycode or is broken. Labels have at most 63 characters. */
function decodeLabel(label: string): string | undefined {
  if (!label.startsWith(PREFIX)) return undefined;
  const text = label.slice(PREFIX.length);
  const hyphen = text.lastIndexOf("-");
  const output = Array.from(text.slice(0, Math.max(hyphen, 0)), (letter) => letter.charCodeAt(0));
  let at = hyphen + 1;
  let code = 128;
  let bias = 72;
  for (let index = 0; at < text.length; index += 1) {
    const before = index;
    let weight = 1;
    for (let step = BASE; ; step += BASE) {
      const digit = digitOf(text.charCodeAt(at));
      if (digit === undefined) return undefined;
      at += 1;
      index += digit * weight;
      const threshold = Math.min(Math.max(step - bias, 1), 26);
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const size = output.length + 1;
    bias = adapt(index - before, size, before === 0);
    code += Math.floor(index / size);
    index %= size;
    if (code > MAX_CODE_POINT || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    output.splice(index, 0, code);
  }
  return String.fromCodePoint(...output);
}

function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  return undefined;
}

function adapt(delta: number, size: number, first: boolean): number {
  let rest = first ? Math.floor(delta / 700) : delta >> 1;
  rest += Math.floor(rest / size);
  let steps = 0;
  for (; rest > 455; steps += BASE) rest = Math.floor(rest / 35);
  return steps + Math.floor((36 * rest) / (rest + 38));
}
