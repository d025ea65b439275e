// Everything that makes, moves or removes names: all is checked first, then changed; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { PATH_DEPTH } from "../limits.ts";
import { DirectoryNode } from "./directory.ts";
import { depthOf, type Found } from "./look-up.ts";
import { FileNode, LinkNode, type Node } from "./nodes.ts";

const { ERRNO_SUCCESS: OK } = wasi;

/** Makes an empty file where the walk found nothing. */
export function makeFile(place: Found): FileNode | number {
  if (place.trailing) return wasi.ERRNO_ISDIR;
  const error = mayMake(place.parent);
  if (error !== OK) return error;
  const node = new FileNode(place.parent.tree);
  insert(place.parent, place.name, node);
  return node;
}

/** mkdir. */
export function makeDirectory(place: Found): number {
  if (place.node !== undefined) return wasi.ERRNO_EXIST;
  const error = mayMake(place.parent);
  if (error !== OK) return error;
  if (depthOf(place.parent) + 1 > PATH_DEPTH) return wasi.ERRNO_NAMETOOLONG;
  insert(place.parent, place.name, new DirectoryNode(place.parent.tree));
  return OK;
}

/** symlink. */
export function makeLink(place: Found, target: string): number {
  if (place.node !== undefined) {
    if (!place.trailing || place.node instanceof DirectoryNode) return wasi.ERRNO_EXIST;
    return wasi.ERRNO_NOTDIR;
  }
  if (place.trailing) return wasi.ERRNO_NOENT;
  if (place.parent.tree.granted) return wasi.ERRNO_PERM;
  const error = mayMake(place.parent);
  if (error !== OK) return error;
  insert(place.parent, place.name, new LinkNode(place.parent.tree, target));
  return OK;
}

/** Hard link: one more name for a file or a symbolic link, never for a folder. */
export function makeHardLink(from: Found, to: Found): number {
  const node = from.node;
  if (node === undefined) return wasi.ERRNO_NOENT;
  if (node instanceof DirectoryNode) return wasi.ERRNO_PERM;
  if (from.trailing) return wasi.ERRNO_NOTDIR;
  if (to.node !== undefined) return wasi.ERRNO_EXIST;
  if (to.trailing) return wasi.ERRNO_NOENT;
  if (node.tree !== to.parent.tree) return wasi.ERRNO_XDEV;
  if (node.tree.granted) return wasi.ERRNO_PERM;
  const error = mayMake(to.parent);
  if (error !== OK) return error;
  insert(to.parent, to.name, node);
  node.changed = node.tree.now();
  return OK;
}

/** unlink. */
export function removeFile(place: Found): number {
  const { node, parent, name } = place;
  if (node === undefined) return wasi.ERRNO_NOENT;
  if (node instanceof DirectoryNode) return wasi.ERRNO_ISDIR;
  if (place.trailing) return wasi.ERRNO_NOTDIR;
  if (parent.tree.readOnly) return wasi.ERRNO_ROFS;
  if (node.tree !== parent.tree) return wasi.ERRNO_BUSY;
  remove(parent, name, node);
  return OK;
}

/** rmdir. */
export function removeDirectory(place: Found): number {
  const { node, parent, name } = place;
  if (node === undefined) return wasi.ERRNO_NOENT;
  if (!(node instanceof DirectoryNode)) return wasi.ERRNO_NOTDIR;
  if (name === ".") return wasi.ERRNO_INVAL;
  if (name === "..") return wasi.ERRNO_NOTEMPTY;
  if (node.isRoot) return wasi.ERRNO_BUSY;
  if (parent.tree.readOnly) return wasi.ERRNO_ROFS;
  if (node.count > 0) return wasi.ERRNO_NOTEMPTY;
  remove(parent, name, node);
  return OK;
}

