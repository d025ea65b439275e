// Imports on paths: open, stat, make, link, rename, remove; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import {
  makeDirectory,
  makeHardLink,
  makeLink,
  removeDirectory,
  removeFile,
  rename,
} from "../../files/change.ts";
import { lookUp, type Found, type LinkMode } from "../../files/look-up.ts";
import { LinkNode } from "../../files/nodes.ts";
import type { Context, Imports } from "./context.ts";
import { pathText } from "./context.ts";
import { FILESTAT_BYTES, setTimes, writeStat } from "./filestat.ts";
import { OpenDirectory } from "./open-directory.ts";
import { openImport } from "./path-open.ts";

const OK = wasi.ERRNO_SUCCESS;
/** The one lookup flag: follow a link at the end of the path. */
const FOLLOW = 1;
const encoder = new TextEncoder();

/** Finds what a path under a folder descriptor leads to, or a negative errno. The range has been checked. */
export function find(
  context: Context,
  fd: number,
  right: number,
  pointer: number,
  length: number,
  mode: LinkMode,
): Found | number {
  const folder = folderOf(context, fd, right);
  if (typeof folder === "number") return folder;
  const path = pathText(context, pointer, length);
  if (typeof path === "number") return path;
  const found = lookUp(folder.directory, path, mode);
  return typeof found === "number" ? -found : found;
}

/** The open folder of a descriptor number with a right, or a negative errno. */
export function folderOf(context: Context, fd: number, right: number): OpenDirectory | number {
  const descriptor = context.table.get(fd >>> 0);
  if (descriptor === undefined) return -wasi.ERRNO_BADF;
  if (!(descriptor instanceof OpenDirectory)) return -wasi.ERRNO_NOTDIR;
  return (descriptor.rights & right) === right ? descriptor : -wasi.ERRNO_NOTCAPABLE;
}

/** Imports of this group. */
export function pathImports(context: Context): Imports {
  return {
    plain: {
      path_open: openImport(context),
      ...statImports(context),
      ...nameImports(context),
      ...linkImports(context),
    },
    blocking: {},
  };
}

function statImports(context: Context): Imports["plain"] {
  const { memory } = context;
  const existing = (
    fd: number,
    right: number,
    flags: number,
    pointer: number,
    length: number,
  ): Exclude<Found["node"], undefined> | number => {
    if ((flags & ~FOLLOW) !== 0) return -wasi.ERRNO_INVAL;
    const mode = (flags & FOLLOW) !== 0 ? "follow" : "nofollow";
    const found = find(context, fd, right, pointer, length, mode);
    if (typeof found === "number") return found;
    if (found.node === undefined) return -wasi.ERRNO_NOENT;
    const fits = !found.trailing || found.node.filetype === wasi.FILETYPE_DIRECTORY;
    return fits ? found.node : -wasi.ERRNO_NOTDIR;
  };
  return {
    path_filestat_get(fd: number, flags: number, path: number, length: number, pointer: number) {
      path >>>= 0;
      length >>>= 0;
      pointer >>>= 0;
      if (!memory.fits(path, length) || !memory.fits(pointer, FILESTAT_BYTES)) {
        return wasi.ERRNO_FAULT;
      }
      const node = existing(fd, wasi.RIGHTS_PATH_FILESTAT_GET, flags, path, length);
      if (typeof node === "number") return -node;
      writeStat(memory, pointer, node);
      return OK;
    },
    path_filestat_set_times(
      fd: number,
      flags: number,
      path: number,
      length: number,
      accessed: bigint,
      modified: bigint,
      timeFlags: number,
    ) {
      path >>>= 0;
      length >>>= 0;
      if (!memory.fits(path, length)) return wasi.ERRNO_FAULT;
      const node = existing(fd, wasi.RIGHTS_PATH_FILESTAT_SET_TIMES, flags, path, length);
      return typeof node === "number" ? -node : setTimes(node, accessed, modified, timeFlags);
    },
  };
}

