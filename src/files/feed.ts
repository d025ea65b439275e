// Feeds the platform's (de)compressors, which work on the thread that asks, so that a page keeps its turns; anywhere.

import { Breather } from "./breather.ts";

/** Bytes at one stroke. Unpacking makes up to a thousand times as many of them. */
const PIECE_BYTES = 2 ** 15;

/** Writes all parts and closes the stream. */
export async function feed(
  stream: WritableStream<Uint8Array<ArrayBuffer>>,
  parts: readonly Uint8Array<ArrayBuffer>[],
): Promise<void> {
  const writer = stream.getWriter();
  const breather = new Breather();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += PIECE_BYTES) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      await writer.write(part.subarray(at, at + PIECE_BYTES));
      // oxlint-disable-next-line no-await-in-loop -- the page has its turns in between
      await breather.breathe();
    }
  }
  await writer.close();
}
