// The iovec array of one read or write, checked as a whole before anything is touched; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { IOVECS } from "../limits.ts";
import type { GuestMemory } from "./wasi-memory.ts";

/** Parsed iovecs. One object is used again for every call: only one import is at work at a time. */
export class Vectors {
  readonly pointers: number[] = [];
  readonly lengths: number[] = [];
  count = 0;
  /** Bytes of all of them together. */
  total = 0;

  /** Takes the array at `pointer`; gives an errno. */
  parse(memory: GuestMemory, pointer: number, count: number): number {
    if (!memory.fits(pointer, count * 8)) return wasi.ERRNO_FAULT;
    if (count > IOVECS) return wasi.ERRNO_INVAL;
    let total = 0;
    for (let i = 0; i < count; i++) {
      const start = memory.view.getUint32(pointer + i * 8, true);
      const length = memory.view.getUint32(pointer + i * 8 + 4, true);
      if (!memory.fits(start, length)) return wasi.ERRNO_FAULT;
      this.pointers[i] = start;
      this.lengths[i] = length;
      total += length;
    }
    this.count = count;
    this.total = total;
    // What was read or written is told in 32 bits.
    return total > 0xffff_ffff ? wasi.ERRNO_INVAL : wasi.ERRNO_SUCCESS;
  }

  /** Copies `length` bytes, `skip` bytes into the vectors, out of guest memory; undefined without memory for a copy. */
  gather(memory: GuestMemory, skip: number, length: number): Uint8Array<ArrayBuffer> | undefined {
    try {
      return this.#copy(memory, skip, length);
    } catch {
      return undefined;
    }
  }

  #copy(memory: GuestMemory, skip: number, length: number): Uint8Array<ArrayBuffer> {
    if (this.count === 1) {
      const start = this.pointers[0]! + skip;
      return memory.bytes.slice(start, start + length);
    }
    const bytes = new Uint8Array(length);
    let done = 0;
    for (let i = 0; i < this.count && done < length; i++) {
      const have = this.lengths[i]!;
      if (skip >= have) {
        skip -= have;
        continue;
      }
      const start = this.pointers[i]! + skip;
      const part = Math.min(have - skip, length - done);
      skip = 0;
      bytes.set(memory.bytes.subarray(start, start + part), done);
      done += part;
    }
    return bytes;
  }

  /** Copies bytes into guest memory, as many as there is room for. Gives their number. */
  scatter(memory: GuestMemory, bytes: Uint8Array): number {
    let done = 0;
    for (let i = 0; i < this.count && done < bytes.length; i++) {
      const part = Math.min(this.lengths[i]!, bytes.length - done);
      memory.bytes.set(
        part === bytes.length ? bytes : bytes.subarray(done, done + part),
        this.pointers[i],
      );
      done += part;
    }
    return done;
  }
}
