// The checksum of zip and gzip, of bytes of any length; anywhere.

import { Breather } from "./breather.ts";

/** Bytes between two looks at the clock. */
const PIECE_BYTES = 2 ** 20;

/** For a byte by itself, and for one that one to three more bytes follow. */
let tables: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array] | undefined;

/** The checksum; the page has its turns meanwhile. */
export async function crc32(bytes: Uint8Array): Promise<number> {
  const breather = new Breather();
  let crc = 0xffff_ffff;
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    crc = after(crc, bytes.subarray(at, at + PIECE_BYTES));
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    await breather.breathe();
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}

/** Four bytes a step. */
function after(crc: number, bytes: Uint8Array): number {
  const [one, two, three, four] = (tables ??= makeTables());
  let at = 0;
  for (const end = bytes.length - 3; at < end; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      four[crc & 255]! ^ three[(crc >>> 8) & 255]! ^ two[(crc >>> 16) & 255]! ^ one[crc >>> 24]!;
  }
  for (; at < bytes.length; at++) crc = one[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return crc;
}

function makeTables(): NonNullable<typeof tables> {
  const one = Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb8_8320 ^ (value >>> 1) : value >>> 1;
    return value;
  });
  const next = (table: Uint32Array): Uint32Array =>
    table.map((value) => one[value & 255]! ^ (value >>> 8));
  const two = next(one);
  const three = next(two);
  return [one, two, three, next(three)];
}
