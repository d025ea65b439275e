// Strict base64: the plain alphabet, padded, without blanks and stray bits; anywhere.

const SHAPE = /^[A-Za-z0-9+/]*={0,2}$/;
/** Arguments of one call of fromCharCode. */
const CHUNK = 0x8000;

/** The bytes; undefined for a text that no strict encoder writes. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !SHAPE.test(text)) return undefined;
  const binary = atob(text);
  // atob ignores the bits of the last character that are no part of a byte.
  if (text.endsWith("=") && btoa(binary.slice(-(binary.length % 3))) !== text.slice(-4)) {
    return undefined;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The text of some bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}
