// What a guest's descriptor is: kind, flags, rights, and what each kind can do; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { Node } from "../../files/nodes.ts";
import type { Step } from "../../wire/blocking-call.ts";
import type { GuestMemory } from "../wasi-memory.ts";
import type { Vectors } from "../wasi-vectors.ts";

/**
 * What a descriptor can do now, for `poll_oneoff`: bytes that can be read or written at once; undefined when it has to be
 * waited for, "end" when nothing more will come.
 */
export type Readiness = number | "end" | undefined;

/**
 * An open descriptor. Its methods work straight on guest memory, and may wait. Those that move bytes give their number, or
 * a negative errno.
 */
export abstract class Descriptor {
  readonly filetype: number;
  flags = 0;
  rights: number;
  inheriting: number;

  constructor(filetype: number, rights: number, inheriting = 0) {
    this.filetype = filetype;
    this.rights = rights;
    this.inheriting = inheriting;
  }

  /** The node that `stat` describes; undefined for streams. */
  get node(): Node | undefined {
    return undefined;
  }

  /**
   * The errno when a right is missing: reading or writing what was not opened for it is BADF, as elsewhere; all other
   * rights exist only in preview 1.
   */
  refusal(right: number): number {
    const basic = wasi.RIGHTS_FD_READ | wasi.RIGHTS_FD_WRITE;
    return (right & basic) !== 0 ? wasi.ERRNO_BADF : wasi.ERRNO_NOTCAPABLE;
  }

  abstract read(memory: GuestMemory, vectors: Vectors): Step;

  abstract write(memory: GuestMemory, vectors: Vectors): Step;

  /** Reads at a place of a file; only files have places. */
  readAt(_memory: GuestMemory, _vectors: Vectors, _offset: number): Step {
    return -wasi.ERRNO_SPIPE;
  }

  writeAt(_memory: GuestMemory, _vectors: Vectors, _offset: number): Step {
    return -wasi.ERRNO_SPIPE;
  }

  /** The new position, or a negative errno. What cannot be sought lacks the rights and never comes here. */
  seek(_offset: number, _whence: number): number {
    return -wasi.ERRNO_SPIPE;
  }

  /** Sets the size; gives an errno. */
  resize(_size: number): number {
    return wasi.ERRNO_INVAL;
  }

  /** Sees that the file has room up to `end`; gives an errno. */
  allocate(_end: number): number {
    return wasi.ERRNO_NODEV;
  }

  setFlags(flags: number): number {
    this.flags = flags;
    return wasi.ERRNO_SUCCESS;
  }

  readable(): Readiness {
    return 0;
  }

  writable(): Readiness {
    return 0;
  }

  /** The descriptor leaves the table. */
  close(): void {}
}

/** A stream: it has no places, whatever its rights are. */
export abstract class Stream extends Descriptor {
  override refusal(right: number): number {
    const places = wasi.RIGHTS_FD_SEEK | wasi.RIGHTS_FD_TELL;
    return (right & places) !== 0 ? wasi.ERRNO_SPIPE : super.refusal(right);
  }
}
