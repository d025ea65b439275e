// Frames of any size that a hostile guest may send to make judging slow; Node and pages.

const encoder = new TextEncoder();

function fill(
  size: number,
  before: string,
  piece: (i: number) => string,
  after: string,
): Uint8Array {
  const parts = [before];
  let length = before.length + after.length;
  for (let i = 0; ; i++) {
    const part = piece(i);
    length += part.length;
    if (length > size) break;
    parts.push(part);
  }
  return encoder.encode(parts.join("") + after);
}

const call = '{"v":1,"id":1,"op":"call","tool":"t","args":';

/** Frames by what they try. Each is given its size in bytes. */
export const hostileFrames: Readonly<Record<string, (size: number) => Uint8Array>> = {
  "open brackets": (size) => encoder.encode("[".repeat(size)),
  "open brackets in a string": (size) => encoder.encode(`${call}{"a":"${"[".repeat(size - 60)}"}}`),
  "many distinct keys": (size) => fill(size, `${call}{"a":1`, (i) => `,"k${i}":1`, "}}"),
  "many distinct keys, one repeated": (size) =>
    fill(size, `${call}{"a":1`, (i) => `,"k${i}":1`, ',"a":2}}'),
  "keys that are array indices": (size) =>
    fill(size, `${call}{"a":1`, (i) => `,"${(i * 7919) % 4_000_000_000}":1`, "}}"),
  "keys that are falling array indices": (size) =>
    fill(size, `${call}{"a":1`, (i) => `,"${3_000_000 - i}":1`, "}}"),
  "keys written with escapes": (size) =>
    fill(size, `${call}{"a":1`, (i) => `,"\\u006b${i}":1`, "}}"),
  "numbers with whole fractions": (size) => fill(size, `${call}[0`, () => ",1.0", "]}"),
  "one very long fraction": (size) => encoder.encode(`${call}{"a":0.${"1".repeat(size - 60)}}}`),
  "one very long integer": (size) => encoder.encode(`${call}{"a":${"1".repeat(size - 60)}}}`),
  "integers of 64 digits": (size) => fill(size, `${call}[0`, () => `,${"9".repeat(64)}`, "]}"),
  escapes: (size) => fill(size, `${call}{"a":"`, () => "\\n\\u00e9", '"}}'),
  "one lone surrogate at the end": (size) =>
    fill(size, `${call}{"a":"`, () => "\\ud83d\\ude00", '\\ud83d"}}'),
  "small integers": (size) => fill(size, `${call}[0`, () => ",1", "]}"),
  "empty arrays": (size) => fill(size, `${call}[0`, () => ",[]", "]}"),
  "bytes objects": (size) => fill(size, `${call}[0`, () => ',{"$bytes":""}', "]}"),
  "one large bytes object": (size) =>
    encoder.encode(`${call}{"a":{"$bytes":"${"A".repeat((size - 100) & ~3)}"}}}`),
  blanks: (size) => encoder.encode(`${call}{}${" ".repeat(size - 60)}}`),
  "broken at the end": (size) => fill(size, `${call}[0`, () => ',{"a":[1]}', "}}"),
  "text beyond ASCII": (size) => encoder.encode(`${call}{"a":"${"é".repeat((size - 60) >> 1)}"}}`),
  "bytes that are no UTF-8 at the end": (size) => {
    const frame = encoder.encode(`${call}{"a":"${"a".repeat(size - 60)}"}}`);
    frame[frame.length - 4] = 0xff;
    return frame;
  },
};
