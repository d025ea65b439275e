// Reads a body into one array, for as long as that goes well; page and Node.

/** What is read at a time. */
export const PIECE_BYTES = 2 ** 19;

/** A body of which the beginning has been read, into an array that may have room behind it. */
export interface BegunBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Reads the rest, if there is one. */
  readonly rest?: ReadableStreamBYOBReader | false;
}

/** Reads on until the body has ended, its array is full, or `stop` says so. Rejects as the body does. */
export async function readOn({ bytes, rest }: BegunBody, stop: () => unknown): Promise<BegunBody> {
  const { byteOffset } = bytes;
  let { buffer } = bytes;
  let at = byteOffset + bytes.length;
  while (rest && at < buffer.byteLength && !stop()) {
    // oxlint-disable-next-line no-await-in-loop -- each comes after the one before
    const { done, value } = await rest.read(new Uint8Array(buffer, at), {
      min: Math.min(buffer.byteLength - at - 1, PIECE_BYTES) || 1,
    });
    buffer = value!.buffer; // nobody cancels it
    at += value!.length;
    rest = !done && rest;
  }
  return { bytes: new Uint8Array(buffer, byteOffset, at - byteOffset), rest: rest! };
}
