// A volume: the files that packages keep between calls, changed by one call at a time; page and Node.

import { SandboxError } from "../errors.ts";
import type { ArchiveSource } from "./image.ts";
import { asBytes, type FlatEntry } from "./tree.ts";
import { shareBytes, VolumeContent, volumeKey } from "./volume-content.ts";

/** Where a volume is kept beyond the page's life. All but `exclusive` are called inside of it. */
export interface VolumeStore {
  readonly name: string;
  /** Runs `work` while nobody else, in no other tab, uses the volume. Rejects with `aborted` when the signal ends the waiting. */
  exclusive<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  /** What is kept; undefined when that is what was loaded or saved here last. */
  load(): Promise<readonly FlatEntry[] | undefined>;
  /** Keeps all of it or nothing. Throws SandboxError `quota`. */
  save(entries: readonly FlatEntry[]): Promise<void>;
  delete(): Promise<void>;
  /** Bytes that the browser would let this origin store. */
  quotaBytes(): Promise<number | undefined>;
}

/** A file, folder or link of a volume. */
export interface VolumeItem {
  /** Such as "/data/notes/today.txt". */
  readonly path: string;
  readonly type: FlatEntry["type"];
  /** Bytes of a file, else 0. */
  readonly size: number;
  /** Of a file: milliseconds since 1970. */
  readonly modified?: number;
}

/** What a volume holds in all. */
export interface VolumeUsage {
  readonly bytes: number;
  readonly files: number;
  /** Bytes that the browser would let this origin store; of a persistent volume, where the browser says. */
  readonly quotaBytes?: number;
}

/** What a call makes of a volume. */
export interface VolumeUse<T> {
  readonly value: T;
  /** What the volume holds from now on; absent when the call did not complete, and then nothing changes. */
  readonly next?: VolumeContent;
}

/**
 * Files for packages, in two folders: `/tmp` (the guest's `/volume/tmp`) lives as long as this object, `/data`
 * (`/volume/data`) as long as the volume. A call that completes commits its changes as one; one that crashes or is
 * stopped leaves the volume as it was. Calls and the methods below wait for each other. Made by `memoryVolume()` and
 * `openVolume(name)`.
 */
export class Volume {
  /** The name of a persistent volume. */
  readonly name: string | undefined;
  readonly #store: VolumeStore | undefined;
  #content = VolumeContent.empty;
  #last: Promise<void> = Promise.resolve();

  /** Not for callers. */
  constructor(store?: VolumeStore) {
    this.#store = store;
    this.name = store?.name;
  }

