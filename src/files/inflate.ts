// gzip by the platform's own decompressor, counted while it comes; anywhere.

import { SandboxError } from "../errors.ts";
import { broken } from "./entry-list.ts";
import { feed } from "./feed.ts";

/**
 * Unpacks one gzip stream, given in parts. The platform checks its checksum and length.
 *
 * @throws SandboxError `bad_archive` when it is damaged, `quota` as soon as more than `most` bytes come out.
 */
export async function inflate(
  parts: readonly Uint8Array<ArrayBuffer>[],
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new DecompressionStream("gzip");
  // Errors of the writing side show on the reading side, too.
  const written = feed(stream.writable, parts).catch(() => {});
  const reader = stream.readable.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw broken("compressed data is damaged", cause);
    });
    if (done) break;
    size += value.length;
    if (size > most) {
      await reader.cancel().catch(() => {});
      throw new SandboxError("quota", `compressed data unpacks to more than ${most} bytes`);
    }
    chunks.push(value);
  }
  await written;
  return join(chunks, size);
}

function join(chunks: readonly Uint8Array<ArrayBuffer>[], size: number): Uint8Array<ArrayBuffer> {
  if (chunks.length === 1) return chunks[0]!;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
