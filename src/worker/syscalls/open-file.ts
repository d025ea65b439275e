// A file as a guest has it open: position, flags, quotas; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { FileNode } from "../../files/nodes.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import type { Vectors } from "../wasi-vectors.ts";
import { Descriptor, type Readiness } from "./descriptor.ts";
import { FILE_RIGHTS } from "./rights.ts";

/** An open regular file. Bytes go straight between guest memory and the file's blocks. */
export class OpenFile extends Descriptor {
  readonly #file: FileNode;
  #position = 0;

  constructor(file: FileNode, rights: number, flags: number) {
    super(wasi.FILETYPE_REGULAR_FILE, rights & FILE_RIGHTS);
    this.#file = file;
    this.flags = flags;
    file.opens++;
  }

  override get node(): FileNode {
    return this.#file;
  }

  read(memory: GuestMemory, vectors: Vectors): number {
    const count = this.readAt(memory, vectors, this.#position);
    this.#position += count;
    return count;
  }

  override readAt(memory: GuestMemory, vectors: Vectors, offset: number): number {
    const file = this.#file;
    let done = 0;
    for (let i = 0; i < vectors.count; i++) {
      const length = vectors.lengths[i]!;
      const part = file.storage.read(offset + done, memory.bytes, vectors.pointers[i]!, length);
      done += part;
      if (part < length) break;
    }
    // As most systems do: the access time moves only with the first read after a change.
    if (!file.fresh) {
      file.fresh = true;
      if (!file.tree.readOnly) file.accessed = file.tree.now();
    }
    return done;
  }

  write(memory: GuestMemory, vectors: Vectors): number {
    if ((this.flags & wasi.FDFLAGS_APPEND) !== 0) this.#position = this.#file.storage.size;
    const count = this.#put(memory, vectors, this.#position);
    if (count > 0) this.#position += count;
    return count;
  }

  override writeAt(memory: GuestMemory, vectors: Vectors, offset: number): number {
    const append = (this.flags & wasi.FDFLAGS_APPEND) !== 0;
    return this.#put(memory, vectors, append ? this.#file.storage.size : offset);
  }

  override seek(offset: number, whence: number): number {
    const from =
      whence === wasi.WHENCE_SET
        ? 0
        : whence === wasi.WHENCE_CUR
          ? this.#position
          : whence === wasi.WHENCE_END
            ? this.#file.storage.size
            : Number.NaN;
    const position = from + offset;
    if (!(position >= 0)) return -wasi.ERRNO_INVAL;
    if (position > Number.MAX_SAFE_INTEGER) return -wasi.ERRNO_OVERFLOW;
    this.#position = position;
    return position;
  }

  override resize(size: number): number {
    const { storage, tree } = this.#file;
    if (tree.readOnly) return wasi.ERRNO_ROFS;
    if (size > Number.MAX_SAFE_INTEGER) return wasi.ERRNO_FBIG;
    if (!this.#file.mayHold(size)) return wasi.ERRNO_NOSPC;
    storage.resize(size);
    this.#file.charge();
    this.#file.touch();
    return wasi.ERRNO_SUCCESS;
  }

  override allocate(end: number): number {
    if (this.#file.tree.readOnly) return wasi.ERRNO_ROFS;
    return end > this.#file.storage.size ? this.resize(end) : wasi.ERRNO_SUCCESS;
  }

  override readable(): Readiness {
    return Math.max(0, this.#file.storage.size - this.#position);
  }

  override close(): void {
    this.#file.opens--;
    this.#file.release();
  }

  #put(memory: GuestMemory, vectors: Vectors, offset: number): number {
    const { storage, tree } = this.#file;
    const { total } = vectors;
    if (tree.readOnly) return -wasi.ERRNO_ROFS;
    if (total === 0) return 0;
    const end = offset + total;
    if (end > Number.MAX_SAFE_INTEGER) return -wasi.ERRNO_FBIG;
    if (!this.#file.mayHold(Math.max(end, storage.size))) return -wasi.ERRNO_NOSPC;
    if (!tree.usage.hasWrites(total)) return -wasi.ERRNO_DQUOT;
    if (tree.granted) this.#prepare(vectors, offset);
    let at = offset;
    for (let i = 0; i < vectors.count; i++) {
      const length = vectors.lengths[i]!;
      const part = storage.write(at, memory.bytes, vectors.pointers[i]!, length);
      at += part;
      if (part < length) break;
    }
    const done = at - offset;
    // Without memory for a block it is as on a disk that is full: what found room counts, and nothing else.
    if (done === 0) return -wasi.ERRNO_NOSPC;
    this.#file.charge();
    tree.usage.written += done;
    this.#file.touch();
    return done;
  }

  /** Blocks of a granted folder's file that are written in part have to be here first. */
  #prepare(vectors: Vectors, offset: number): void {
    let at = offset;
    for (let i = 0; i < vectors.count; i++) {
      this.#file.storage.prepare(at, vectors.lengths[i]!);
      at += vectors.lengths[i]!;
    }
  }
}
