// Files, folders, links and devices as the guest sees them, and the tree each belongs to; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { NotLoaded } from "./not-loaded.ts";
import { FileStorage, type BaseBytes } from "./storage.ts";
import type { Usage } from "./usage.ts";

const encoder = new TextEncoder();

/** A moment: milliseconds of the host's clock, or exact nanoseconds that a guest has set. */
export type Time = number | bigint;

/** One mounted tree. Renames and links stay inside it. */
export interface Tree {
  /** Device number, as `stat` shows it. */
  readonly device: number;
  /** A folder of the user's disk: its files come from the page, and it has no links. */
  readonly granted: boolean;
  /** Where the guest sees the root, such as "/" or "/data". */
  readonly path: string;
  readonly readOnly: boolean;
  readonly usage: Usage;
  /** Shared by all trees of a run: grows whenever a folder or link gets or loses a name, so that walks can be kept. */
  readonly ways: { changes: number };
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The next inode number of the run. */
  readonly nextInode: () => number;
}

/** What files, folders, links and devices have in common. */
export abstract class Node {
  abstract readonly filetype: number;
  readonly tree: Tree;
  readonly inode: number;
  /** Names this node has. */
  links = 0;
  accessed: Time;
  modified: Time;
  changed: Time;

  constructor(tree: Tree) {
    this.tree = tree;
    this.inode = tree.nextInode();
    this.accessed = this.modified = this.changed = tree.now();
  }

  /** Size as `stat` shows it. */
  get size(): number {
    return 0;
  }
}

/** A regular file. */
export class FileNode extends Node {
  readonly filetype = wasi.FILETYPE_REGULAR_FILE;
  storage: FileStorage;
  /** For a file of a granted folder that nobody has looked at: what has to be asked. */
  unknown: (() => NotLoaded) | undefined;
  /** Size on the disk when it was looked at, and when it was changed there, in milliseconds since 1970. */
  foundSize = 0;
  foundModified = 0;
  /** Bytes that count against the quota; a file of a granted folder counts once it is changed. */
  #charged = 0;
  /** Descriptors that have it open: an unlinked file lives on until the last is closed. */
  opens = 0;
  /** Its content differs from what the page gave. */
  dirty = false;
  /** Read since it was last written? Then reading again does not touch the access time. */
  fresh = false;

  constructor(tree: Tree, base?: Uint8Array) {
    super(tree);
    this.storage = new FileStorage(base);
    if (!tree.readOnly) this.charge();
  }

  override get size(): number {
    return this.storage.size;
  }

  /** The page has told what this file of a granted folder is. */
  found({ size, modified }: { size: number; modified: number }, bytes: BaseBytes): void {
    this.storage = new FileStorage(bytes);
    this.foundSize = size;
    this.foundModified = this.accessed = this.modified = this.changed = modified;
  }

  /** Has the quota room for this file with `size` bytes? */
  mayHold(size: number): boolean {
    const more = size - this.#charged;
    return more <= 0 || this.tree.usage.hasBytes(more);
  }

  /** Counts the bytes it has now, after a change. */
  charge(): void {
    this.tree.usage.bytes += this.size - this.#charged;
    this.#charged = this.size;
  }

  /** Marks a change of content. */
  touch(): void {
    this.dirty = true;
    this.fresh = false;
    this.modified = this.changed = this.tree.now();
  }

  /** Gives the bytes back to the quota once neither a name nor a descriptor is left. */
  release(): void {
    if (this.links > 0 || this.opens > 0 || this.tree.readOnly) return;
    this.tree.usage.bytes -= this.#charged;
    this.#charged = 0;
    this.storage.resize(0);
  }
}

/** A symbolic link. */
export class LinkNode extends Node {
  readonly filetype = wasi.FILETYPE_SYMBOLIC_LINK;
  readonly target: string;

  constructor(tree: Tree, target: string) {
    super(tree);
    this.target = target;
  }

  override get size(): number {
    return utf8Length(this.target);
  }
}

/** A character device; the worker knows how to open it. */
export class DeviceNode extends Node {
  readonly filetype = wasi.FILETYPE_CHARACTER_DEVICE;
  readonly device: "door" | "http";

  constructor(tree: Tree, device: "door" | "http") {
    super(tree);
    this.device = device;
  }
}

/** Bytes of a string in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}
