// Reading a response's body: counted while it arrives, cancelled past its limit, to text or to a file; any realm.

import { HTTP_INLINE_BYTES } from "../limits.ts";
import type { Deadline } from "./deadline.ts";
import { HttpFailure } from "./http-failure.ts";
import type { FileWriter } from "./file-writer.ts";
import type { MaskStream } from "./secret-mask.ts";

/** Bytes of one read. */
const READ_BYTES = 64 * 1024;

/** A body that is about to be read. */
export interface IncomingBody {
  readonly stream: ReadableStream<Uint8Array> | null;
  /** For messages. */
  readonly host: string;
  readonly deadline: Deadline;
  readonly mask?: MaskStream | undefined;
  /** Told of every chunk. */
  readonly onBytes: (bytes: number) => void;
}

/**
 * The body as text. Throws {@link HttpFailure}: `too_large` past 256 KiB of decoded bytes, whatever content-length said;
 * `not_text` when it is not UTF-8. A byte order mark is kept.
 */
export async function readInline(body: IncomingBody): Promise<{ text: string; bytes: number }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  await pump(body, (chunk) => {
    bytes += chunk.byteLength;
    if (bytes > HTTP_INLINE_BYTES) throw tooLarge();
    chunks.push(chunk.slice());
  });
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(whole);
    return { text, bytes };
  } catch {
    throw new HttpFailure(
      "not_text",
      "the body is not UTF-8 text; save it with output: {type: file, path}",
    );
  }
}

/** Writes the body to a file that appears when it is whole. Returns its bytes. */
export async function saveBody(body: IncomingBody, writer: FileWriter): Promise<number> {
  let bytes = 0;
  await pump(body, async (chunk) => {
    bytes += chunk.byteLength;
    await writer.write(chunk);
  });
  await writer.commit();
  return bytes;
}

/** Hands every chunk on, masked; on any failure the rest of the body is cancelled. A chunk is good until `take` is done. */
async function pump(
  { stream, host, deadline, mask, onBytes }: IncomingBody,
  take: (chunk: Uint8Array) => void | Promise<void>,
): Promise<void> {
  if (!stream) return;
  const reader = chunkReader(stream);
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
      const chunk = await deadline.race(reader.next());
      if (chunk === undefined) break;
      if (!ArrayBuffer.isView(chunk)) {
        throw new HttpFailure("abi", "the host's transport gave a body that is not bytes");
      }
      onBytes(chunk.byteLength);
      // oxlint-disable-next-line no-await-in-loop
      await take(mask ? mask.push(chunk) : chunk);
    }
    if (mask) await take(mask.end());
  } catch (error) {
    reader.cancel();
    if (error instanceof HttpFailure) throw error;
    throw new HttpFailure("connection", `the answer of ${host} broke off`);
  }
}

interface ChunkReader {
  next(): Promise<Uint8Array | undefined>;
  cancel(): void;
}

/**
 * Reads at most 64 KiB at a time where the stream can be told so, as a browser's can: it hands out a megabyte and more at
 * once when a bomb unpacks faster than the page reads. The same buffer goes around.
 */
function chunkReader(stream: ReadableStream<Uint8Array>): ChunkReader {
  const bytes = byteReader(stream);
  if (!bytes) {
    const chunks = stream.getReader();
    return {
      next: async () => (await chunks.read()).value,
      cancel: () => void chunks.cancel().catch(() => {}),
    };
  }
  let buffer = new ArrayBuffer(READ_BYTES);
  return {
    async next() {
      const { done, value } = await bytes.read(new Uint8Array(buffer));
      if (done || !value) return undefined;
      buffer = value.buffer;
      return value;
    },
    cancel: () => void bytes.cancel().catch(() => {}),
  };
}

function byteReader(stream: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | undefined {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return undefined;
  }
}

function tooLarge(): HttpFailure {
  return new HttpFailure(
    "too_large",
    `the body is over ${HTTP_INLINE_BYTES} bytes; save it with output: {type: file, path}`,
  );
}
