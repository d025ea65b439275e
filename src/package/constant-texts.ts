// Function bodies of WebAssembly that answer args_get and its like with constants; anywhere.

import { leb } from "../wasm/limits-entry.ts";

const LOCAL_GET = 0x20;
const I32_STORE = 0x36;
const I64_STORE = 0x37;
const I32_STORE8 = 0x3a;
const I32_CONST = 0x41;
const I64_CONST = 0x42;
const I32_ADD = 0x6a;
const END = 0x0b;
const NO_LOCALS = 0x00;

/** (count pointer, size pointer) -> 0, as `args_sizes_get` has it. */
export function sizesBody(texts: readonly Uint8Array[]): Uint8Array {
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  return body([
    ...[LOCAL_GET, 0, I32_CONST, ...signedLeb(BigInt(texts.length)), I32_STORE, 2, 0],
    ...[LOCAL_GET, 1, I32_CONST, ...signedLeb(BigInt(bytes)), I32_STORE, 2, 0],
  ]);
}

/** (pointers, buffer) -> 0, as `args_get` has it: where each text begins, and the texts behind each other. */
export function textsBody(texts: readonly Uint8Array[]): Uint8Array {
  const code: number[] = [];
  let at = 0;
  for (const [index, text] of texts.entries()) {
    code.push(LOCAL_GET, 0, LOCAL_GET, 1, I32_CONST, ...signedLeb(BigInt(at)), I32_ADD);
    code.push(I32_STORE, 2, ...leb(4 * index));
    storeBytes(code, text, at);
    at += text.length;
  }
  return body(code);
}

/** Stores with the smallest alignment, eight bytes at once as long as there are so many. */
function storeBytes(code: number[], bytes: Uint8Array, at: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let done = 0;
  for (; done + 8 <= bytes.length; done += 8) {
    code.push(LOCAL_GET, 1, I64_CONST, ...signedLeb(view.getBigInt64(done, true)));
    code.push(I64_STORE, 0, ...leb(at + done));
  }
  for (; done < bytes.length; done++) {
    code.push(LOCAL_GET, 1, I32_CONST, ...signedLeb(BigInt(bytes[done]!)));
    code.push(I32_STORE8, 0, ...leb(at + done));
  }
}

function body(code: readonly number[]): Uint8Array {
  return Uint8Array.from([NO_LOCALS, ...code, I32_CONST, 0, END]);
}

function signedLeb(value: bigint): number[] {
  const bytes: number[] = [];
  for (let rest = value; ;) {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    const last = (rest === 0n && (low & 0x40) === 0) || (rest === -1n && (low & 0x40) !== 0);
    bytes.push(last ? low : low | 0x80);
    if (last) return bytes;
  }
}
