// The smallest images of each kind, by hand, for tests; Node and pages.

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

/** A PNG of one pixel, whole. */
export const PNG = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

/** A GIF of one pixel, whole. */
export const GIF = Uint8Array.from(
  atob("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"),
  (character) => character.charCodeAt(0),
);

/** The head of a PNG of this size. */
export function pngHead(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = PNG.slice(0, 24);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

/** The head of a JPEG of 3 × 2 pixels, with fill bytes and a comment before the frame. */
export const JPEG_HEAD = bytesOf(
  "\xff\xd8\xff\xe0\x00\x04ab\xff\xfe\x00\x05abc\xff\xff\xff\xc2\x00\x11\x08\x00\x02\x00\x03\x03",
);

const webp = (chunk: string, data: string) =>
  bytesOf(`RIFF\x40\0\0\0WEBP${chunk}\x20\0\0\0${data.padEnd(32, "\0")}`);

/** Heads of the three kinds of WebP, 3 × 2 pixels each. */
export const WEBP_HEADS = [
  webp("VP8X", "\0\0\0\0\x02\0\0\x01\0\0"),
  webp("VP8L", "\x2f\x02\x40\0\0"),
  webp("VP8 ", "\0\0\0\x9d\x01\x2a\x03\0\x02\0"),
];
