// Reads and writes the state of an instance: its memory by blocks, and its exported globals; worker.

import { WASM_PAGE_BYTES } from "../limits.ts";
import { SNAPSHOT_BLOCK, type SnapshotImage } from "../wire/snapshot.ts";

/** The state of `instance` as the difference to `fresh`, its memory right after it was instantiated. */
export function readState(instance: WebAssembly.Instance, fresh: Uint8Array): SnapshotImage {
  const { buffer } = memoryOf(instance);
  const length = buffer.byteLength;
  const now = new BigUint64Array(buffer);
  // A grown memory began with zeros.
  const before = new BigUint64Array(length / 8);
  new Uint8Array(before.buffer).set(fresh);
  const words = SNAPSHOT_BLOCK / 8;
  const changed: number[] = [];
  for (let block = 0; block * SNAPSHOT_BLOCK < length; block += 1) {
    const start = block * words;
    for (let at = start; at < start + words; at += 1) {
      if (now[at] === before[at]) continue;
      changed.push(block);
      break;
    }
  }
  const bytes = new Uint8Array(changed.length * SNAPSHOT_BLOCK);
  changed.forEach((block, index) => {
    const from = block * SNAPSHOT_BLOCK;
    bytes.set(new Uint8Array(buffer, from, SNAPSHOT_BLOCK), index * SNAPSHOT_BLOCK);
  });
  return {
    pages: length / WASM_PAGE_BYTES,
    globals: mutableGlobals(instance).map(([name, { value }]) => [name, value]),
    blocks: Uint32Array.from(changed),
    bytes,
  };
}

/** Brings a fresh instance to the state of the image. */
export function writeState(instance: WebAssembly.Instance, image: SnapshotImage): void {
  const memory = memoryOf(instance);
  const missing = image.pages - memory.buffer.byteLength / WASM_PAGE_BYTES;
  if (missing > 0) memory.grow(missing);
  const bytes = new Uint8Array(memory.buffer);
  image.blocks.forEach((block, index) => {
    const from = index * SNAPSHOT_BLOCK;
    bytes.set(image.bytes.subarray(from, from + SNAPSHOT_BLOCK), block * SNAPSHOT_BLOCK);
  });
  writeGlobals(instance, image);
}

/** Writes the globals of the image. */
export function writeGlobals(instance: WebAssembly.Instance, image: SnapshotImage): void {
  for (const [name, value] of image.globals) {
    (instance.exports[name] as WebAssembly.Global).value = value;
  }
}

/** The memory that a guest exports. */
export function memoryOf(instance: WebAssembly.Instance): WebAssembly.Memory {
  return instance.exports["memory"] as WebAssembly.Memory;
}

/** A whole memory kept as its stretches that are not zero, to be put back in one go. */
export class MemoryCopy {
  readonly #length: number;
  readonly #stretches: { readonly start: number; readonly bytes: Uint8Array }[] = [];

  constructor(memory: WebAssembly.Memory) {
    const { buffer } = memory;
    this.#length = buffer.byteLength;
    const words = new BigUint64Array(buffer);
    let start = -1;
    for (let at = 0; at <= buffer.byteLength; at += SNAPSHOT_BLOCK) {
      const isZero = at === buffer.byteLength || isZeroBlock(words, at / 8);
      if (!isZero && start < 0) start = at;
      if (!isZero || start < 0) continue;
      this.#stretches.push({ start, bytes: new Uint8Array(buffer.slice(start, at)) });
      start = -1;
    }
  }

  /** False when the memory has grown since, and cannot be made what it was. */
  restore(memory: WebAssembly.Memory): boolean {
    if (memory.buffer.byteLength !== this.#length) return false;
    const target = new Uint8Array(memory.buffer);
    let at = 0;
    for (const { start, bytes } of this.#stretches) {
      target.fill(0, at, start);
      target.set(bytes, start);
      at = start + bytes.length;
    }
    target.fill(0, at);
    return true;
  }
}

function isZeroBlock(words: BigUint64Array, start: number): boolean {
  for (let at = start; at < start + SNAPSHOT_BLOCK / 8; at += 1) {
    if (words[at] !== 0n) return false;
  }
  return true;
}

/** The exported globals that can be written; the page has seen to it that these are all mutable ones. */
function mutableGlobals(instance: WebAssembly.Instance): [string, WebAssembly.Global][] {
  return Object.entries(instance.exports).filter((entry): entry is [string, WebAssembly.Global] => {
    const [, value] = entry;
    if (!(value instanceof WebAssembly.Global)) return false;
    try {
      const { value: now } = value as { value: unknown };
      value.value = now;
      return true;
    } catch {
      return false; // an immutable one
    }
  });
}
