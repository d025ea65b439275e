// The bytes of one file: 64 KiB blocks over an optional shared base, sparse, copied once; runs anywhere.

import { FILE_BLOCK_BYTES } from "../limits.ts";

/** Smallest block: many small files must not cost 64 KiB each. */
const FIRST_BLOCK_BYTES = 256;

/**
 * Bytes of a file, read and written straight from and to other arrays.
 *
 * What is not stored reads as zeros, so a far write or a longer size costs nothing but the blocks it touches. A `base`
 * (an image shared by many runs, or bytes the page gave) is never written: a block is copied out of it when it changes.
 */
export class FileStorage {
  /** Length of the file in bytes. */
  size: number;
  #blocks: (Uint8Array | undefined)[] = [];
  #base: Uint8Array | undefined;
  /** How much of the base still counts: truncation lowers it, nothing raises it. */
  #baseEnd: number;

  constructor(base?: Uint8Array) {
    this.#base = base;
    this.#baseEnd = base === undefined ? 0 : base.length;
    this.size = this.#baseEnd;
  }

  /** Copies up to `length` bytes at `at` into `target` from `start` on. Gives the number of bytes copied. */
  read(at: number, target: Uint8Array, start: number, length: number): number {
    const count = Math.min(length, this.size - at);
    if (count <= 0) return 0;
    if (this.#blocks.length === 0) {
      this.#readBase(at, target, start, count);
      return count;
    }
    for (let done = 0; done < count;) {
      const position = at + done;
      const index = Math.floor(position / FILE_BLOCK_BYTES);
      const offset = position - index * FILE_BLOCK_BYTES;
      const part = Math.min(FILE_BLOCK_BYTES - offset, count - done);
      const block = this.#blocks[index];
      if (block === undefined) this.#readBase(position, target, start + done, part);
      else if (offset + part <= block.length) {
        target.set(block.subarray(offset, offset + part), start + done);
      } else {
        const stored = Math.max(0, block.length - offset);
        if (stored > 0) target.set(block.subarray(offset), start + done);
        target.fill(0, start + done + stored, start + done + part);
      }
      done += part;
    }
    return count;
  }

  /** Copies `length` bytes of `source` from `start` on to `at`. The caller has checked every limit. */
  write(at: number, source: Uint8Array, start: number, length: number): void {
    for (let done = 0; done < length;) {
      const position = at + done;
      const index = Math.floor(position / FILE_BLOCK_BYTES);
      const offset = position - index * FILE_BLOCK_BYTES;
      const part = Math.min(FILE_BLOCK_BYTES - offset, length - done);
      let block = this.#blocks[index];
      if (block === undefined || block.length < offset + part) {
        block = this.#grow(index, offset + part);
      }
      block.set(source.subarray(start + done, start + done + part), offset);
      done += part;
    }
    if (at + length > this.size && length > 0) this.size = at + length;
  }

  /** Cuts the file or lets it grow by zeros. */
  resize(size: number): void {
    if (size < this.size) {
      const keep = Math.ceil(size / FILE_BLOCK_BYTES);
      if (this.#blocks.length > keep) this.#blocks.length = keep;
      const tail = size - (keep - 1) * FILE_BLOCK_BYTES;
      if (keep > 0) this.#blocks[keep - 1]?.fill(0, tail);
      this.#baseEnd = Math.min(this.#baseEnd, size);
    }
    this.size = size;
  }

  /** A copy of the whole content in one buffer of its own. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    this.read(0, bytes, 0, this.size);
    return bytes;
  }

  #readBase(at: number, target: Uint8Array, start: number, length: number): void {
    const stored = Math.max(0, Math.min(length, this.#baseEnd - at));
    if (stored > 0 && this.#base !== undefined) {
      target.set(this.#base.subarray(at, at + stored), start);
    }
    if (stored < length) target.fill(0, start + stored, start + length);
  }

  /** Makes block `index` at least `length` long, keeping what it holds. */
  #grow(index: number, length: number): Uint8Array {
    const old = this.#blocks[index];
    const from = index * FILE_BLOCK_BYTES;
    const inBase =
      old === undefined ? Math.max(0, Math.min(FILE_BLOCK_BYTES, this.#baseEnd - from)) : 0;
    // A file that grows past its first block is being appended to: whole blocks at once, nothing copied twice.
    let size = index > 0 && this.size >= from ? FILE_BLOCK_BYTES : FIRST_BLOCK_BYTES;
    const needed = Math.max(length, inBase, old === undefined ? 0 : old.length * 2);
    while (size < needed && size < FILE_BLOCK_BYTES) size *= 2;
    const block = new Uint8Array(size);
    if (old !== undefined) block.set(old);
    else if (inBase > 0 && this.#base !== undefined) {
      block.set(this.#base.subarray(from, from + inBase));
    }
    this.#blocks[index] = block;
    return block;
  }
}
