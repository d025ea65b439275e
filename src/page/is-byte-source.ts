// What bytes can be given as, apart from a compiled module; page and Node.

/** Whether it is a URL, a Response, or bytes. */
export function isByteSource(value: unknown): boolean {
  return (
    typeof value === "string" ||
    value instanceof URL ||
    value instanceof Response ||
    value instanceof ArrayBuffer ||
    ArrayBuffer.isView(value)
  );
}
