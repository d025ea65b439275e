// Keeps a volume in the origin's private file system: whole files first, their list last, one tab at a time; page.

import { SandboxError } from "../errors.ts";
import type { FolderHandle } from "./folder-handle.ts";
import { fail, originPlace, type StorePlace } from "./store-place.ts";
import { isMissing, writeWhole } from "./stored-file.ts";
import type { FlatEntry } from "./tree.ts";
import { blobsOf, VolumeBlobs } from "./volume-blobs.ts";
import { isSame, openLists, readList, removeIfThere, removeLists, slotOf } from "./volume-lists.ts";
import { formatManifest, newLife, sha256Hex, type VolumeManifest } from "./volume-manifest.ts";
import type { VolumeStore } from "./volume.ts";

const BLOBS = "blobs";

/** The store of a volume of this page. @throws SandboxError `unsupported`, `quota` */
export async function openStore(name: string): Promise<VolumeStore> {
  return OpfsStore.open(name, await originPlace());
}

/** A volume in a folder of its own. */
export class OpfsStore implements VolumeStore {
  readonly name: string;
  readonly #place: StorePlace;
  /** The name's digest: any name is a good one then, and no two meet on a disk that folds case. */
  readonly #key: string;
  readonly #blobs = new VolumeBlobs();
  /** What was loaded or saved last, and the state before, whose blobs are still there. */
  #known: VolumeManifest | undefined;
  #before: VolumeManifest | undefined;
  #swept = false;

  /** Makes the object; nothing is stored before the first save. */
  static async open(name: string, place: StorePlace): Promise<OpfsStore> {
    return new OpfsStore(name, place, await sha256Hex(new TextEncoder().encode(name)));
  }

  private constructor(name: string, place: StorePlace, key: string) {
    this.name = name;
    this.#place = place;
    this.#key = key;
  }

  async exclusive<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const lock = `sallyport-volume:${this.#key}`;
    let begun = false;
    try {
      return await this.#place.locks.request(lock, signal ? { signal } : {}, () => {
        begun = true;
        return work();
      });
    } catch (cause) {
      if (begun || !signal?.aborted) throw cause;
      throw new SandboxError("aborted", "aborted", { cause });
    }
  }

  async quotaBytes(): Promise<number | undefined> {
    return (await this.#place.estimate?.())?.quota;
  }

  async load(): Promise<readonly FlatEntry[] | undefined> {
    const folder = await this.#folder();
    if (!folder) return this.#loadNothing(false);
    const files = await openLists(folder);
    const versions = files.flatMap(({ version }) => version ?? []);
    const [newest] = versions.sort((a, b) => b.generation - a.generation);
    if (newest && isSame(newest, this.#known)) return undefined;
    const found = await Promise.all(files.map(({ file }) => readList(file)));
    const lists = found
      .filter((one) => typeof one === "object")
      .sort((a, b) => b.generation - a.generation);
    if (lists.length === 0) return this.#loadNothing(found.includes("damaged"));
    return this.#loadLists(folder, lists);
  }

  async save(entries: readonly FlatEntry[]): Promise<void> {
    const { folder, blobs } = await this.#folders().catch(fail);
    const written = new Set<string>();
    try {
      const stored = blobsOf(this.#known, this.#before);
      const list = await this.#blobs.write(blobs, entries, stored, written);
      const generation = (this.#known?.generation ?? 0) + 1;
      const life = this.#known?.life ?? newLife();
      const manifest = { generation, life, name: this.name, entries: list };
      await writeWhole(folder, slotOf(generation), await formatManifest(manifest));
      const dropped = blobsOf(this.#before);
      [this.#before, this.#known] = [this.#known, manifest];
      await this.#drop(blobs, dropped);
    } catch (cause) {
      await this.#drop(blobs, written);
      return fail(cause);
    }
  }

  async delete(): Promise<void> {
    const folder = await this.#folder();
    if (folder) {
      await removeLists(folder);
      await removeIfThere(this.#place.folder, this.#key);
    }
    this.#forget();
  }

  /** Undefined for a volume of which nothing was ever saved. */
  async #folder(): Promise<FolderHandle | undefined> {
    try {
      return await this.#place.folder.getDirectoryHandle(this.#key);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async #folders(): Promise<{ folder: FolderHandle; blobs: FolderHandle }> {
    const folder = await this.#place.folder.getDirectoryHandle(this.#key, { create: true });
    return { folder, blobs: await folder.getDirectoryHandle(BLOBS, { create: true }) };
  }

  #forget(): void {
    this.#known = this.#before = undefined;
    this.#blobs.clear();
  }

  /** There is no list: the volume is new, or another tab has deleted it; or its lists are damaged. */
  #loadNothing(isDamaged: boolean): readonly FlatEntry[] | undefined {
    if (isDamaged) throw damaged(this.name);
    const isNew = this.#known === undefined;
    this.#forget();
    return isNew ? undefined : [];
  }

  /** The newest state whose files are all there; the one before it stands in when they are not. */
  async #loadLists(
    folder: FolderHandle,
    [newest, older]: readonly VolumeManifest[],
  ): Promise<readonly FlatEntry[]> {
    const blobs = await folder.getDirectoryHandle(BLOBS, { create: true }).catch(fail);
    let entries = await this.#blobs.read(blobs, newest!);
    if (entries) [this.#known, this.#before] = [newest, older];
    else if (older) {
      entries = await this.#blobs.read(blobs, older);
      [this.#known, this.#before] = [older, undefined];
    }
    if (!entries) throw damaged(this.name);
    if (!this.#swept) await this.#sweep(blobs);
    return entries;
  }

  /** What a page that died has left over. */
  async #sweep(blobs: FolderHandle): Promise<void> {
    const names: string[] = [];
    for await (const [name] of blobs.entries()) names.push(name);
    await this.#drop(blobs, names);
    this.#swept = true;
  }

  /** Removes those that neither of the two kept states needs. One that stays is no harm: the next sweep takes it. */
  async #drop(blobs: FolderHandle, names: Iterable<string>): Promise<void> {
    const needed = blobsOf(this.#known, this.#before);
    const gone = [...names].filter((name) => !needed.has(name));
    await Promise.all(gone.map((name) => blobs.removeEntry(name).catch(() => {})));
  }
}

function damaged(name: string): SandboxError {
  return new SandboxError(
    "bad_volume",
    `what is stored of the volume ${JSON.stringify(name)} is damaged; openVolume(name, { discardDamaged: true }) begins anew`,
    { data: { name } },
  );
}
