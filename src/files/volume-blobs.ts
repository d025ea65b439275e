// The files of a stored volume, each under the SHA-256 of its bytes; page.

import type { FolderHandle } from "./folder-handle.ts";
import { readWhole, writeWhole } from "./stored-file.ts";
import type { FlatEntry } from "./tree.ts";
import { shareBytes } from "./volume-content.ts";
import { sha256Hex, type StoredEntry, type VolumeManifest } from "./volume-manifest.ts";

/** Reads and writes blobs. What is at hand already is neither read, hashed nor written again. */
export class VolumeBlobs {
  readonly #digests = new WeakMap<Uint8Array, string>();
  /** Of the state at hand, by name. */
  #bytes = new Map<string, Uint8Array>();

  /** The entries of a list with their bytes; undefined when a blob is missing or is not what its name says. */
  async read(folder: FolderHandle, { entries }: VolumeManifest): Promise<FlatEntry[] | undefined> {
    const bytes = new Map<string, Uint8Array>();
    const read: FlatEntry[] = [];
    for (const entry of entries) {
      if (entry.type !== "file") {
        read.push(entry);
        continue;
      }
      const { path, blob, size, modified } = entry;
      // oxlint-disable-next-line no-await-in-loop -- one file at a time in memory twice
      const content = bytes.get(blob) ?? (await this.#readBlob(folder, blob));
      if (content?.length !== size) return undefined;
      bytes.set(blob, content);
      const time = modified === undefined ? {} : { modified };
      read.push({ path, type: "file", bytes: content, ...time });
    }
    this.#bytes = bytes;
    return read;
  }

  /** Writes the files that are not among `stored`, and gives the list. `written` is told of each before it is written. */
  async write(
    folder: FolderHandle,
    entries: readonly FlatEntry[],
    stored: ReadonlySet<string>,
    written: Set<string>,
  ): Promise<StoredEntry[]> {
    const list: StoredEntry[] = [];
    const bytes = new Map<string, Uint8Array>();
    for (const entry of entries) {
      if (entry.type !== "file") {
        list.push(entry);
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop -- what a quota refuses is refused early
      const blob = await this.#writeBlob(folder, entry.bytes, stored, written);
      bytes.set(blob, entry.bytes);
      const { path, modified } = entry;
      const time = modified === undefined ? {} : { modified };
      list.push({ path, type: "file", blob, size: entry.bytes.length, ...time });
    }
    this.#bytes = bytes;
    return list;
  }

  /** Forgets the bytes at hand. */
  clear(): void {
    this.#bytes = new Map();
  }

  async #readBlob(folder: FolderHandle, name: string): Promise<Uint8Array | undefined> {
    const known = this.#bytes.get(name);
    if (known) return known;
    const content = await readWhole(folder, name);
    if (!content || (await sha256Hex(content)) !== name) return undefined;
    const shared = shareBytes(content);
    this.#digests.set(shared, name);
    return shared;
  }

  async #writeBlob(
    folder: FolderHandle,
    bytes: Uint8Array,
    stored: ReadonlySet<string>,
    written: Set<string>,
  ): Promise<string> {
    const known = this.#digests.get(bytes);
    if (known !== undefined && (stored.has(known) || written.has(known))) return known;
    const copy = new Uint8Array(bytes); // shared memory can be neither hashed nor written
    const blob = known ?? (await sha256Hex(copy));
    this.#digests.set(bytes, blob);
    if (stored.has(blob) || written.has(blob)) return blob;
    written.add(blob);
    await writeWhole(folder, blob, copy);
    return blob;
  }
}

/** The blobs that some lists need. */
export function blobsOf(...manifests: readonly (VolumeManifest | undefined)[]): Set<string> {
  const names = new Set<string>();
  for (const manifest of manifests) {
    for (const entry of manifest?.entries ?? []) if (entry.type === "file") names.add(entry.blob);
  }
  return names;
}
