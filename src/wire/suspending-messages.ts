// What the two halves of the suspending rung send each other; compiled for both realms.

import type { CallKind } from "./blocking-call.ts";

// The messages are arrays: an object's names would be copied with it, which takes a good part of a short call.

/** Worker to page: a blocking call of a run; with the milliseconds of the guest's own time where its clock stands still. */
export type CallMessage = readonly [
  run: number,
  call: number,
  kind: CallKind,
  request: Body,
  spentMs?: number,
];

/** Page to worker: what a call is answered; without a call, the stop of the run. */
export type ReplyMessage = readonly [run: number, call?: number, answer?: Body];

/** Bytes or, of few, a string with a character for each: engines copy that in a fraction of the time. */
export type Body = Uint8Array<ArrayBuffer> | string;

/** Bodies that cross as strings: of more bytes, making one takes longer than it saves. */
const STRING_BYTES = 512;

/** A body of its own with these bytes. */
export function bodyOf(bytes: Uint8Array): Body {
  return bytes.length > STRING_BYTES
    ? bytes.slice()
    : String.fromCharCode.apply(null, bytes as unknown as number[]);
}

export function bytesOf(body: Body): Uint8Array<ArrayBuffer> {
  if (typeof body !== "string") return body;
  const bytes = new Uint8Array(body.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = body.charCodeAt(i);
  return bytes;
}

/** Handing over a buffer takes longer than copying it where it is small. */
const COPIED_BYTES = 16 * 1024;

/** What to hand over with a message that carries these bytes, which have their buffer to themselves. */
export function handedOver(body: Body): ArrayBuffer[] {
  return typeof body !== "string" && body.byteLength > COPIED_BYTES ? [body.buffer] : [];
}

/** Sends one, handing buffers over. */
export type Post<Message> = (message: Message, transfer: ArrayBuffer[]) => void;
