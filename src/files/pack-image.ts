// Images as data: read-only trees packed into one buffer that runs and workers share; page and worker.

import { SandboxError } from "../errors.ts";
import { FILES_BYTES, FILES_ENTRIES } from "../limits.ts";
import type { FlatEntry } from "./tree.ts";

/** An entry of an image: a file is a range of the buffer. Parents come before what they hold. */
export type ImageEntry =
  | readonly ["directory", path: string]
  | readonly ["file", path: string, start: number, length: number, modified: number | undefined]
  | readonly ["link", path: string, target: string];

/** A packed tree as plain data. Cloning it shares the buffer where that is a SharedArrayBuffer. */
export interface ImageData {
  /** Tells images apart, so that a worker keeps one copy of each. */
  readonly id: string;
  readonly entries: readonly ImageEntry[];
  readonly buffer: ArrayBuffer | SharedArrayBuffer;
}

/** A tree for `mounts` that any number of runs share. */
export class Image {
  readonly kind = "image";
  readonly data: ImageData;
  /** Runs may write: each keeps its changes to itself. */
  readonly copyOnWrite: boolean;

  constructor(data: ImageData, copyOnWrite: boolean) {
    this.data = data;
    this.copyOnWrite = copyOnWrite;
  }

  /** The same content, writable for each run on its own; nothing is copied until it is written. */
  writable(): Image {
    return new Image(this.data, true);
  }
}

let images = 0;

/**
 * Packs flat entries into one buffer, shared where the page may share memory.
 *
 * @throws SandboxError `quota` when it holds more than 256 MiB or 65,536 entries.
 */
export function packImage(entries: readonly FlatEntry[]): ImageData {
  let size = 0;
  for (const entry of entries) if (entry.type === "file") size += entry.bytes.length;
  if (size > FILES_BYTES || entries.length > FILES_ENTRIES) {
    throw new SandboxError("quota", "the image is too large", {
      data: { bytes: size, entries: entries.length },
    });
  }
  const buffer =
    typeof SharedArrayBuffer === "function" ? new SharedArrayBuffer(size) : new ArrayBuffer(size);
  const bytes = new Uint8Array(buffer);
  const packed: ImageEntry[] = [];
  let start = 0;
  for (const entry of entries) {
    if (entry.type === "directory") packed.push(["directory", entry.path]);
    else if (entry.type === "link") packed.push(["link", entry.path, entry.target]);
    else {
      bytes.set(entry.bytes, start);
      packed.push(["file", entry.path, start, entry.bytes.length, entry.modified]);
      start += entry.bytes.length;
    }
  }
  return { id: `${Date.now().toString(36)}-${images++}`, entries: packed, buffer };
}
