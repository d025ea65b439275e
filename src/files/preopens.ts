// What a run's `files` and `mounts` become: a list of preopens as plain data for the worker; page.

import { SandboxError } from "../errors.ts";
import { Image, type ImageData } from "./pack-image.ts";
import { isFolderHandle, type FolderHandle } from "./folder-handle.ts";
import { MemoryTree } from "./memory.ts";
import {
  asBytes,
  flatten,
  splitPath,
  type FlatEntry,
  type ShimDirectory,
  type Tree,
  type TreeNode,
} from "./tree.ts";

/** Where the content of a preopen comes from. */
export type PreopenSource =
  | { readonly kind: "memory"; readonly entries: readonly FlatEntry[] }
  | { readonly kind: "image"; readonly image: ImageData; readonly copyOnWrite: boolean }
  /** A folder of the user's disk; `folder` is its place in {@link foldersOf}. */
  | { readonly kind: "folder"; readonly folder: number; readonly readOnly?: boolean };

/** One preopened folder of a guest. A list of them crosses to the worker by structured clone. */
export interface PreopenSpec {
  /** As the guest names it: absolute, no slash at the end. */
  readonly path: string;
  readonly source: PreopenSource;
}

/** What a mount may be. */
export type Mount = MemoryTree | Image | FolderHandle | ShimDirectory | Tree;

/** The options of a run that say which files it sees. */
export interface FileOptions {
  /** A writable tree at "/": absolute paths to bytes or text; a path to an object is a folder. */
  readonly files?: Readonly<Record<string, TreeNode>>;
  /** Further trees by absolute path, in this order. */
  readonly mounts?: Readonly<Record<string, Mount>>;
}

/**
 * The preopens of a run, in the order in which the guest gets them: "/" first when `files` is given or there are no
 * `mounts`, then the mounts as listed.
 *
 * @throws SandboxError `bad_path` for a path that cannot be or collides with another, `bad_option` for a value that is
 * no file, folder or mount.
 */
export function preopensFrom(options: FileOptions): PreopenSpec[] {
  const { files, mounts = {} } = options;
  if (typeof mounts !== "object" || mounts === null) {
    throw new SandboxError("bad_option", "mounts is not an object");
  }
  const specs: PreopenSpec[] = [];
  const names = Object.keys(mounts);
  if (files !== undefined || names.length === 0) {
    specs.push({ path: "/", source: { kind: "memory", entries: entriesOf(files ?? {}) } });
  }
  const folders = foldersOf(mounts);
  for (const name of names) {
    const path = `/${splitPath(name).join("/")}`;
    if (specs.some((spec) => spec.path === path)) {
      throw new SandboxError("bad_path", `${JSON.stringify(path)} is given twice`);
    }
    specs.push({ path, source: sourceOf(mounts[name]!, path, folders) });
  }
  checkCover(specs);
  return specs;
}

/** The folder handles among the mounts, in order. */
export function foldersOf(mounts: Readonly<Record<string, Mount>>): FolderHandle[] {
  return Object.values(mounts).filter((mount) => isFolderHandle(mount));
}

function sourceOf(mount: Mount, path: string, folders: readonly FolderHandle[]): PreopenSource {
  if (mount instanceof MemoryTree) return { kind: "memory", entries: mount.entries };
  if (mount instanceof Image) {
    return { kind: "image", image: mount.data, copyOnWrite: mount.copyOnWrite };
  }
  if (isFolderHandle(mount)) {
    const source = { kind: "folder" as const, folder: folders.indexOf(mount) };
    return mount.readOnly === true ? { ...source, readOnly: true } : source;
  }
  if (asBytes(mount) !== undefined || mount instanceof Promise) {
    throw new SandboxError("bad_option", `the mount ${path} is no tree, image or folder`);
  }
  return { kind: "memory", entries: flatten(mount, path) };
}

/** Lays `files` flat, and sees that no path is both a file and a folder. */
function entriesOf(files: Readonly<Record<string, TreeNode>>): FlatEntry[] {
  if (typeof files !== "object" || files === null) {
    throw new SandboxError("bad_option", "files is not an object");
  }
  const byPath = new Map<string, FlatEntry>();
  for (const [key, value] of Object.entries(files)) {
    const names = splitPath(key);
    const bytes = asBytes(value);
    for (let i = 1; i < names.length; i++)
      addEntry(byPath, { path: names.slice(0, i).join("/"), type: "directory" });
    const path = names.join("/");
    if (bytes !== undefined) {
      if (path === "" || key.endsWith("/")) {
        throw new SandboxError("bad_path", `${JSON.stringify(key)} names a folder, not a file`);
      }
      addEntry(byPath, { path, type: "file", bytes });
      continue;
    }
    if (path !== "") addEntry(byPath, { path, type: "directory" });
    for (const entry of flatten(value, key)) {
      addEntry(byPath, path === "" ? entry : { ...entry, path: `${path}/${entry.path}` });
    }
  }
  return [...byPath.values()];
}

function addEntry(byPath: Map<string, FlatEntry>, entry: FlatEntry): void {
  const known = byPath.get(entry.path);
  if (known?.type === "directory" && entry.type === "directory") return;
  if (known !== undefined) {
    throw new SandboxError("bad_path", `/${entry.path} is given twice`);
  }
  byPath.set(entry.path, entry);
}

/** A mount hides what lies under it, so nothing may be given there, and no file may stand in its way. */
function checkCover(specs: readonly PreopenSpec[]): void {
  const [root] = specs;
  if (root?.path !== "/" || root.source.kind !== "memory") return;
  for (const { path } of specs.slice(1)) {
    for (const entry of root.source.entries) {
      const given = `/${entry.path}`;
      const under = given.startsWith(`${path}/`) || (given === path && entry.type !== "directory");
      const blocks = entry.type !== "directory" && path.startsWith(`${given}/`);
      if (under || blocks) {
        throw new SandboxError("bad_path", `${given} in files and the mount ${path} collide`);
      }
    }
  }
}
