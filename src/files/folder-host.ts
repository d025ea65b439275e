// Answers a worker's questions about granted folders, and writes back what a run changed; page.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { FILES_ENTRIES, FILE_PART_BYTES } from "../limits.ts";
import type { FileHandle, FolderHandle } from "./folder-handle.ts";
import {
  decodeFolderRequest,
  encodeFolderAnswer,
  type FolderListing,
  type FolderRequest,
} from "./folder-protocol.ts";

/** The granted folders of one run. A file is kept as it was first looked at, so that a change on the disk shows. */
export class FolderHost {
  readonly #folders: readonly FolderHandle[];
  readonly #files = new Map<string, Blob & { readonly lastModified: number }>();

  constructor(folders: readonly FolderHandle[]) {
    this.#folders = folders;
  }

  /** The answer to a `file` call; never rejects. */
  async answer(request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await this.#serve(decodeFolderRequest(request));
    } catch (error) {
      return encodeFolderAnswer(errnoOfException(error));
    }
  }

  async #serve(request: FolderRequest): Promise<Uint8Array<ArrayBuffer>> {
    const names = request.path === "" ? [] : request.path.split("/");
    const root = this.#folders[request.folder];
    if (root === undefined) return encodeFolderAnswer(wasi.ERRNO_NOENT);
    if (request.op === "list") {
      const folder = await folderAt(root, names);
      const listing = await list(folder);
      return encodeFolderAnswer(listing === undefined ? wasi.ERRNO_OVERFLOW : 0, listing ?? []);
    }
    const key = `${request.folder}/${request.path}`;
    if (request.op === "stat") {
      const file = await (await fileAt(root, names)).getFile();
      this.#files.set(key, file);
      return encodeFolderAnswer(0, { size: file.size, modified: file.lastModified });
    }
    const file = this.#files.get(key);
    if (file === undefined) return encodeFolderAnswer(wasi.ERRNO_NOENT);
    const end = request.at + Math.min(request.length, FILE_PART_BYTES);
    const bytes = await file.slice(request.at, end).arrayBuffer();
    return encodeFolderAnswer(0, new Uint8Array(bytes));
  }
}

/** Names of a folder; undefined when they are more than a run may hold. Names that no guest can say are left out. */
async function list(folder: FolderHandle): Promise<FolderListing | undefined> {
  const names: [string, boolean][] = [];
  for await (const [name, handle] of folder.entries()) {
    if (!name.isWellFormed()) continue;
    if (names.length === FILES_ENTRIES) return undefined;
    names.push([name, handle.kind === "directory"]);
  }
  return names;
}

/** The folder some names below another. */
export async function folderAt(
  root: FolderHandle,
  names: readonly string[],
  create = false,
): Promise<FolderHandle> {
  let folder = root;
  for (const name of names) folder = await folder.getDirectoryHandle(name, { create });
  return folder;
}

/** The file some names below a folder. */
export async function fileAt(
  root: FolderHandle,
  names: readonly string[],
  create = false,
): Promise<FileHandle> {
  const folder = await folderAt(root, names.slice(0, -1));
  return await folder.getFileHandle(names.at(-1)!, { create });
}

/** The errno for what the browser threw. */
function errnoOfException(error: unknown): number {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotFoundError") return wasi.ERRNO_NOENT;
  if (name === "NotAllowedError" || name === "SecurityError") return wasi.ERRNO_ACCES;
  if (name === "TypeMismatchError") return wasi.ERRNO_NOTDIR;
  return wasi.ERRNO_IO;
}
