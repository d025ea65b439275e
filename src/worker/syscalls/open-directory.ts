// A folder as a guest has it open, and its listing; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { DirectoryNode } from "../../files/directory.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import { Descriptor } from "./descriptor.ts";
import { DIRECTORY_RIGHTS, FILE_RIGHTS } from "./rights.ts";

const HEAD_BYTES = 24;
const encoder = new TextEncoder();
/** Of one entry. Made once: only one import is at work at a time. */
const head = new DataView(new ArrayBuffer(HEAD_BYTES));

/** An open folder; a preopen when it has a name. */
export class OpenDirectory extends Descriptor {
  readonly directory: DirectoryNode;
  readonly #name: string | undefined;
  #preopen: Uint8Array | undefined;
  /** Where a listing that began with cookie 0 ends. */
  #end = Number.POSITIVE_INFINITY;

  constructor(directory: DirectoryNode, rights: number, inheriting: number, preopen?: string) {
    super(wasi.FILETYPE_DIRECTORY, rights & DIRECTORY_RIGHTS, inheriting);
    this.directory = directory;
    this.#name = preopen;
  }

  /** Name of a preopen as bytes. */
  get preopen(): Uint8Array | undefined {
    if (this.#name !== undefined) this.#preopen ??= encoder.encode(this.#name);
    return this.#preopen;
  }

  override get node(): DirectoryNode {
    return this.directory;
  }

  override refusal(right: number): number {
    if ((right & wasi.RIGHTS_FD_READ) !== 0) return wasi.ERRNO_ISDIR;
    if ((right & wasi.RIGHTS_FD_FILESTAT_SET_SIZE) !== 0) return wasi.ERRNO_INVAL;
    return (right & FILE_RIGHTS & ~DIRECTORY_RIGHTS) !== 0
      ? wasi.ERRNO_BADF
      : wasi.ERRNO_NOTCAPABLE;
  }

  read(): number {
    return -wasi.ERRNO_ISDIR;
  }

  write(): number {
    return -wasi.ERRNO_BADF;
  }

  /**
   * Fills the buffer with entries after `cookie`, the last one cut off where the buffer ends. Gives the bytes used,
   * less than `length` only at the end of the listing.
   *
   * A listing ends where the folder ended when cookie 0 was asked for, so that a guest that makes names while it lists
   * comes to an end.
   */
  list(memory: GuestMemory, buffer: number, length: number, cookie: number): number {
    const { directory } = this;
    if (cookie === 0) this.#end = directory.lastCookie;
    let used = 0;
    const put = (next: number, inode: number, name: Uint8Array | string, type: number): boolean => {
      used += this.#put(memory, buffer + used, length - used, next, inode, name, type);
      return used < length;
    };
    if (cookie < 1 && !put(1, directory.inode, ".", directory.filetype)) return used;
    const up = directory.parent ?? directory;
    if (cookie < 2 && !put(2, up.inode, "..", up.filetype)) return used;
    for (let i = directory.indexAfter(cookie); ; i++) {
      const entry = directory.at(i);
      if (entry === undefined || entry.cookie > this.#end) return used;
      const { node } = entry;
      if (node === undefined) continue;
      if (!put(entry.cookie, node.inode, entry.name, node.filetype)) return used;
    }
  }

  /** Writes one entry, or as much of it as `room` holds; gives the bytes written. */
  #put(
    memory: GuestMemory,
    at: number,
    room: number,
    next: number,
    inode: number,
    name: Uint8Array | string,
    type: number,
  ): number {
    const bytes = typeof name === "string" ? encoder.encode(name) : name;
    head.setBigUint64(0, BigInt(next), true);
    head.setBigUint64(8, BigInt(inode), true);
    head.setUint32(16, bytes.length, true);
    head.setUint8(20, type);
    const headPart = Math.min(HEAD_BYTES, room);
    memory.bytes.set(new Uint8Array(head.buffer, 0, headPart), at);
    const namePart = Math.min(bytes.length, room - headPart);
    memory.bytes.set(bytes.subarray(0, namePart), at + headPart);
    return headPart + namePart;
  }
}
