// What crosses between worker and page during one `subako_http.request`, with both codecs; compiled for both realms.
//
// The guest's files live in the worker, the exchange runs on the page, and a blocked worker can only ask. So one request
// is a series of blocking calls of kind `http`: the worker sends a turn, the page answers with what it needs next.
//
//   worker: start {request document}          page: openOutput "/volume/tmp/out.bin"
//   worker: done                              page: writeOutput {up to 1 MiB}      … as often as the body lasts
//   worker: done                              page: commitOutput
//   worker: done                              page: answer {answer document}       … and the import returns
//
// A file operation that cannot be done is answered with `failed` in place of the value; the page then says `answer` soon.
// Neither side ever holds a whole file body. A frame is one tag byte and its payload.

import { FILE_PART_BYTES, HTTP_REQUEST_BYTES, PATH_BYTES } from "../limits.ts";
import { decodeNumber, encodeNumber } from "./messages.ts";

/** Bytes of the longest frame either side sends: a request document. The answer document is shorter. */
export const HTTP_FRAME_BYTES = HTTP_REQUEST_BYTES + 1;

/** Why a file operation was refused: no usable file, no room to write, or a failure of the files' own. */
export type HttpFileRefusal = "bad_path" | "quota" | "failed";

/** What the worker says: the request, or how the file operation that was asked for went. */
export type HttpTurn =
  | { readonly turn: "start"; readonly document: Uint8Array }
  | { readonly turn: "done" }
  /** Of `openInput`: bytes of the file. */
  | { readonly turn: "size"; readonly bytes: number }
  /** Of `readInput`: none at the end of the file. */
  | { readonly turn: "part"; readonly bytes: Uint8Array }
  | { readonly turn: "failed"; readonly refusal: HttpFileRefusal };

/** What the page says: the answer, or a file operation. At most one input and one output are open at a time. */
export type HttpNeed =
  | { readonly need: "answer"; readonly document: Uint8Array }
  | { readonly need: "openInput"; readonly path: string }
  | { readonly need: "readInput"; readonly maxBytes: number }
  | { readonly need: "closeInput" }
  | { readonly need: "openOutput"; readonly path: string }
  | { readonly need: "writeOutput"; readonly bytes: Uint8Array }
  | { readonly need: "commitOutput" }
  | { readonly need: "discardOutput" };

const TURNS = ["start", "done", "size", "part", "failed"] as const;
const REFUSALS: readonly HttpFileRefusal[] = ["bad_path", "quota", "failed"];
const NEEDS = [
  "answer",
  "openInput",
  "readInput",
  "closeInput",
  "openOutput",
  "writeOutput",
  "commitOutput",
  "discardOutput",
] as const;

/** The worker's turn as a frame. */
export function encodeHttpTurn(turn: HttpTurn): Uint8Array<ArrayBuffer> {
  const tag = TURNS.indexOf(turn.turn);
  switch (turn.turn) {
    case "start":
      return frame(tag, turn.document);
    case "size":
      return frame(tag, encodeNumber(turn.bytes));
    case "part":
      return frame(tag, turn.bytes);
    case "failed":
      return frame(tag, Uint8Array.of(REFUSALS.indexOf(turn.refusal)));
    default:
      return frame(tag);
  }
}

/** The turn of a frame; its bytes are views of the frame. Throws for a frame that the other half cannot have sent. */
export function decodeHttpTurn(bytes: Uint8Array): HttpTurn {
  const turn = TURNS[bytes[0] ?? -1];
  const payload = bytes.subarray(1);
  if (turn === "start") return { turn, document: payload };
  if (turn === "done") return { turn };
  if (turn === "size" && payload.byteLength === 8) return { turn, bytes: decodeNumber(payload) };
  if (turn === "part" && payload.byteLength <= FILE_PART_BYTES) return { turn, bytes: payload };
  if (turn === "failed") {
    const refusal = REFUSALS[payload[0] ?? -1];
    if (refusal) return { turn, refusal };
  }
  throw new Error("a broken frame of HTTP");
}

/** The page's need as a frame. */
export function encodeHttpNeed(need: HttpNeed): Uint8Array<ArrayBuffer> {
  const tag = NEEDS.indexOf(need.need);
  switch (need.need) {
    case "answer":
      return frame(tag, need.document);
    case "openInput":
    case "openOutput":
      return frame(tag, new TextEncoder().encode(need.path));
    case "readInput":
      return frame(tag, encodeNumber(need.maxBytes));
    case "writeOutput":
      return frame(tag, need.bytes);
    default:
      return frame(tag);
  }
}

/** The need of a frame; its bytes are views of the frame. Throws for a frame that the other half cannot have sent. */
export function decodeHttpNeed(bytes: Uint8Array): HttpNeed {
  const need = NEEDS[bytes[0] ?? -1];
  const payload = bytes.subarray(1);
  switch (need) {
    case "answer":
      return { need, document: payload };
    case "openInput":
    case "openOutput":
      if (payload.byteLength > PATH_BYTES) break;
      return { need, path: new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload) };
    case "readInput":
      if (payload.byteLength !== 8) break;
      return { need, maxBytes: Math.min(decodeNumber(payload), FILE_PART_BYTES) };
    case "writeOutput":
      if (payload.byteLength > FILE_PART_BYTES) break;
      return { need, bytes: payload };
    case "closeInput":
    case "commitOutput":
    case "discardOutput":
      return { need };
    case undefined:
      break;
  }
  throw new Error("a broken frame of HTTP");
}

function frame(tag: number, payload?: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + (payload?.byteLength ?? 0));
  bytes[0] = tag;
  if (payload) bytes.set(payload, 1);
  return bytes;
}
