// Random bytes: the browser's, or a seeded sequence for runs that repeat exactly; worker.

/** Bytes that `getRandomValues` gives at once. */
const AT_ONCE = 65_536;

/** Fills with bytes fit for keys. */
export function cryptoRandom(bytes: Uint8Array): void {
  const shared = !(bytes.buffer instanceof ArrayBuffer);
  for (let start = 0; start < bytes.length; start += AT_ONCE) {
    const part = bytes.subarray(start, start + AT_ONCE);
    if (!shared) crypto.getRandomValues(part as Uint8Array<ArrayBuffer>);
    else part.set(crypto.getRandomValues(new Uint8Array(part.length)));
  }
}

/** A sequence of bytes that depends on the seed alone (splitmix32). */
export function seededRandom(seed: number): (bytes: Uint8Array) => void {
  let state = Math.floor(seed) >>> 0;
  return (bytes) => {
    for (let i = 0; i < bytes.length; i += 4) {
      state = (state + 0x9e37_79b9) >>> 0;
      let word = Math.imul(state ^ (state >>> 16), 0x21f0_aaad);
      word = Math.imul(word ^ (word >>> 15), 0x735a_2d97);
      word ^= word >>> 15;
      for (let j = 0; j < 4 && i + j < bytes.length; j++) bytes[i + j] = word >>> (j * 8);
    }
  };
}
