// Joins byte arrays into one, and takes bytes out of shared memory; page, worker and Node.

/** One new array with the bytes of all parts in order. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Parts that were joined in place. */
export interface JoinedInPlace {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Puts back what was there. */
  restore(): void;
}

/**
 * Joins parts of an array, and others, around the longest of them, which stays where it is; in the array's own buffer.
 * Undefined where there is no room for that, or little to be saved by it.
 */
export function joinInPlace(
  parts: readonly Uint8Array[],
  { buffer }: Uint8Array<ArrayBuffer>,
): JoinedInPlace | undefined {
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one));
  const at = parts.indexOf(longest);
  const before = concatenate(parts.slice(0, at));
  const after = concatenate(parts.slice(at + 1));
  const start = longest.byteOffset - before.length;
  const length = before.length + longest.length + after.length;
  const isRoom = longest.buffer === buffer && start >= 0 && start + length <= buffer.byteLength;
  if (!isRoom || before.length + after.length > longest.length) return undefined;
  const bytes = new Uint8Array(buffer, start, length);
  const end = length - after.length;
  const was = [bytes.slice(0, before.length), bytes.slice(end)] as const;
  const write = (first: Uint8Array, last: Uint8Array): void => {
    bytes.set(first);
    bytes.set(last, end);
  };
  write(before, after);
  return { bytes, restore: () => write(...was) };
}

/** The same bytes where they are not shared between threads, else a copy: compilers and digests refuse shared ones. */
export function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
    ? (bytes as Uint8Array<ArrayBuffer>)
    : new Uint8Array(bytes);
}
