// Numbers as WebAssembly writes them, in seven bits a byte (LEB128); everywhere.

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

/** The bytes of a number with a sign, as constants are written. */
export function writeSigned(number) {
  const bytes = [];
  for (let value = BigInt(number); ;) {
    const low = Number(value & 0x7fn);
    value >>= 7n;
    // The last one's highest bit is the sign of all that follow.
    const isLast = value === (low & 0x40 ? -1n : 0n);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return Uint8Array.from(bytes);
  }
}
