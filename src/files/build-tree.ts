// Makes the nodes of a tree out of the plain data that the page sent; worker.

import { DirectoryNode } from "./directory.ts";
import { FileNode, LinkNode, type Node, type Tree } from "./nodes.ts";
import type { PreopenSource } from "./preopens.ts";

/** A source whose entries are all known. */
export type TreeSource = Exclude<PreopenSource, { kind: "folder" }>;

/** The root of a tree filled from a source. Bytes are not copied: files keep views of them. */
export function buildTree(source: TreeSource, tree: Tree): DirectoryNode {
  const root = new DirectoryNode(tree, true);
  const folders = new Map<string, DirectoryNode>([["", root]]);
  fill(source, (path, make) => {
    const slash = path.lastIndexOf("/");
    const parent = folderAt(folders, slash < 0 ? "" : path.slice(0, slash));
    const name = path.slice(slash + 1);
    if (parent.get(name) !== undefined) return;
    const node = make(tree);
    if (node instanceof DirectoryNode) folders.set(path, node);
    parent.add(name, node);
    count(tree);
  });
  return root;
}

/** Calls `add` for each entry of a source, parents first. */
function fill(source: TreeSource, add: (path: string, make: (tree: Tree) => Node) => void): void {
  if (source.kind === "memory") {
    for (const entry of source.entries) {
      if (entry.type === "directory") add(entry.path, (tree) => new DirectoryNode(tree));
      else if (entry.type === "link") add(entry.path, (tree) => new LinkNode(tree, entry.target));
      else add(entry.path, (tree) => fileNode(tree, entry.bytes, entry.modified));
    }
  } else {
    for (const entry of source.image.entries) {
      if (entry[0] === "directory") add(entry[1], (tree) => new DirectoryNode(tree));
      else if (entry[0] === "link") add(entry[1], (tree) => new LinkNode(tree, entry[2]));
      else {
        const bytes = new Uint8Array(source.image.buffer, entry[2], entry[3]);
        add(entry[1], (tree) => fileNode(tree, bytes, entry[4]));
      }
    }
  }
}

function fileNode(tree: Tree, bytes: Uint8Array, modified: number | undefined): FileNode {
  const node = new FileNode(tree, bytes);
  if (modified !== undefined) node.accessed = node.modified = node.changed = modified;
  return node;
}

function folderAt(folders: Map<string, DirectoryNode>, path: string): DirectoryNode {
  const known = folders.get(path);
  if (known !== undefined) return known;
  const directory = makeFolders(folders.get("")!, path.split("/"));
  folders.set(path, directory);
  return directory;
}

/** mkdir -p inside a tree, whether the guest may write there or not. */
export function makeFolders(root: DirectoryNode, names: readonly string[]): DirectoryNode {
  let at = root;
  for (const name of names) {
    const child = at.get(name);
    if (child instanceof DirectoryNode) at = child;
    else {
      const made = new DirectoryNode(at.tree);
      if (child !== undefined) at.delete(name);
      at.add(name, made);
      count(at.tree);
      at = made;
    }
  }
  return at;
}

function count(tree: Tree): void {
  if (!tree.readOnly) tree.usage.entries++;
}