/** Imports that take one path and change the name there. */
function nameImports(context: Context): Imports["plain"] {
  const change =
    (right: number, act: (place: Found) => number) =>
    (fd: number, path: number, length: number): number => {
      path >>>= 0;
      length >>>= 0;
      if (!context.memory.fits(path, length)) return wasi.ERRNO_FAULT;
      const place = find(context, fd, right, path, length, "entry");
      return typeof place === "number" ? -place : act(place);
    };
  return {
    path_create_directory: change(wasi.RIGHTS_PATH_CREATE_DIRECTORY, makeDirectory),
    path_remove_directory: change(wasi.RIGHTS_PATH_REMOVE_DIRECTORY, removeDirectory),
    path_unlink_file: change(wasi.RIGHTS_PATH_UNLINK_FILE, removeFile),
    path_rename(
      fd: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      return twoPaths(context, from, fromLength, to, toLength, () => {
        const source = find(
          context,
          fd,
          wasi.RIGHTS_PATH_RENAME_SOURCE,
          from >>> 0,
          fromLength >>> 0,
          "entry",
        );
        if (typeof source === "number") return -source;
        const target = find(
          context,
          toFd,
          wasi.RIGHTS_PATH_RENAME_TARGET,
          to >>> 0,
          toLength >>> 0,
          "entry",
        );
        return typeof target === "number" ? -target : rename(source, target);
      });
    },
  };
}

function linkImports(context: Context): Imports["plain"] {
  const { memory } = context;
  return {
    path_link(
      fd: number,
      flags: number,
      from: number,
      fromLength: number,
      toFd: number,
      to: number,
      toLength: number,
    ) {
      return twoPaths(context, from, fromLength, to, toLength, () => {
        // A link to what a link leads to is not offered, as in other hosts.
        if (flags !== 0) return wasi.ERRNO_INVAL;
        const source = find(
          context,
          fd,
          wasi.RIGHTS_PATH_LINK_SOURCE,
          from >>> 0,
          fromLength >>> 0,
          "entry",
        );
        if (typeof source === "number") return -source;
        const target = find(
          context,
          toFd,
          wasi.RIGHTS_PATH_LINK_TARGET,
          to >>> 0,
          toLength >>> 0,
          "entry",
        );
        return typeof target === "number" ? -target : makeHardLink(source, target);
      });
    },
    path_symlink(target: number, targetLength: number, fd: number, path: number, length: number) {
      return twoPaths(context, target, targetLength, path, length, () => {
        const text = pathText(context, target >>> 0, targetLength >>> 0);
        if (typeof text === "number") return -text;
        if (text === "") return wasi.ERRNO_NOENT;
        const place = find(
          context,
          fd,
          wasi.RIGHTS_PATH_SYMLINK,
          path >>> 0,
          length >>> 0,
          "entry",
        );
        if (typeof place === "number") return -place;
        const outside = text.startsWith("/") && !isBelow(text, place.parent.tree.path);
        return outside ? wasi.ERRNO_NOTCAPABLE : makeLink(place, text);
      });
    },
    path_readlink(
      fd: number,
      path: number,
      length: number,
      buffer: number,
      room: number,
      result: number,
    ) {
      path >>>= 0;
      length >>>= 0;
      buffer >>>= 0;
      room >>>= 0;
      result >>>= 0;
      if (!memory.fits(path, length) || !memory.fits(buffer, room) || !memory.fits(result, 4)) {
        return wasi.ERRNO_FAULT;
      }
      const found = find(context, fd, wasi.RIGHTS_PATH_READLINK, path, length, "nofollow");
      if (typeof found === "number") return -found;
      if (found.node === undefined) return wasi.ERRNO_NOENT;
      if (!(found.node instanceof LinkNode)) return wasi.ERRNO_INVAL;
      const bytes = encoder.encode(found.node.target).subarray(0, room);
      memory.bytes.set(bytes, buffer);
      memory.view.setUint32(result, bytes.length, true);
      return OK;
    },
  };
}

/** An absolute link target has to name something below the tree the link is in, as the guest names it. */
function isBelow(target: string, root: string): boolean {
  const prefix = root === "/" ? "/" : `${root}/`;
  return target.startsWith(prefix) && /[^/]/.test(target.slice(prefix.length));
}

/** Both ranges are checked before anything is looked at. */
function twoPaths(
  { memory }: Context,
  first: number,
  firstLength: number,
  second: number,
  secondLength: number,
  act: () => number,
): number {
  const fits =
    memory.fits(first >>> 0, firstLength >>> 0) && memory.fits(second >>> 0, secondLength >>> 0);
  return fits ? act() : wasi.ERRNO_FAULT;
}
