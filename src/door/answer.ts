// Answers on their way out: ASCII JSON, at most 16 MiB, messages at most 4,096 characters; page, worker and Node.

import { DOOR_ANSWER_BYTES, MESSAGE_CHARACTERS } from "../limits.ts";
import { cut } from "../schema/characters.ts";
import type { ToolErrorKind } from "../tools/tool-error.ts";
import { PROTOCOL } from "./protocol.ts";

/** An answer frame: its bytes or, of a short one, its text, all ASCII, which costs less to hand on. */
export type AnswerFrame = string | Uint8Array;

/** The answer to a call that failed, or to a frame that was refused. */
export function errorAnswer(id: number | null, kind: ToolErrorKind, message: string): AnswerFrame {
  const text = JSON.stringify(cut(message, MESSAGE_CHARACTERS));
  return asciiFrame(
    `{"v":${PROTOCOL},"id":${id},"ok":false,"error":{"kind":"${kind}","message":${text}}}`,
  );
}

/**
 * An answer that says yes.
 *
 * @param field `value` for a call, `tools` for a list.
 * @param json The value as JSON text.
 * @returns Undefined when it would be over 16 MiB.
 */
export function okAnswer(
  id: number | null,
  field: "value" | "tools",
  json: string,
): AnswerFrame | undefined {
  const text = `{"v":${PROTOCOL},"id":${id},"ok":true,"${field}":${json}}`;
  if (text.length > DOOR_ANSWER_BYTES) return undefined;
  const frame = asciiFrame(text);
  return frame.length > DOOR_ANSWER_BYTES ? undefined : frame;
}

/** The bytes of a frame. */
export function frameBytes(frame: AnswerFrame): Uint8Array {
  return typeof frame === "string" ? encoder.encode(frame) : frame;
}

const encoder = new TextEncoder();
const HEX = encoder.encode("0123456789abcdef");

/** Characters of a text that is handed on as it is. */
const SHORT_TEXT = 4096;
// oxlint-disable-next-line no-control-regex -- ASCII, all of it
const BEYOND_ASCII = /[^\0-\x7f]/;

function asciiFrame(text: string): AnswerFrame {
  return text.length <= SHORT_TEXT && !BEYOND_ASCII.test(text) ? text : asciiBytes(text);
}

/** JSON text as bytes, every character beyond ASCII as a `\u` escape; lone surrogates too, so they cannot be lost. */
function asciiBytes(text: string): Uint8Array {
  const utf8 = encoder.encode(text);
  if (utf8.length === text.length) return utf8;
  let length = text.length;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) length += 5;
  const bytes = new Uint8Array(length);
  let to = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x7f) {
      bytes[to++] = code;
      continue;
    }
    bytes[to++] = 0x5c;
    bytes[to++] = 0x75;
    for (let shift = 12; shift >= 0; shift -= 4) bytes[to++] = HEX[(code >> shift) & 15] as number;
  }
  return bytes;
}
