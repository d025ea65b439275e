// Reads and writes the state of an instance: its memory by stretches, and its exported globals; worker.

import { WASM_PAGE_BYTES } from "../limits.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";

/** Words of 4 bytes that look alike between two that differ, before they are two stretches. */
const GAP_WORDS = 16;
/** Words of 4 bytes that are looked at together for being zero. */
const ZERO_WORDS = 1024;

/** The state of `instance` as the difference to `fresh`, its memory right after it was instantiated. */
export function readState(instance: WebAssembly.Instance, fresh: Uint8Array): SnapshotImage {
  const { buffer } = memoryOf(instance);
  const now = new Int32Array(buffer);
  const stretches = differences(now, new Int32Array(fresh.buffer));
  const lengths = stretches.filter((_, at) => at % 2 === 1);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let to = 0;
  for (let at = 0; at < stretches.length; at += 2) {
    bytes.set(new Uint8Array(buffer, stretches[at], stretches[at + 1]), to);
    to += stretches[at + 1]!;
  }
  return {
    pages: buffer.byteLength / WASM_PAGE_BYTES,
    globals: mutableGlobals(instance).map(([name, { value }]) => [name, value]),
    stretches: Uint32Array.from(stretches),
    bytes,
  };
}

/** Offsets and lengths, in bytes. A memory that has grown since began with zeros there. */
function differences(now: Int32Array, before: Int32Array): number[] {
  const found: number[] = [];
  let start = -1;
  let last = 0;
  for (let at = 0; at < now.length; at += 1) {
    if (now[at] === (at < before.length ? before[at] : 0)) continue;
    if (start >= 0 && at - last > GAP_WORDS) {
      found.push(start * 4, (last + 1 - start) * 4);
      start = at;
    } else if (start < 0) start = at;
    last = at;
  }
  if (start >= 0) found.push(start * 4, (last + 1 - start) * 4);
  return found;
}

/** Brings a fresh instance to the image's state. */
export function writeState(instance: WebAssembly.Instance, image: SnapshotImage): void {
  const memory = memoryOf(instance);
  const missing = image.pages - memory.buffer.byteLength / WASM_PAGE_BYTES;
  if (missing > 0) memory.grow(missing);
  const target = new Uint8Array(memory.buffer);
  const { stretches, bytes } = image;
  let from = 0;
  for (let at = 0; at < stretches.length; at += 2) {
    const length = stretches[at + 1]!;
    target.set(bytes.subarray(from, from + length), stretches[at]);
    from += length;
  }
  for (const [name, value] of image.globals) {
    (instance.exports[name] as WebAssembly.Global).value = value;
  }
}

/** The memory that a guest exports. */
export function memoryOf(instance: WebAssembly.Instance): WebAssembly.Memory {
  return instance.exports["memory"] as WebAssembly.Memory;
}

/** All that an instance was when this was made, of a module of which `whyNoReset` knows nothing else that could change. */
export class InstanceCopy {
  readonly instance: WebAssembly.Instance;
  readonly #memory: MemoryCopy;
  readonly #globals: readonly (readonly [WebAssembly.Global, unknown])[];

  constructor(instance: WebAssembly.Instance) {
    this.instance = instance;
    this.#memory = new MemoryCopy(memoryOf(instance));
    this.#globals = mutableGlobals(instance).map(([, global]) => [global, global.value]);
  }

  /** Makes it that again. False when its memory has grown: then it cannot be. */
  restore(): boolean {
    if (!this.#memory.restore(memoryOf(this.instance))) return false;
    for (const [global, value] of this.#globals) global.value = value;
    return true;
  }
}

/** A whole memory kept as its stretches that are not zero, to be put back in one go. */
class MemoryCopy {
  readonly #length: number;
  readonly #stretches: { readonly start: number; readonly bytes: Uint8Array }[] = [];

  constructor(memory: WebAssembly.Memory) {
    const { buffer } = memory;
    this.#length = buffer.byteLength;
    const words = new Int32Array(buffer);
    let start = -1;
    for (let at = 0; at <= buffer.byteLength; at += ZERO_WORDS * 4) {
      const isZero = at === buffer.byteLength || isZeroBlock(words, at / 4);
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

function isZeroBlock(words: Int32Array, start: number): boolean {
  for (let at = start; at < start + ZERO_WORDS; at += 1) {
    if (words[at] !== 0) return false;
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
