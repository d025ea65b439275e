// A folder: names in the order they were made, with cookies that stay true while entries come and go; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { Node, type Tree } from "./nodes.ts";
import type { NotLoaded } from "./not-loaded.ts";

/** A name in a folder. `node` is undefined once the name is gone. */
export interface Entry {
  readonly name: string;
  /** Place in the listing; never used twice in one folder. */
  readonly cookie: number;
  node: Node | undefined;
}

/** Cookies of "." and ".." as the place after them; entries follow. */
const FIRST_COOKIE = 3;

/** A folder. Its listing is a list in order of creation that is searched by cookie, so deleting while listing is safe. */
export class DirectoryNode extends Node {
  readonly filetype = wasi.FILETYPE_DIRECTORY;
  readonly #byName = new Map<string, Entry>();
  #order: Entry[] = [];
  #gone = 0;
  #nextCookie = FIRST_COOKIE;
  /** The folder it lies in; undefined for a root that lies nowhere. */
  parent: DirectoryNode | undefined;
  /** Its name there. */
  name = "";
  /** For a folder of a granted one whose names are not known yet: what has to be asked. */
  unlisted: (() => NotLoaded) | undefined;
  /** Folders that walks from here led to, by path; good while {@link Tree.ways} stands at `waysAt`. */
  ways: Map<string, DirectoryNode> | undefined;
  waysAt = 0;
  /** Removed: nothing can be made in it any more. */
  removed = false;
  /** The root of a mounted tree cannot be removed or renamed. */
  readonly isRoot: boolean;

  constructor(tree: Tree, isRoot = false) {
    super(tree);
    this.isRoot = isRoot;
    this.links = 2;
  }

  /** Number of names in it. */
  get count(): number {
    this.#needNames();
    return this.#byName.size;
  }

  get(name: string): Node | undefined {
    this.#needNames();
    return this.#byName.get(name)?.node;
  }

  /** Is this name among those that are known already? */
  knows(name: string): boolean {
    return this.#byName.has(name);
  }

  /** Adds a name that does not exist yet. */
  add(name: string, node: Node): void {
    const entry: Entry = { name, cookie: this.#nextCookie++, node };
    this.#byName.set(name, entry);
    this.#order.push(entry);
    if (node instanceof DirectoryNode) {
      node.parent = this;
      node.name = name;
      if (!node.isRoot) this.links++;
    } else node.links++;
    this.#changed(node);
  }

  /** Takes a name away. The node may live on under other names. */
  delete(name: string): void {
    const entry = this.#byName.get(name);
    if (entry?.node === undefined) return;
    this.#byName.delete(name);
    if (entry.node instanceof DirectoryNode) this.links--;
    else entry.node.links--;
    this.#changed(entry.node);
    entry.node = undefined;
    this.#gone++;
    if (this.#gone > this.#byName.size + 16) this.#compact();
  }

  /** The last cookie given so far: a listing that began now ends there, even while names are added. */
  get lastCookie(): number {
    this.#needNames();
    return this.#nextCookie - 1;
  }

  /** Index into the listing of the first entry after `cookie`. */
  indexAfter(cookie: number): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#order[middle]!.cookie <= cookie) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The entry at an index of {@link indexAfter} and on; entries whose node is undefined are gone. */
  at(index: number): Entry | undefined {
    return this.#order[index];
  }

  /** All names and nodes, in order. */
  *[Symbol.iterator](): Generator<[string, Node]> {
    this.#needNames();
    for (const entry of this.#byName.values()) {
      if (entry.node !== undefined) yield [entry.name, entry.node];
    }
  }

  /** Every way to see names comes by here. */
  #needNames(): void {
    if (this.unlisted !== undefined) throw this.unlisted();
  }

  #compact(): void {
    this.#order = this.#order.filter((entry) => entry.node !== undefined);
    this.#gone = 0;
  }

  #changed(node: Node): void {
    if (node.filetype !== wasi.FILETYPE_REGULAR_FILE) this.tree.ways.changes++;
    this.modified = this.changed = this.tree.now();
  }
}
