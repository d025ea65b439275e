// What a run left of its writable trees: folders, links and files, unchanged ones by their name before; worker.

import { DirectoryNode } from "../files/directory.ts";
import type { Preopen } from "../files/file-system.ts";
import { FileNode, LinkNode, type Time } from "../files/nodes.ts";
import { walkTree } from "../files/walk-tree.ts";
import type { LeftEntry, LeftTree } from "../wire/messages.ts";

const NS_IN_MS = 1_000_000n;

/** Remembers the trees as they were given, so that afterwards only what changed has to be sent. */
export class LeftTrees {
  readonly #preopens: readonly Preopen[];
  /** Path below its preopen, of each file that was given. */
  readonly #given = new Map<FileNode, string>();

  constructor(preopens: readonly Preopen[]) {
    this.#preopens = preopens.filter(({ directory }) => !directory.tree.readOnly);
    for (const { directory } of this.#preopens) {
      for (const [path, node] of walkTree(directory)) {
        if (node instanceof FileNode) this.#given.set(node, path);
      }
    }
  }

  /** The trees as they are now, folders before what they hold. */
  read(): LeftTree[] {
    return this.#preopens.map(({ path: root, directory }) => {
      const entries: LeftEntry[] = [];
      for (const [path, node] of walkTree(directory)) {
        if (node instanceof DirectoryNode) entries.push({ path, type: "directory" });
        else if (node instanceof LinkNode)
          entries.push({ path, type: "link", target: node.target });
        else if (node instanceof FileNode) entries.push(this.#file(path, node));
      }
      return { path: root, entries };
    });
  }

  #file(path: string, node: FileNode): LeftEntry {
    const modified = milliseconds(node.modified);
    const before = this.#given.get(node);
    return before === undefined || node.dirty
      ? { path, type: "file", bytes: node.storage.toBytes(), modified }
      : { path, type: "file", same: before, modified };
  }
}

function milliseconds(time: Time): number {
  return typeof time === "bigint" ? Number(time / NS_IN_MS) : time;
}
