// A granted folder as the guest's tree: listed, stat-ed and read when first needed, kept for the run; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { FILE_PART_BYTES } from "../limits.ts";
import { DirectoryNode } from "./directory.ts";
import {
  encodeFolderRequest,
  errnoOf,
  listingOf,
  statOf,
  type FolderRequest,
} from "./folder-protocol.ts";
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

  /** What is thrown for the page to be asked; `accept` takes a good answer and gives an errno. */
  #ask(
    op: FolderRequest["op"],
    path: string,
    accept: (answer: Uint8Array) => number,
    at = 0,
    length = 0,
  ): NotLoaded {
    const request = encodeFolderRequest({ op, folder: this.#folder, path, at, length });
    return new NotLoaded(request, (answer) => errnoOf(answer) || accept(answer));
  }

  #directory(path: string, isRoot: boolean): DirectoryNode {
    const directory = new DirectoryNode(this.#tree, isRoot);
    directory.unlisted = () =>
      this.#ask("list", path, (answer) => {
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
        return wasi.ERRNO_SUCCESS;
      });
    return directory;
  }

  #file(path: string): FileNode {
    const file = new FileNode(this.#tree);
    file.unknown = () =>
      this.#ask("stat", path, (answer) => {
        const stat = statOf(answer);
        file.unknown = undefined;
        file.found(stat, this.#bytes(path, stat.size));
        return wasi.ERRNO_SUCCESS;
      });
    return file;
  }

  #bytes(path: string, size: number): BaseBytes {
    return {
      length: size,
      read: (at, target, start, length) => {
        for (let done = 0; done < length;) {
          const number = Math.floor((at + done) / FILE_PART_BYTES);
          const part = this.#part(path, number, size);
          const offset = at + done - number * FILE_PART_BYTES;
          const count = Math.min(length - done, part.length - offset);
          target.set(part.subarray(offset, offset + count), start + done);
          done += count;
        }
      },
    };
  }

  /** Part `number` of a file of `size` bytes. */
  #part(path: string, number: number, size: number): Uint8Array {
    const key = `${number}:${path}`;
    const part = this.#parts.get(key);
    if (part !== undefined) {
      this.#parts.delete(key);
      this.#parts.set(key, part);
      return part;
    }
    const at = number * FILE_PART_BYTES;
    const expected = Math.min(FILE_PART_BYTES, size - at);
    const accept = (answer: Uint8Array): number => {
      // Shorter than it was: the file was changed under us.
      if (answer.length !== expected + 1) return wasi.ERRNO_IO;
      this.#parts.set(key, answer.subarray(1));
      const [oldest] = this.#parts.keys();
      if (this.#parts.size > KEPT_PARTS) this.#parts.delete(oldest!);
      return wasi.ERRNO_SUCCESS;
    };
    throw this.#ask("read", path, accept, at, expected);
  }
}