/** rename: replaces a file by a file and an empty folder by a folder, else fails with nothing changed. */
export function rename(from: Found, to: Found): number {
  const error = mayRename(from, to);
  if (error !== OK) return error;
  const node = from.node!;
  // Two names of one file: POSIX says that nothing happens.
  if (to.node === node) return OK;
  const moveError = node instanceof DirectoryNode ? mayMove(node, from, to) : OK;
  if (moveError !== OK) return moveError;
  const ownError = node.tree.granted ? takeIn(node) : OK;
  if (ownError !== OK) return ownError;
  if (to.node !== undefined) remove(to.parent, to.name, to.node);
  from.parent.delete(from.name);
  to.parent.add(to.name, node);
  node.changed = node.tree.now();
  return OK;
}

function mayRename(from: Found, to: Found): number {
  const node = from.node;
  if (node === undefined) return wasi.ERRNO_NOENT;
  if (isDots(from.name) || isDots(to.name)) return wasi.ERRNO_BUSY;
  const isDirectory = node instanceof DirectoryNode;
  if (!isDirectory && (from.trailing || (to.trailing && to.node === undefined))) {
    return wasi.ERRNO_NOTDIR;
  }
  if (isDirectory && node.isRoot) return wasi.ERRNO_BUSY;
  if (from.parent.tree !== to.parent.tree || node.tree !== to.parent.tree) return wasi.ERRNO_XDEV;
  if (to.parent.tree.readOnly) return wasi.ERRNO_ROFS;
  if (to.parent.removed) return wasi.ERRNO_NOENT;
  const old = to.node;
  if (old === undefined || old === node) return OK;
  if (!(old instanceof DirectoryNode)) return isDirectory || to.trailing ? wasi.ERRNO_NOTDIR : OK;
  if (!isDirectory) return wasi.ERRNO_ISDIR;
  if (old.isRoot) return wasi.ERRNO_BUSY;
  return old.count > 0 ? wasi.ERRNO_NOTEMPTY : OK;
}

/** May this folder go there: not below itself, and its tree not too deep. */
function mayMove(node: DirectoryNode, from: Found, to: Found): number {
  for (let at: DirectoryNode | undefined = to.parent; at !== undefined; at = at.parent) {
    if (at === node) return wasi.ERRNO_INVAL;
  }
  const deeper = depthOf(to.parent) - depthOf(from.parent);
  if (deeper <= 0) return OK;
  return depthOf(to.parent) + heightOf(node) > PATH_DEPTH ? wasi.ERRNO_NAMETOOLONG : OK;
}

/** What moves inside a granted folder is taken into memory first: at its new place the disk has nothing of it. */
function takeIn(node: Node): number {
  const waiting: Node[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof DirectoryNode) for (const [, child] of next) waiting.push(child);
    if (!(next instanceof FileNode)) continue;
    if (next.unknown !== undefined) throw next.unknown();
    const more = next.growth(next.size);
    if (!next.tree.usage.hasBytes(more)) return wasi.ERRNO_NOSPC;
    next.storage.own();
    next.charge(more);
    next.dirty = true;
  }
  return OK;
}

/** Levels of folders in a folder, itself included. */
function heightOf(root: DirectoryNode): number {
  let height = 0;
  let level: DirectoryNode[] = [root];
  while (level.length > 0) {
    height++;
    const next: DirectoryNode[] = [];
    for (const directory of level) {
      for (const [, node] of directory) if (node instanceof DirectoryNode) next.push(node);
    }
    level = next;
  }
  return height;
}

/** May a name be made in this folder? */
function mayMake(parent: DirectoryNode): number {
  if (parent.tree.readOnly) return wasi.ERRNO_ROFS;
  if (parent.removed) return wasi.ERRNO_NOENT;
  return parent.tree.usage.hasEntry() ? OK : wasi.ERRNO_NOSPC;
}

function insert(parent: DirectoryNode, name: string, node: Node): void {
  parent.add(name, node);
  parent.tree.usage.entries++;
}

function remove(parent: DirectoryNode, name: string, node: Node): void {
  parent.delete(name);
  parent.tree.usage.entries--;
  node.changed = parent.changed;
  if (node instanceof DirectoryNode) node.removed = true;
  else if (node instanceof FileNode) node.release();
}

function isDots(name: string): boolean {
  return name === "." || name === "..";
}
