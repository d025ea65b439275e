// A granted folder as the guest's tree: listed, stat-ed and read when first needed, kept for the run; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { FILE_PART_BYTES } from "../limits.ts";
import { DirectoryNode } from "./directory.ts";
import { encodeFolderRequest, errnoOf, listingOf, statOf } from "./folder-protocol.ts";
import { FileNode, type Tree } from "./nodes.ts";
import { NotLoaded } from "./not-loaded.ts";
import type { BaseBytes } from "./storage.ts";

/** Parts of files kept at once, 1 MiB each. */
const KEPT_PARTS = 64;

/** One granted folder of a run. */
export class FolderTree {
  readonly #folder: number;
  readonly #tree: Tree;
  /** Parts of files by path and number, the one used last at the end. */
  readonly #parts = new Map<string, Uint8Array>();
  /** Files and folders as they were found, by path. */
  readonly found = new Map<string, FileNode | DirectoryNode>();
  readonly root: DirectoryNode;

  constructor(tree: Tree, folder: number) {
    this.#tree = tree;
    this.#folder = folder;
    this.root = this.#directory("", true);
  }

  #directory(path: string, isRoot: boolean): DirectoryNode {
    const directory = new DirectoryNode(this.#tree, isRoot);
    directory.unlisted = () => {
      const request = encodeFolderRequest({ op: "list", folder: this.#folder, path });
      return new NotLoaded(request, (answer) => this.#list(directory, path, answer));
    };
    return directory;
  }

  #list(directory: DirectoryNode, path: string, answer: Uint8Array): number {
    const error = errnoOf(answer);
    if (error !== wasi.ERRNO_SUCCESS) return error;
    directory.unlisted = undefined;
    for (const [name, isFolder] of listingOf(answer)) {
      // A device or mount of the run hides what the disk has by its name.
      if (directory.knows(name)) continue;
      const inner = path === "" ? name : `${path}/${name}`;
      const node = isFolder ? this.#directory(inner, false) : this.#file(inner);
      directory.add(name, node);
      this.found.set(inner, node);
      this.#tree.usage.entries++;
    }
    return error;
  }

  #file(path: string): FileNode {
    const file = new FileNode(this.#tree);
    file.unknown = () => {
      const request = encodeFolderRequest({ op: "stat", folder: this.#folder, path });
      return new NotLoaded(request, (answer) => {
        const error = errnoOf(answer);
        if (error !== wasi.ERRNO_SUCCESS) return error;
        const { size, modified } = statOf(answer);
        file.unknown = undefined;
        file.found({ size, modified }, this.#bytes(path, size));
        return error;
      });
    };
    return file;
  }

  #bytes(path: string, size: number): BaseBytes {
    return {
      length: size,
      read: (at, target, start, length) => {
        for (let done = 0; done < length;) {
          const number = Math.floor((at + done) / FILE_PART_BYTES);
          const part = this.#part(path, number);
          const offset = at + done - number * FILE_PART_BYTES;
          const count = Math.min(length - done, part.length - offset);
          target.set(part.subarray(offset, offset + count), start + done);
          done += count;
        }
      },
    };
  }

  /** Part `number` of a file. */
  #part(path: string, number: number): Uint8Array {
    const key = `${number}:${path}`;
    const part = this.#parts.get(key);
    if (part !== undefined) {
      this.#parts.delete(key);
      this.#parts.set(key, part);
      return part;
    }
    const at = number * FILE_PART_BYTES;
    const expected = Math.min(FILE_PART_BYTES, (this.found.get(path) as FileNode).foundSize - at);
    const request = { op: "read", folder: this.#folder, path, at, length: expected } as const;
    throw new NotLoaded(encodeFolderRequest(request), (answer) => {
      const error = errnoOf(answer);
      if (error !== wasi.ERRNO_SUCCESS) return error;
      // Shorter than it was: the file was changed under us.
      if (answer.length !== expected + 1) return wasi.ERRNO_IO;
      this.#parts.set(key, answer.subarray(1));
      const [oldest] = this.#parts.keys();
      if (this.#parts.size > KEPT_PARTS && oldest !== undefined) this.#parts.delete(oldest);
      return error;
    });
  }
}
