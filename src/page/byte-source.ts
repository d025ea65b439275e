// What bytes can be given as, apart from a compiled module; page and Node.

/** Whether it is a URL, a Response, or bytes. */
export function isByteSource(value: unknown): boolean {
  return (
    typeof value === "string" || value instanceof URL || value instanceof Response || isBytes(value)
  );
}

/** Whether it is bytes. */
export function isBytes(value: unknown): value is BufferSource {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** A copy of bytes. Throws TypeError for those that were transferred to somebody else. */
export function copyOfBytes(source: BufferSource): Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
    : new Uint8Array(source.slice());
}
