// The pieces of a response's body, read into arrays that are used again where that can be; page and Node.

import { concatenate } from "../wasm/concatenate.ts";
import type { ModulePieces } from "../wasm/module-stream.ts";
import type { BegunBody } from "./read-on.ts";

/** Sizes of the arrays: what comes at once on a slow network, and on a fast one. */
const LEAST_BYTES = 2 ** 16;
const MOST_BYTES = 2 ** 20;

/** The pieces of a body that nobody has read. */
export function bodyPieces(body: ReadableStream<Uint8Array>): ModulePieces {
  try {
    return arrayPieces(body.getReader({ mode: "byob" }));
  } catch {
    // A stream that a page made, or an engine whose bodies cannot be read into an array.
    const reader = body.getReader();
    return {
      next: async () => (await reader.read()).value,
      cancel: (reason) => void reader.cancel(reason).catch(() => {}),
    };
  }
}

/** The pieces of one that was begun: first what was read. */
export function restPieces({ bytes, rest }: BegunBody): ModulePieces {
  const more = rest ? arrayPieces(rest) : undefined;
  let first: Uint8Array | undefined = bytes;
  return {
    async next(again) {
      const piece = first ?? (await more?.next(again));
      first = undefined;
      return piece;
    },
    cancel: (reason) => more?.cancel(reason),
  };
}

/** All of them together; undefined as soon as they have more than `most` bytes. Rejects as the body does. */
export async function allPieces(
  pieces: ModulePieces,
  most: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  for (let size = 0; ;) {
    // oxlint-disable-next-line no-await-in-loop -- each comes after the one before
    const piece = await pieces.next(false);
    if (!piece) return concatenate(parts);
    // A page can make a stream of anything.
    if (!(piece instanceof Uint8Array)) throw new TypeError("it gives something else than bytes");
    parts.push(piece);
    size += piece.length;
    if (size <= most) continue;
    pieces.cancel("too long");
    return undefined;
  }
}

function arrayPieces(reader: ReadableStreamBYOBReader): ModulePieces {
  let size = LEAST_BYTES;
  let buffer: ArrayBuffer | undefined;
  return {
    async next(again) {
      const target = again && buffer && buffer.byteLength >= size ? buffer : new ArrayBuffer(size);
      buffer = undefined;
      const { done, value } = await reader.read(new Uint8Array(target));
      buffer = value?.buffer;
      if (done || !value) return undefined;
      size = Math.min(Math.max(value.length * 2, LEAST_BYTES), MOST_BYTES);
      return value;
    },
    cancel: (reason) => void reader.cancel(reason).catch(() => {}),
  };
}
