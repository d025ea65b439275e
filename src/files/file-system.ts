// The files of one run: builds the trees that the page asked for and says at the end what changed; worker.

import { buildTree, makeFolders } from "./build-tree.ts";
import { DirectoryNode } from "./directory.ts";
import { folderChanges, type FolderChange } from "./folder-changes.ts";
import { FolderTree } from "./folder-tree.ts";
import { DeviceNode, FileNode, type Tree } from "./nodes.ts";
import type { PreopenSpec } from "./preopens.ts";
import { Usage, type FileQuotas } from "./usage.ts";
import { walkTree } from "./walk-tree.ts";

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
  readonly #ways = { changes: 0 };
  #inodes = 0;
  #devices = 0;
  /** Granted folders by their number. */
  readonly #folders = new Map<number, FolderTree>();
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
    for (const [path, file] of this.#files()) this.#given.set(path, file);
  }

  /** Files of writable trees that were made, changed or renamed, and null for those that are gone. */
  changedFiles(): Record<string, Uint8Array<ArrayBuffer> | null> {
    const changed: Record<string, Uint8Array<ArrayBuffer> | null> = {};
    const seen = new Set<string>();
    for (const [path, file] of this.#files()) {
      seen.add(path);
      if (file.dirty || this.#given.get(path) !== file) changed[path] = file.storage.toBytes();
    }
    for (const path of this.#given.keys()) if (!seen.has(path)) changed[path] = null;
    return changed;
  }

  /** What is to be written back to granted folders. */
  folderChanges(): FolderChange[] {
    return [...this.#folders].flatMap(([folder, tree]) => folderChanges(folder, tree));
  }

  #tree(path: string, readOnly: boolean, granted = false): Tree {
    return {
      device: ++this.#devices,
      ways: this.#ways,
      granted,
      path,
      readOnly,
      usage: this.usage,
      now: this.#now,
      nextInode: () => ++this.#inodes,
    };
  }

  #build(spec: PreopenSpec): DirectoryNode {
    const { source, path } = spec;
    if (source.kind === "folder") {
      const folder = new FolderTree(
        this.#tree(path, source.readOnly === true, true),
        source.folder,
      );
      this.#folders.set(source.folder, folder);
      return folder.root;
    }
    const readOnly = source.kind === "image" && !source.copyOnWrite;
    const tree = this.#tree(path, readOnly);
    return buildTree(source, tree);
  }

  /** Makes each mount a folder of the innermost tree that its path lies in. */
  #graft(): void {
    const byDepth = [...this.preopens].sort((a, b) => a.path.length - b.path.length);
    for (const { path, directory } of byDepth) {
      let outer: Preopen | undefined;
      for (const candidate of byDepth) if (isInside(path, candidate.path)) outer = candidate;
      // Inside a granted folder a mount is a preopen alone: the disk's own names are not known yet.
      if (outer === undefined || outer.directory.tree.granted) continue;
      const names = path.slice(inside(outer.path).length).split("/");
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

  /** The files of writable trees. */
  *#files(): Generator<[path: string, file: FileNode]> {
    for (const { directory } of this.preopens) {
      const { readOnly, granted, path: root } = directory.tree;
      if (readOnly || granted) continue;
      for (const [path, node] of walkTree(directory)) {
        if (node instanceof FileNode) yield [inside(root) + path, node];
      }
    }
  }
}

/** Does `path` lie below `outer`? */
function isInside(path: string, outer: string): boolean {
  return path !== outer && path.startsWith(inside(outer));
}

/** A folder's path as what lies in it begins. */
function inside(folder: string): string {
  return folder === "/" ? "/" : `${folder}/`;
}
