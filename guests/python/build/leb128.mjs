// Unsigned numbers as WebAssembly writes them, in seven bits a byte (LEB128); everywhere.

/** The number at `at`, and where it ends. */
export function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

/** Its bytes. */
export function writeNumber(value) {
  const bytes = [];
  do {
    bytes.push((value % 128) + (value >= 128 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return Uint8Array.from(bytes);
}
