// A response's body as bytes, counted while it comes, and left when nobody waits for it any more; page and Node.

import { onAbort } from "../tools/on-abort.ts";

/**
 * Reads a body whole. Undefined as soon as it has more than `most` bytes; whatever the stream fails with is thrown, and the
 * signal's reason. A body that goes on for ever is let go of in both cases.
 */
export async function bodyBytes(
  response: Response,
  most: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (response.bodyUsed) throw new TypeError("it has been read already");
  const reader = response.body?.getReader();
  if (!reader) return new Uint8Array(0);
  // A read that waits is woken, too.
  const letGo = (): void => void reader.cancel(signal.reason).catch(() => {});
  const leave = onAbort(signal, letGo);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  try {
    for (let size = 0; ;) {
      signal.throwIfAborted();
      // oxlint-disable-next-line no-await-in-loop -- each comes after the one before
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) break;
      // A page can make a stream of anything.
      if (!(value instanceof Uint8Array)) throw new TypeError("it gives something else than bytes");
      size += value.length;
      if (size > most) return undefined;
      parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  } finally {
    leave();
    letGo();
  }
}
