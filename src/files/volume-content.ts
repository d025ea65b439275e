// What a volume holds at one moment: an immutable tree below tmp and data, made anew by each change; page and Node.

import { SandboxError } from "../errors.ts";
import { FILES_BYTES, FILES_ENTRIES } from "../limits.ts";
import { splitPath, type FlatEntry } from "./tree.ts";

/** The two folders of a volume. */
export type VolumeRoot = "tmp" | "data";

export const VOLUME_ROOTS: readonly VolumeRoot[] = ["tmp", "data"];

/** A tree of a volume as a run left it; an unchanged file is named by its path before. */
export interface TreeAfter {
  /** Where the guest saw it: /volume/tmp or /volume/data. */
  readonly path: string;
  /** Folders before what they hold; paths without a leading slash. */
  readonly entries: readonly EntryAfter[];
}

/** Something in such a tree. */
export type EntryAfter =
  | FlatEntry
  | {
      readonly path: string;
      readonly type: "file";
      readonly same: string;
      readonly modified: number;
    };

/** Entries by path, such as "data/notes/today.txt", folders before what they hold; the roots are not among them. */
export class VolumeContent {
  static readonly empty = new VolumeContent(new Map());
  readonly #entries: ReadonlyMap<string, FlatEntry>;

  private constructor(entries: ReadonlyMap<string, FlatEntry>) {
    this.#entries = entries;
  }

  /** @throws SandboxError `quota` for more than 256 MiB or 65,536 entries, `bad_path` for entries outside tmp and data */
  static of(entries: Iterable<FlatEntry>): VolumeContent {
    const byPath = new Map<string, FlatEntry>();
    let bytes = 0;
    for (const entry of entries) {
      if (!VOLUME_ROOTS.some((root) => entry.path.startsWith(`${root}/`))) {
        if (entry.type === "directory" && isRoot(entry.path)) continue;
        throw new SandboxError("bad_path", `/${entry.path} lies neither in /tmp nor in /data`);
      }
      byPath.set(entry.path, entry);
      if (entry.type === "file") bytes += entry.bytes.length;
    }
    if (bytes > FILES_BYTES || byPath.size > FILES_ENTRIES) {
      throw new SandboxError("quota", "the volume would hold more than 256 MiB or 65,536 entries", {
        data: { bytes, entries: byPath.size },
      });
    }
    return new VolumeContent(byPath);
  }

  all(): FlatEntry[] {
    return [...this.#entries.values()];
  }

  get(path: string): FlatEntry | undefined {
    return this.#entries.get(path);
  }

  /** What lies in one of the two folders, with paths below it. */
  under(root: VolumeRoot): FlatEntry[] {
    const prefix = `${root}/`;
    return this.all()
      .filter(({ path }) => path.startsWith(prefix))
      .map((entry) => ({ ...entry, path: entry.path.slice(prefix.length) }));
  }

  /** The folders that a run has left take the place of what they were. */
  after(trees: readonly TreeAfter[]): VolumeContent {
    const replaced = new Map(trees.map(({ path, entries }) => [rootOf(path), entries]));
    return VolumeContent.of(
      VOLUME_ROOTS.flatMap((root) => {
        const entries = replaced.get(root);
        if (entries === undefined)
          return this.all().filter(({ path }) => path.startsWith(`${root}/`));
        return entries.map((entry) => this.#resolve(root, entry));
      }),
    );
  }

  /** With a file in place of what was there, and the folders above it. */
  with(path: string, bytes: Uint8Array, modified: number): VolumeContent {
    const names = path.split("/");
    const entries = new Map(this.#entries);
    for (let i = 2; i < names.length; i++) {
      const folder = names.slice(0, i).join("/");
      const known = entries.get(folder);
      if (known && known.type !== "directory") throw notThere(`/${folder} is no folder`);
      if (!known) entries.set(folder, { path: folder, type: "directory" });
    }
    if (entries.get(path)?.type === "directory") throw notThere(`/${path} is a folder`);
    entries.set(path, { path, type: "file", bytes, modified });
    return VolumeContent.of(entries.values());
  }

  /** Without an entry and all that lies below it; `tmp` and `data` themselves are emptied. */
  without(path: string): VolumeContent {
    if (!isRoot(path) && !this.#entries.has(path)) throw notThere(`there is no /${path}`);
    const left = this.all().filter((one) => one.path !== path && !one.path.startsWith(`${path}/`));
    return VolumeContent.of(left);
  }

  #resolve(root: VolumeRoot, entry: EntryAfter): FlatEntry {
    const path = `${root}/${entry.path}`;
    if (!("same" in entry)) {
      return entry.type === "file"
        ? { ...entry, path, bytes: shareBytes(entry.bytes) }
        : { ...entry, path };
    }
    const before = this.#entries.get(`${root}/${entry.same}`);
    if (before?.type !== "file") throw new Error(`the run left a file that was not there: ${path}`);
    // The same bytes object, by which a store knows that it has them.
    return { path, type: "file", bytes: before.bytes, modified: entry.modified };
  }
}

function isRoot(path: string): boolean {
  return (VOLUME_ROOTS as readonly string[]).includes(path);
}

function rootOf(mount: string): string {
  return mount.slice("/volume/".length);
}

/** "data/x" for "/data/x". @throws SandboxError `bad_path` for what does not lie in /tmp or /data */
export function volumeKey(path: string): string {
  if (typeof path !== "string")
    throw new SandboxError("bad_option", "a path of a volume is a text");
  const names = splitPath(path);
  if (names.length > 0 && isRoot(names[0]!)) return names.join("/");
  throw new SandboxError("bad_path", `${JSON.stringify(path)} lies neither in /tmp nor in /data`);
}

function notThere(message: string): SandboxError {
  return new SandboxError("bad_path", message);
}

/** A copy that workers can share, where the page may share memory. */
export function shareBytes(bytes: Uint8Array): Uint8Array {
  if (typeof SharedArrayBuffer !== "function") return bytes.slice();
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  return shared;
}
