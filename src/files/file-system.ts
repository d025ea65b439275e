// The files of one run: builds the trees that the page asked for and says at the end what changed; worker.

import { buildTree, makeFolders } from "./build-tree.ts";
import { DirectoryNode } from "./directory.ts";
import { folderChanges, type FolderChange } from "./folder-changes.ts";
import { FolderTree } from "./folder-tree.ts";
import { pathOf } from "./look-up.ts";
import { DeviceNode, FileNode, type Tree } from "./nodes.ts";
import type { PreopenSpec } from "./preopens.ts";
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
      const folder = new FolderTree(this.#tree(path, false, true), source.folder);
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
      if (root.tree.readOnly || root.tree.granted) continue;
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

/** Does `path` lie below `outer`? */
function isInside(path: string, outer: string): boolean {
  return path !== outer && path.startsWith(outer === "/" ? "/" : `${outer}/`);
}
