// Files that all runs of a sandbox find: fetched once, when the first runs are at work or one reads them; page and Node.

import type { FileHandle, FolderHandle } from "../files/folder-handle.ts";
import { type Image, image } from "../files/image.ts";
import type { Mount } from "../files/preopens.ts";
import { splitPath, type FlatEntry } from "../files/tree.ts";
import { isByteSource } from "./byte-source.ts";
import { bytesOfSource, loadOnce } from "./load-once.ts";
import type { RunOptions } from "./run-options.ts";
import { wrong } from "./run-options.ts";

/** Files by absolute path, each from where it is. */
export type LibraryFiles = Readonly<Record<string, string | URL | Response | BufferSource>>;

/** A file of the library: its folder, its name, and where its bytes come from. */
interface Place {
  readonly folder: string;
  readonly name: string;
  readonly source: LibraryFiles[string];
}

/** The files, by folder. Throws SandboxError `bad_option`, `bad_path`. */
function placesOf(files: LibraryFiles): Place[] {
  if (typeof files !== "object" || files === null || Array.isArray(files)) {
    wrong("library", "an object of absolute paths");
  }
  const places = Object.entries(files).map(([path, source]) => {
    const names = splitPath(path);
    const name = names.pop();
    if (name === undefined || names.length === 0) {
      wrong("library", "an object of absolute paths, each with a folder of its own");
    }
    if (!isByteSource(source))
      wrong(`library[${JSON.stringify(path)}]`, "a URL, a Response, or bytes");
    return { folder: `/${names.join("/")}`, name, source };
  });
  const paths = new Set(places.map(({ folder, name }) => `${folder}/${name}`));
  if (paths.size < places.length || places.some(({ folder }) => isIn(folder, paths))) {
    wrong("library", "an object in which no file comes twice, or lies inside another");
  }
  return places;
}

/** Whether the folder, or one that it lies in, is one of the paths. */
function isIn(folder: string, paths: ReadonlySet<string>): boolean {
  for (let at = folder.length; at > 0; at = folder.lastIndexOf("/", at - 1)) {
    if (paths.has(folder.slice(0, at))) return true;
  }
  return false;
}

/** The library of a sandbox. Its folders are read-only. */
export class Library {
  readonly #places: readonly Place[];
  readonly #fetch: typeof fetch;
  readonly #load = loadOnce(() => this.#fetchAll());
  #images: Readonly<Record<string, Image>> | undefined;

  /** Throws SandboxError `bad_option`, `bad_path`. */
  constructor(files: LibraryFiles, fetcher: typeof fetch) {
    this.#places = placesOf(files);
    this.#fetch = fetcher;
  }

  /** Loads, unless that is done or under way. Rejects with SandboxError `load_failed`; the next call tries again. */
  async load(): Promise<void> {
    await this.#load();
  }

  /** The files as entries of a tree at `/`. */
  async entries(): Promise<FlatEntry[]> {
    return [...(await this.#load())].map(([{ folder, name }, bytes]) => ({
      path: `${folder.slice(1)}/${name}`,
      type: "file",
      bytes,
    }));
  }

  /**
   * The options of a run that finds the library, too. Before it is there a run asks for what it reads; where nothing can
   * block, the run does not begin before.
   */
  async joinTo(options: RunOptions, canBlock: boolean): Promise<RunOptions> {
    if (!canBlock) await this.load();
    const given = options.mounts ?? {};
    // A run without mounts has its tree at "/", whether it names files or not.
    const files = options.files ?? (Object.keys(given).length === 0 ? {} : undefined);
    const mounts = { ...given };
    for (const [path, mount] of Object.entries(this.#images ?? this.#handles())) {
      if (!(path in mounts)) mounts[path] = mount;
    }
    return { ...options, ...(files === undefined ? {} : { files }), mounts };
  }

  async #fetchAll(): Promise<Map<Place, Uint8Array<ArrayBuffer>>> {
    const found = await Promise.all(
      this.#places.map(async (place) => [place, await this.#bytes(place)] as const),
    );
    const folders: Record<string, Record<string, Uint8Array>> = {};
    for (const [{ folder, name }, bytes] of found) (folders[folder] ??= {})[name] = bytes;
    this.#images = Object.fromEntries(
      Object.entries(folders).map(([folder, tree]) => [folder, image(tree)]),
    );
    return new Map(found);
  }

  #bytes({ folder, name, source }: Place): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOfSource(source, this.#fetch, `the library's ${folder}/${name}`);
  }

  /** Folders that are asked for, as granted ones are. */
  #handles(): Record<string, Mount> {
    const folders = new Set(this.#places.map(({ folder }) => folder));
    return Object.fromEntries(
      [...folders].map((folder) => {
        const places = this.#places.filter((place) => place.folder === folder);
        return [folder, this.#handle(folder, places)];
      }),
    );
  }

  #handle(folder: string, places: readonly Place[]): FolderHandle {
    const files = new Map(places.map((place) => [place.name, this.#file(place)]));
    const find = async <Handle>(handle: Handle | undefined): Promise<Handle> => {
      if (handle === undefined) throw new DOMException("there is none", "NotFoundError");
      return handle;
    };
    return {
      kind: "directory",
      name: folder,
      readOnly: true,
      async *entries() {
        yield* files;
      },
      getFileHandle: (name) => find(files.get(name)),
      getDirectoryHandle: () => find<FolderHandle>(undefined),
      removeEntry: () => find<void>(undefined),
    };
  }

  #file(place: Place): FileHandle {
    const getFile = async () => {
      const bytes = (await this.#load()).get(place)!;
      // As much of a File as is asked for; a real one would be a copy in another process.
      return {
        size: bytes.length,
        lastModified: 0,
        slice: (start: number, end: number) => new Blob([bytes.slice(start, end)]),
      } as unknown as Blob & { readonly lastModified: number };
    };
    const createWritable = async (): Promise<never> => {
      throw new DOMException("it is read-only", "NotAllowedError");
    };
    return { kind: "file", name: place.name, getFile, createWritable };
  }
}
