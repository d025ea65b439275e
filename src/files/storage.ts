// The bytes of one file: 64 KiB blocks over an optional shared base, sparse, copied once; runs anywhere.

import { FILE_BLOCK_BYTES } from "../limits.ts";

/** Smallest block: many small files must not cost 64 KiB each. */
const FIRST_BLOCK_BYTES = 256;

/** Bytes read at once from a base that has to be asked for; a longer read comes short. */
const ASKED_AT_ONCE = 32 * 2 ** 20;

/** A base that is not here: a file of a granted folder. */
export interface BaseBytes {
  readonly length: number;
  /** Copies a range that lies inside; throws NotLoaded when the page has to be asked first. */
  read(at: number, target: Uint8Array, start: number, length: number): void;
}

/** A stretch of a file's own bytes. */
export interface StoredPart {
  readonly at: number;
  readonly bytes: Uint8Array;
}

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
  #distant: BaseBytes | undefined;
  /** How much of the base still counts: truncation lowers it, nothing raises it. */
  #baseEnd: number;

  constructor(base?: Uint8Array | BaseBytes) {
    if (base instanceof Uint8Array) this.#base = base;
    else this.#distant = base;
    this.#baseEnd = base === undefined ? 0 : base.length;
    this.size = this.#baseEnd;
  }

  /** Copies up to `length` bytes at `at` into `target` from `start` on. Gives the number of bytes copied. */
  read(at: number, target: Uint8Array, start: number, length: number): number {
    const most = this.#distant === undefined ? length : Math.min(length, ASKED_AT_ONCE);
    const count = Math.min(most, this.size - at);
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

  /**
   * Copies `length` bytes of `source` from `start` on to `at`. The caller has checked every limit. Gives the number of
   * bytes copied, less than `length` when the browser has no memory for another block.
   */
  write(at: number, source: Uint8Array, start: number, length: number): number {
    let done = 0;
    while (done < length) {
      const position = at + done;
      const index = Math.floor(position / FILE_BLOCK_BYTES);
      const offset = position - index * FILE_BLOCK_BYTES;
      const part = Math.min(FILE_BLOCK_BYTES - offset, length - done);
      let block = this.#blocks[index];
      if (block === undefined || block.length < offset + part) {
        block = this.#grow(index, offset + part, part === FILE_BLOCK_BYTES);
      }
      if (block === undefined) break;
      block.set(source.subarray(start + done, start + done + part), offset);
      done += part;
    }
    if (at + done > this.size && done > 0) this.size = at + done;
    return done;
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

  /** Sees that a write of this range needs nothing from the page; throws NotLoaded when it does. */
  prepare(at: number, length: number): void {
    if (this.#distant === undefined || length === 0) return;
    const one = new Uint8Array(1);
    for (const position of [at, at + length - 1]) {
      const index = Math.floor(position / FILE_BLOCK_BYTES);
      const start = index * FILE_BLOCK_BYTES;
      const whole = at <= start && at + length >= start + FILE_BLOCK_BYTES;
      if (this.#blocks[index] !== undefined || whole || start >= this.#baseEnd) continue;
      this.#distant.read(start, one, 0, 1);
    }
  }

  /** Takes the whole base in; throws NotLoaded until the page has given all of it. False without memory for it. */
  own(): boolean {
    if (this.#distant === undefined) return true;
    for (let index = 0; index * FILE_BLOCK_BYTES < this.#baseEnd; index++) {
      if ((this.#blocks[index] ?? this.#grow(index, 1, false)) === undefined) return false;
    }
    this.#distant = undefined;
    return true;
  }

  /** How much of a base that is not here still counts; undefined when there is none. */
  get kept(): number | undefined {
    return this.#distant === undefined ? undefined : this.#baseEnd;
  }

  /** The file's own bytes, without those of a base that is not here. */
  parts(): StoredPart[] {
    if (this.#distant === undefined)
      return this.size === 0 ? [] : [{ at: 0, bytes: this.toBytes() }];
    const parts: StoredPart[] = [];
    for (const [index, block] of this.#blocks.entries()) {
      const at = index * FILE_BLOCK_BYTES;
      if (block !== undefined) parts.push({ at, bytes: block.slice(0, this.size - at) });
    }
    return parts;
  }

  /** A copy of the whole content in one buffer of its own. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.size);
    this.read(0, bytes, 0, this.size);
    return bytes;
  }

  #readBase(at: number, target: Uint8Array, start: number, length: number): void {
    const stored = Math.max(0, Math.min(length, this.#baseEnd - at));
    if (stored > 0) this.#copyBase(at, target, start, stored);
    if (stored < length) target.fill(0, start + stored, start + length);
  }

  #copyBase(at: number, target: Uint8Array, start: number, length: number): void {
    if (this.#base === undefined) this.#distant?.read(at, target, start, length);
    else target.set(this.#base.subarray(at, at + length), start);
  }

  /**
   * Makes block `index` at least `length` long, keeping what it holds unless all of it is about to be written; undefined
   * when the browser refuses the memory.
   */
  #grow(index: number, length: number, all: boolean): Uint8Array | undefined {
    const old = this.#blocks[index];
    const from = index * FILE_BLOCK_BYTES;
    const inBase =
      old === undefined ? Math.max(0, Math.min(FILE_BLOCK_BYTES, this.#baseEnd - from)) : 0;
    // A file that grows past its first block is being appended to: whole blocks at once, nothing copied twice.
    let size = index > 0 && this.size >= from ? FILE_BLOCK_BYTES : FIRST_BLOCK_BYTES;
    const needed = Math.max(length, inBase, old === undefined ? 0 : old.length * 2);
    while (size < needed && size < FILE_BLOCK_BYTES) size *= 2;
    let block: Uint8Array;
    try {
      block = new Uint8Array(size);
    } catch {
      return undefined;
    }
    if (old !== undefined) block.set(old);
    else if (inBase > 0 && !all) this.#copyBase(from, block, 0, inBase);
    this.#blocks[index] = block;
    return block;
  }
}
