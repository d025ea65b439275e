// What a run changed in a granted folder, in an order in which it can be written back; worker and page.

import { DirectoryNode } from "./directory.ts";
import type { FolderTree } from "./folder-tree.ts";
import { FileNode, type Node } from "./nodes.ts";
import type { StoredPart } from "./storage.ts";
import { walkTree } from "./walk-tree.ts";

/** What the disk has to look like for a change to be written: a conflict otherwise. */
export type Expected = { readonly size: number; readonly modified: number } | "absent";

/** One thing to do in a granted folder. Paths are below it, names apart. */
export type FolderChange = { readonly folder: number; readonly path: readonly string[] } & (
  | { readonly change: "delete"; readonly expected: Expected }
  | { readonly change: "remove-folder" }
  | { readonly change: "make-folder" }
  | {
      /** Keep the first `keep` bytes that are there, then put the parts, and end at `size`. */
      readonly change: "write";
      readonly expected: Expected;
      readonly keep: number;
      readonly size: number;
      readonly parts: readonly StoredPart[];
    }
);

/** Lists the changes: removals from the inside out, then new folders from the outside in, then files. */
export function folderChanges(folder: number, tree: FolderTree): FolderChange[] {
  const now = new Map<string, Node>(walkTree(tree.root));
  const removed: FolderChange[] = [];
  const made: FolderChange[] = [];
  const written: FolderChange[] = [];
  for (const [key, node] of tree.found) {
    if (now.get(key) === node) continue;
    const path = key.split("/");
    if (node instanceof DirectoryNode) removed.push({ folder, path, change: "remove-folder" });
    else if (!(now.get(key) instanceof FileNode)) {
      removed.push({ folder, path, change: "delete", expected: expectedOf(node) });
    }
  }
  // A folder is found before what it holds, so backwards is from the inside out.
  removed.reverse();
  for (const [key, node] of now) {
    const before = tree.found.get(key);
    const path = key.split("/");
    if (node instanceof DirectoryNode) {
      if (before !== node) made.push({ folder, path, change: "make-folder" });
    } else if (node instanceof FileNode && (node.dirty || before !== node)) {
      const { storage } = node;
      const expected = before instanceof FileNode ? expectedOf(before) : "absent";
      const keep = storage.kept ?? 0;
      written.push({
        folder,
        path,
        change: "write",
        expected,
        keep,
        size: node.size,
        parts: storage.parts(),
      });
    }
  }
  return [...removed, ...made, ...written];
}

function expectedOf(file: FileNode): Expected {
  return { size: file.foundSize, modified: file.foundModified };
}
