// Cuts a module that is all at hand into pieces for the walker, so that no section but the code is cut; page, worker and Node.

import { HEADER_BYTES } from "./module-header.ts";
import { SECTION } from "./section-ids.ts";

/**
 * Gives pieces of about `pieceBytes`. The walker puts a section together again that comes in several pieces, unless it is
 * the code, which takes longer than all else for the data of a large module. In what is malformed the cuts may lie anywhere.
 */
export function* sectionPieces(bytes: Uint8Array, pieceBytes: number): Generator<Uint8Array> {
  const { length } = bytes;
  let section = HEADER_BYTES;
  for (let at = 0; at < length;) {
    let end = Math.min(at + pieceBytes, length);
    while (section < end) {
      const after = sectionEnd(bytes, section);
      if (bytes[section] !== SECTION.code) end = Math.max(end, Math.min(after, length));
      section = after;
    }
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** Where a section ends that begins at `at`; the end of the module where its size cannot be read. */
function sectionEnd(bytes: Uint8Array, at: number): number {
  let size = 0;
  for (let next = at + 1, shift = 0; shift < 35; shift += 7) {
    const byte = bytes[next++];
    if (byte === undefined) break;
    size += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return next + size;
  }
  return bytes.length;
}
