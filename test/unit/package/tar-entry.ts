// Entries of a tar, written by hand, for tests; Node.

import { strToU8 } from "fflate";

/** A tar header and what follows it. */
export function tarEntry(name: string, data: Uint8Array, type = "0", link = ""): Uint8Array {
  const block = new Uint8Array(512 + Math.ceil(data.length / 512) * 512);
  const put = (text: string, at: number): void => block.set(strToU8(text), at);
  put(name, 0);
  put("0000644\0", 100);
  put(`${data.length.toString(8).padStart(11, "0")}\0`, 124);
  put("14000000000\0", 136);
  put("        ", 148);
  put(type, 156);
  put(link, 157);
  put("ustar\x0000", 257);
  put(
    `${block
      .subarray(0, 512)
      .reduce((a, b) => a + b, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  block.set(data, 512);
  return block;
}
