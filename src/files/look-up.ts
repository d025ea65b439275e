// The walk from a folder along a path: links, "..", trailing slashes, and never above where it began; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { NAME_BYTES, PATH_BYTES, PATH_DEPTH, SYMLINK_HOPS } from "../limits.ts";
import { DirectoryNode } from "./directory.ts";
import { FileNode, LinkNode, utf8Length, type Node } from "./nodes.ts";

/**
 * What to do with a link at the end of the path: take what it leads to; take the link itself, unless a trailing slash
 * asks for a folder; take the name whatever it stands for (to remove, rename or make it); or take the name that it leads
 * to, as long as no slash at the end asks for a folder (to make a file there).
 */
export type LinkMode = "follow" | "nofollow" | "entry" | "create";

/** Where a path led. */
export interface Found {
  /** The folder that holds (or would hold) the last name. */
  readonly parent: DirectoryNode;
  /** The last name; "." or ".." when the path ends so, "" for the folder where the walk began. */
  readonly name: string;
  /** What the name stands for; undefined when nothing does. */
  readonly node: Node | undefined;
  /** The path ended in a slash, so only a folder will do. */
  readonly trailing: boolean;
}

const SLASH = 47;
/** Ways kept for one folder that walks begin at. */
const KEPT_WAYS = 256;

/**
 * Walks `path` from `base`. Gives an errno, or where it led.
 *
 * ".." after a link leaves the folder that the link led to, as everywhere. A walk that would leave `base` is
 * NOTCAPABLE: a folder descriptor is all its holder may see. Throws NotLoaded where the page has to be asked first.
 */
export function lookUp(base: DirectoryNode, path: string, mode: LinkMode): Found | number {
  return keptWay(base, path, mode) ?? walk(base, path, mode);
}

/** Programs open many files of few folders: a way that was walked before is not walked again. */
function keptWay(base: DirectoryNode, path: string, mode: LinkMode): Found | number | undefined {
  const slash = path.lastIndexOf("/");
  if (slash < 0 || base.ways === undefined || base.waysAt !== base.tree.ways.changes) {
    return undefined;
  }
  const parent = base.ways.get(path.slice(0, slash));
  const name = path.slice(slash + 1);
  if (parent === undefined || name === "" || name === "." || name === "..") return undefined;
  if (isLong(name)) return wasi.ERRNO_NAMETOOLONG;
  const node = parent.get(name);
  if (node instanceof LinkNode && follows(mode, false)) return undefined;
  return found(parent, name, node, false);
}

function keepWay(base: DirectoryNode, path: string, directory: DirectoryNode): void {
  const { changes } = base.tree.ways;
  base.ways ??= new Map();
  if (base.waysAt !== changes || base.ways.size >= KEPT_WAYS) base.ways.clear();
  base.waysAt = changes;
  base.ways.set(path.slice(0, path.lastIndexOf("/")), directory);
}

function found(
  parent: DirectoryNode,
  name: string,
  node: Node | undefined,
  trailing: boolean,
): Found {
  if (node instanceof FileNode && node.unknown !== undefined) throw node.unknown();
  return { parent, name, node, trailing };
}

function isLong(name: string): boolean {
  return name.length > NAME_BYTES / 3 && utf8Length(name) > NAME_BYTES;
}

function walk(base: DirectoryNode, path: string, mode: LinkMode): Found | number {
  if (path === "") return wasi.ERRNO_NOENT;
  if (path.charCodeAt(0) === SLASH) return wasi.ERRNO_NOTCAPABLE;
  let stack: DirectoryNode[] = [base];
  let text = path;
  let position = 0;
  let hops = 0;
  let components = 0;
  /** The end of the text is still that of the path: no link stood there. */
  let tail = true;
  for (;;) {
    let end = text.indexOf("/", position);
    if (end < 0) end = text.length;
    const name = text.slice(position, end);
    position = end;
    while (text.charCodeAt(position) === SLASH) position++;
    const last = position === text.length;
    const trailing = last && position > end;
    const directory = stack[stack.length - 1]!;
    // Each link may lead along a path of its own.
    if (++components > PATH_DEPTH * (hops + 1)) return wasi.ERRNO_NAMETOOLONG;
    if (name === "." || name === "..") {
      if (name === "..") {
        if (stack.length === 1) return wasi.ERRNO_NOTCAPABLE;
        stack.pop();
      }
      if (!last) continue;
      const node = stack[stack.length - 1]!;
      return { parent: stack[stack.length - 2] ?? node, name, node, trailing };
    }
    if (isLong(name)) return wasi.ERRNO_NAMETOOLONG;
    const node = directory.get(name);
    if (node === undefined && !last) return wasi.ERRNO_NOENT;
    if (node instanceof LinkNode && (!last || follows(mode, trailing))) {
      if (++hops > SYMLINK_HOPS) return wasi.ERRNO_LOOP;
      const rest = last ? (trailing ? "/" : "") : `/${text.slice(position)}`;
      let target = node.target;
      if (target.charCodeAt(0) === SLASH) {
        const inside = insideBase(base, target);
        if (inside === undefined) return wasi.ERRNO_NOTCAPABLE;
        stack = [base];
        target = inside;
      }
      tail = tail && !last;
      text = target + rest;
      if (text.length > 2 * PATH_BYTES) return wasi.ERRNO_NAMETOOLONG;
      position = 0;
      components--;
      continue;
    }
    if (last) {
      if (tail && !trailing && components > 1) keepWay(base, path, directory);
      return found(directory, name, node, trailing);
    }
    if (!(node instanceof DirectoryNode)) return wasi.ERRNO_NOTDIR;
    stack.push(node);
  }
}

function follows(mode: LinkMode, trailing: boolean): boolean {
  if (mode === "create") return !trailing;
  return mode === "follow" || (mode === "nofollow" && trailing);
}

/** The part of an absolute link target below `base`, as the guest names things; undefined when it lies outside. */
function insideBase(base: DirectoryNode, target: string): string | undefined {
  const root = pathOf(base);
  const prefix = root === "/" ? "/" : `${root}/`;
  if (`${target}/` === prefix || target === root) return ".";
  if (!target.startsWith(prefix)) return undefined;
  const inside = target.slice(prefix.length).replace(/^\/+/, "");
  return inside === "" ? "." : inside;
}

/** The absolute path under which the guest knows a folder. */
export function pathOf(directory: DirectoryNode): string {
  const names: string[] = [];
  let at = directory;
  while (!at.isRoot && at.parent !== undefined) {
    names.push(at.name);
    at = at.parent;
  }
  const root = at.tree.path;
  if (names.length === 0) return root;
  return (root === "/" ? "" : root) + "/" + names.reverse().join("/");
}

/** Folders from the root of its tree down to this one. */
export function depthOf(directory: DirectoryNode): number {
  let depth = 0;
  for (let at = directory; at.parent !== undefined; at = at.parent) depth++;
  return depth;
}
