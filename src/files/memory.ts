// memory(tree): a writable tree that lives in the memory of one run; page.

import { flatten, type FlatEntry, type ShimDirectory, type Tree } from "./tree.ts";

/** A tree for `mounts`; each run starts from it anew. */
export class MemoryTree {
  readonly kind = "memory";
  readonly entries: readonly FlatEntry[];

  constructor(entries: readonly FlatEntry[]) {
    this.entries = entries;
  }
}

/**
 * A writable tree in memory, for `mounts`. What a run changes in it is in its result's `files`; the tree itself stays as
 * it is, so it can be given to many runs.
 *
 * Folders are objects, files are `Uint8Array`, `ArrayBuffer` or text (stored as UTF-8). A `Directory` of
 * \@bjorn3/browser_wasi_shim fits too. Bytes are not copied here; do not change them while runs use them.
 *
 * @throws SandboxError `bad_path` for a name that cannot be, `bad_option` for a value that is neither file nor folder.
 * @example
 * mounts: { "/data": memory({ "a.csv": bytes, notes: { "today.txt": "hello" } }), "/tmp": memory({}) }
 */
export function memory(tree: Tree | ShimDirectory): MemoryTree {
  return new MemoryTree(flatten(tree, ""));
}
