// Imports on paths: stat, make, remove, and the groups that open and link; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { makeDirectory, removeDirectory, removeFile } from "../../files/change.ts";
import type { Found } from "../../files/look-up.ts";
import type { Context, Imports } from "./context.ts";
import { FILESTAT_BYTES, setTimes, writeStat } from "./filestat.ts";
import { find } from "./find-path.ts";
import { linkImports } from "./path-links.ts";
import { openImport } from "./path-open.ts";

const OK = wasi.ERRNO_SUCCESS;
/** The one lookup flag: follow a link at the end of the path. */
const FOLLOW = 1;

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
      writeStat(memory, pointer, node.filetype, node);
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
  };
}
