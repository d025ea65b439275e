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

/** A sequence of bytes that depends on the seed alone (xoshiro128**, seeded by splitmix32). */
export function seededRandom(seed: number): (bytes: Uint8Array) => void {
  const state = new Uint32Array(4);
  let mix = Math.floor(seed) >>> 0;
  for (let i = 0; i < 4; i++) {
    mix = (mix + 0x9e37_79b9) >>> 0;
    let word = mix;
    word = Math.imul(word ^ (word >>> 16), 0x21f0_aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a_2d97);
    state[i] = word ^ (word >>> 15);
  }
  const next = (): number => {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const five = Math.imul(b, 5);
    const result = Math.imul((five << 7) | (five >>> 25), 9);
    state[2] = c ^ a;
    state[3] = d ^ b;
    state[1] = b ^ state[2];
    state[0] = a ^ state[3];
    state[2] = state[2] ^ (b << 9);
    state[3] = (state[3] << 11) | (state[3] >>> 21);
    return result;
  };
  return (bytes) => {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = next();
      for (let j = 0; j < 4 && i + j < bytes.length; j++) bytes[i + j] = word >>> (j * 8);
    }
  };
}
