// The files of one run: builds the trees that the page asked for and says at the end what changed; worker.

import { DirectoryNode } from "./directory.ts";
import { pathOf } from "./look-up.ts";
import { DeviceNode, FileNode, LinkNode, type Node, type Tree } from "./nodes.ts";
import type { PreopenSource, PreopenSpec } from "./preopens.ts";
import { Usage, type FileQuotas } from "./usage.ts";

/** What a run's files need to know of the world. */
export interface FileSystemOptions {
  readonly preopens: readonly PreopenSpec[];
  readonly quotas: FileQuotas;
  /** Devices in /dev. */
  readonly devices: readonly ("door" | "http")[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A preopened folder of the guest. */
export interface Preopen {
  readonly path: string;
  readonly directory: DirectoryNode;
}

/** Trees, quotas and preopens of one run. */
export class FileSystem {
  readonly usage: Usage;
  readonly preopens: Preopen[] = [];
  readonly #now: () => number;
  #inodes = 0;
  #devices = 0;
  /** Files that the page gave, by path. */
  readonly #given = new Map<string, FileNode>();

  constructor(options: FileSystemOptions) {
    this.usage = new Usage(options.quotas);
    this.#now = options.now;
    for (const spec of options.preopens) {
      this.preopens.push({ path: spec.path, directory: this.#build(spec) });
    }
    this.#graft();
    if (options.devices.length > 0) this.#addDevices(options.devices);
    this.#remember();
  }

  /** Files of writable trees that were made, changed or renamed, and null for those that are gone. */
  changedFiles(): Record<string, Uint8Array<ArrayBuffer> | null> {
    const changed: Record<string, Uint8Array<ArrayBuffer> | null> = {};
    const seen = new Set<string>();
    this.#eachFile((path, file) => {
      seen.add(path);
      if (file.dirty || this.#given.get(path) !== file) changed[path] = file.storage.toBytes();
    });
    for (const path of this.#given.keys()) if (!seen.has(path)) changed[path] = null;
    return changed;
  }

  #tree(path: string, readOnly: boolean): Tree {
    return {
      device: ++this.#devices,
      path,
      readOnly,
      usage: this.usage,
      now: this.#now,
      nextInode: () => ++this.#inodes,
    };
  }

  #build(spec: PreopenSpec): DirectoryNode {
    const { source, path } = spec;
    const readOnly = source.kind === "image" && !source.copyOnWrite;
    const tree = this.#tree(path, readOnly);
    const root = new DirectoryNode(tree, true);
    const folders = new Map<string, DirectoryNode>([["", root]]);
    fill(source, (entryPath, make) => {
      const slash = entryPath.lastIndexOf("/");
      const parent = folderAt(folders, slash < 0 ? "" : entryPath.slice(0, slash));
      const name = entryPath.slice(slash + 1);
      if (parent.get(name) !== undefined) return;
      const node = make(tree);
      if (node instanceof DirectoryNode) folders.set(entryPath, node);
      parent.add(name, node);
      if (!readOnly) this.usage.entries++;
    });
    return root;
  }

  /** Makes each mount a folder of the innermost tree that its path lies in. */
  #graft(): void {
    const byDepth = [...this.preopens].sort((a, b) => a.path.length - b.path.length);
    for (const { path, directory } of byDepth) {
      let outer: Preopen | undefined;
      for (const candidate of byDepth) if (isInside(path, candidate.path)) outer = candidate;
      if (outer === undefined) continue;
      const names = path.slice(outer.path === "/" ? 1 : outer.path.length + 1).split("/");
      const name = names.pop()!;
      const parent = makeFolders(outer.directory, names);
      if (parent.get(name) !== undefined) parent.delete(name);
      parent.add(name, directory);
    }
  }

  #addDevices(devices: readonly ("door" | "http")[]): void {
    const root = this.preopens.find((preopen) => preopen.path === "/");
    const tree = this.#tree("/dev", true);
    const directory = new DirectoryNode(tree, true);
    if (root === undefined) this.preopens.push({ path: "/dev", directory });
    else {
      root.directory.delete("dev");
      root.directory.add("dev", directory);
    }
    for (const device of devices) directory.add(device, new DeviceNode(tree, device));
  }

  #remember(): void {
    this.#eachFile((path, file) => this.#given.set(path, file));
  }

  #eachFile(visit: (path: string, file: FileNode) => void): void {
    for (const { directory: root } of this.preopens) {
      if (root.tree.readOnly) continue;
      const waiting: DirectoryNode[] = [root];
      for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
        const path = pathOf(directory);
        for (const [name, node] of directory) {
          if (node instanceof FileNode) visit(`${path === "/" ? "" : path}/${name}`, node);
          else if (node instanceof DirectoryNode && !node.isRoot) waiting.push(node);
        }
      }
    }
  }
}

/** Calls `add` for each entry of a source, parents first. */
function fill(
  source: PreopenSource,
  add: (path: string, make: (tree: Tree) => Node) => void,
): void {
  if (source.kind === "memory") {
    for (const entry of source.entries) {
      if (entry.type === "directory") add(entry.path, (tree) => new DirectoryNode(tree));
      else if (entry.type === "link") add(entry.path, (tree) => new LinkNode(tree, entry.target));
      else add(entry.path, (tree) => fileNode(tree, entry.bytes, entry.modified));
    }
  } else if (source.kind === "image") {
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
function makeFolders(root: DirectoryNode, names: readonly string[]): DirectoryNode {
  let at = root;
  for (const name of names) {
    const child = at.get(name);
    if (child instanceof DirectoryNode) at = child;
    else {
      const made = new DirectoryNode(at.tree);
      if (child !== undefined) at.delete(name);
      at.add(name, made);
      at = made;
    }
  }
  return at;
}

/** Does `path` lie below `outer`? */
function isInside(path: string, outer: string): boolean {
  return path !== outer && path.startsWith(outer === "/" ? "/" : `${outer}/`);
}