  /** Everything in a folder and below it, folders before what they hold. @throws SandboxError `bad_path` */
  async list(folder = "/"): Promise<VolumeItem[]> {
    const prefix = folder === "/" ? "" : `${volumeKey(folder)}/`;
    return this.#look((content) =>
      content
        .all()
        .filter(({ path }) => path.startsWith(prefix))
        .map((entry) => ({
          path: `/${entry.path}`,
          type: entry.type,
          size: entry.type === "file" ? entry.bytes.length : 0,
          ...(entry.type === "file" && entry.modified !== undefined
            ? { modified: entry.modified }
            : {}),
        })),
    );
  }

  /** A copy of a file's bytes. @throws SandboxError `bad_path` when there is no such file */
  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const key = volumeKey(path);
    return this.#look((content) => {
      const entry = content.get(key);
      if (entry?.type === "file") return new Uint8Array(entry.bytes);
      throw new SandboxError("bad_path", `there is no file ${path}`);
    });
  }

  /** Writes a file, and the folders above it. @throws SandboxError `bad_path`, `quota` */
  async write(path: string, data: string | BufferSource): Promise<void> {
    const key = volumeKey(path);
    const bytes = asBytes(data);
    if (bytes === undefined) throw new SandboxError("bad_option", "a file is bytes or text");
    if (!key.includes("/")) throw new SandboxError("bad_path", `${path} is a folder`);
    const kept = shareBytes(bytes);
    await this.#change((content) => content.with(key, kept, Date.now()));
  }

  /** Removes a file, a link, or a folder with all that it holds. @throws SandboxError `bad_path` when it is not there */
  async remove(path: string): Promise<void> {
    const key = volumeKey(path);
    await this.#change((content) => content.without(key));
  }

  /** What it holds. */
  async usage(): Promise<VolumeUsage> {
    const quotaBytes = await this.#store?.quotaBytes();
    return this.#look((content) => {
      const files = content.all().filter((entry) => entry.type === "file");
      const bytes = files.reduce((sum, entry) => sum + entry.bytes.length, 0);
      return { bytes, files: files.length, ...(quotaBytes === undefined ? {} : { quotaBytes }) };
    });
  }

  /** All of it as a zip. */
  async export(): Promise<Uint8Array<ArrayBuffer>> {
    const { writeZip } = await import("./write-zip.ts");
    return writeZip(await this.#look((content) => content.all()));
  }

  /** Puts what an archive (zip, tar, tar.gz) holds in `tmp` and `data` in place of everything. @throws SandboxError `bad_archive`, `bad_path`, `quota`, `load_failed` */
  async import(archive: ArchiveSource): Promise<void> {
    const [{ readArchive }, { fetchBytes }] = await Promise.all([
      import("./archive.ts"),
      import("./fetch-bytes.ts"),
    ]);
    const entries = await readArchive(await fetchBytes(archive, {}));
    const shared = entries.map((entry) =>
      entry.type === "file" ? { ...entry, bytes: shareBytes(entry.bytes) } : entry,
    );
    const next = VolumeContent.of(shared);
    await this.#change(() => next);
  }

  /** Removes everything, of a persistent volume also what the browser keeps. The object can be used on, empty. */
  async delete(): Promise<void> {
    const remove = async (): Promise<void> => {
      await this.#store?.delete();
      this.#content = VolumeContent.empty;
    };
    // What is there is not looked at first: it may be damaged.
    await this.#inTurn(undefined, () => this.#store?.exclusive(undefined, remove) ?? remove());
  }

  /** Not for callers: one call of a package, alone on the volume. */
  use<T>(
    signal: AbortSignal | undefined,
    work: (content: VolumeContent) => Promise<VolumeUse<T>>,
  ): Promise<T> {
    return this.#exclusive(signal, async () => {
      const { value, next } = await work(this.#content);
      if (next) await this.#commit(next);
      return value;
    });
  }

  #look<T>(look: (content: VolumeContent) => T): Promise<T> {
    return this.#exclusive(undefined, async () => look(this.#content));
  }

  #change(change: (content: VolumeContent) => VolumeContent): Promise<void> {
    return this.#exclusive(undefined, async () => this.#commit(change(this.#content)));
  }

  /** The content changes only once the store has it. */
  async #commit(next: VolumeContent): Promise<void> {
    await this.#store?.save(dataOf(next));
    this.#content = next;
  }

  #exclusive<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const store = this.#store;
    if (!store) return this.#inTurn(signal, work);
    const fresh = async (): Promise<T> => {
      await this.#refresh(store);
      return work();
    };
    return this.#inTurn(signal, () => store.exclusive(signal, fresh));
  }

  /** In this page one after the other, in the order of asking; a store sees to the other tabs. */
  async #inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let leave!: () => void;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#last = before.then(() => left);
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      leave();
    }
  }

  /** Takes over what other tabs have committed; tmp is this object's own. */
  async #refresh(store: VolumeStore): Promise<void> {
    const kept = await store.load();
    if (!kept) return;
    const tmp = this.#content.all().filter(({ path }) => path.startsWith("tmp/"));
    this.#content = VolumeContent.of([...tmp, ...kept]);
  }
}

function dataOf(content: VolumeContent): FlatEntry[] {
  return content.all().filter(({ path }) => path.startsWith("data/"));
}

/** @throws SandboxError `aborted` */
async function orAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = (): SandboxError =>
    new SandboxError("aborted", "aborted", { cause: signal?.reason as unknown });
  if (signal?.aborted) throw aborted();
  let stop: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(aborted());
    signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([wait, stopped]);
  } finally {
    signal?.removeEventListener("abort", stop!);
  }
}
