// Everything that makes, moves or removes names: all is checked first, then changed; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { PATH_DEPTH } from "../limits.ts";
import { DirectoryNode } from "./directory.ts";
import { depthOf, type Found } from "./look-up.ts";
import { FileNode, LinkNode, type Node } from "./nodes.ts";

const OK = wasi.ERRNO_SUCCESS;

/** Makes an empty file where the walk found nothing. */
export function makeFile(place: Found): FileNode | number {
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
  if (place.node !== undefined) return wasi.ERRNO_EXIST;
  if (place.trailing) return wasi.ERRNO_NOENT;
  if (place.parent.tree.granted) return wasi.ERRNO_PERM;
  const error = mayMake(place.parent);
  if (error !== OK) return error;
  insert(place.parent, place.name, new LinkNode(place.parent.tree, target));
  return OK;
}

/** Hard link: one more name for a file or a symbolic link, never for a folder. */
export function makeHardLink(node: Node, to: Found): number {
  if (to.node !== undefined) return wasi.ERRNO_EXIST;
  if (to.trailing) return wasi.ERRNO_NOENT;
  if (node.tree !== to.parent.tree) return wasi.ERRNO_XDEV;
  if (node instanceof DirectoryNode) return wasi.ERRNO_PERM;
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
  if (node instanceof DirectoryNode && isTooDeep(node, from, to)) return wasi.ERRNO_NAMETOOLONG;
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
  if (isDots(from.name) || isDots(to.name)) return wasi.ERRNO_BUSY;
  if (node === undefined) return wasi.ERRNO_NOENT;
  const isDirectory = node instanceof DirectoryNode;
  if (!isDirectory && (from.trailing || to.trailing)) return wasi.ERRNO_NOTDIR;
  if (isDirectory && node.isRoot) return wasi.ERRNO_BUSY;
  if (from.parent.tree !== to.parent.tree || node.tree !== to.parent.tree) return wasi.ERRNO_XDEV;
  if (to.parent.tree.readOnly) return wasi.ERRNO_ROFS;
  if (to.parent.removed) return wasi.ERRNO_NOENT;
  const old = to.node;
  if (isDirectory && isAbove(node, to.parent)) return wasi.ERRNO_INVAL;
  if (old === undefined || old === node) return OK;
  if (old instanceof DirectoryNode && isAbove(old, from.parent)) return wasi.ERRNO_NOTEMPTY;
  if (!(old instanceof DirectoryNode)) return isDirectory ? wasi.ERRNO_NOTDIR : OK;
  if (!isDirectory) return wasi.ERRNO_ISDIR;
  if (old.isRoot) return wasi.ERRNO_BUSY;
  return old.count > 0 ? wasi.ERRNO_NOTEMPTY : OK;
}

/** Is `upper` this folder or one that it lies in? */
function isAbove(upper: DirectoryNode, folder: DirectoryNode): boolean {
  for (let at: DirectoryNode | undefined = folder; at !== undefined; at = at.parent) {
    if (at === upper) return true;
  }
  return false;
}

/** Would what is in this folder lie too deep at its new place? */
function isTooDeep(node: DirectoryNode, from: Found, to: Found): boolean {
  const depth = depthOf(to.parent);
  return depth > depthOf(from.parent) && depth + heightOf(node) > PATH_DEPTH;
}

/** What moves inside a granted folder is taken into memory first: at its new place the disk has nothing of it. */
function takeIn(node: Node): number {
  const waiting: Node[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next instanceof DirectoryNode) for (const [, child] of next) waiting.push(child);
    if (!(next instanceof FileNode)) continue;
    if (next.unknown !== undefined) throw next.unknown();
    if (!next.mayHold(next.size) || !next.storage.own()) return wasi.ERRNO_NOSPC;
    next.charge();
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

/** Does a path end in "." or ".."? */
export function isDots(name: string): boolean {
  return name === "." || name === "..";
}
