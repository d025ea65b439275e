// Imports on a descriptor as such: stat, flags, rights, sizes, times, close, renumber; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import type { Context, Imports } from "./context.ts";
import { descriptorWith, unsigned64 } from "./context.ts";
import { FILESTAT_BYTES, setTimes, writeStat } from "./filestat.ts";
import { rightsOf } from "./rights.ts";
import { OpenDirectory } from "./open-directory.ts";

const OK = wasi.ERRNO_SUCCESS;
const FDSTAT_BYTES = 24;
const PRESTAT_BYTES = 8;
const ALL_FLAGS =
  wasi.FDFLAGS_APPEND |
  wasi.FDFLAGS_DSYNC |
  wasi.FDFLAGS_NONBLOCK |
  wasi.FDFLAGS_RSYNC |
  wasi.FDFLAGS_SYNC;

/** Are these flags of preview 1? */
export function areFlags(flags: number): boolean {
  return (flags & ~ALL_FLAGS) === 0;
}

/** Imports of this group. `canAllocate` false makes fd_allocate NOTSUP, as function packages have it. */
export function descriptorImports(context: Context, canAllocate: boolean): Imports {
  const { memory, table } = context;
  const plain: Imports["plain"] = {
    fd_close: (fd: number) => table.close(fd >>> 0),
    fd_renumber: (from: number, to: number) => table.renumber(from >>> 0, to >>> 0),
    fd_fdstat_get(fd: number, pointer: number) {
      pointer >>>= 0;
      if (!memory.fits(pointer, FDSTAT_BYTES)) return wasi.ERRNO_FAULT;
      const descriptor = table.get(fd >>> 0);
      if (descriptor === undefined) return wasi.ERRNO_BADF;
      memory.bytes.fill(0, pointer, pointer + FDSTAT_BYTES);
      memory.view.setUint8(pointer, descriptor.filetype);
      memory.view.setUint16(pointer + 2, descriptor.flags, true);
      memory.view.setUint32(pointer + 8, descriptor.rights, true);
      memory.view.setUint32(pointer + 16, descriptor.inheriting, true);
      return OK;
    },
    fd_fdstat_set_flags(fd: number, flags: number) {
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_FDSTAT_SET_FLAGS);
      if (typeof descriptor === "number") return -descriptor;
      return areFlags(flags) ? descriptor.setFlags(flags) : wasi.ERRNO_INVAL;
    },
    fd_fdstat_set_rights(fd: number, base: bigint, inheriting: bigint) {
      const descriptor = table.get(fd >>> 0);
      if (descriptor === undefined) return wasi.ERRNO_BADF;
      const lessBase = rightsOf(base);
      const lessInheriting = rightsOf(inheriting);
      const more = (lessBase & ~descriptor.rights) | (lessInheriting & ~descriptor.inheriting);
      if (more !== 0) return wasi.ERRNO_NOTCAPABLE;
      descriptor.rights = lessBase;
      descriptor.inheriting = lessInheriting;
      return OK;
    },
    ...statImports(context),
    ...sizeImports(context, canAllocate),
    ...prestatImports(context),
  };
  return { plain, blocking: {} };
}

function statImports(context: Context): Imports["plain"] {
  const { memory } = context;
  return {
    fd_filestat_get(fd: number, pointer: number) {
      pointer >>>= 0;
      if (!memory.fits(pointer, FILESTAT_BYTES)) return wasi.ERRNO_FAULT;
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_FILESTAT_GET);
      if (typeof descriptor === "number") return -descriptor;
      writeStat(memory, pointer, descriptor.filetype, descriptor.node);
      return OK;
    },
    fd_filestat_set_times(fd: number, accessed: bigint, modified: bigint, flags: number) {
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_FILESTAT_SET_TIMES);
      if (typeof descriptor === "number") return -descriptor;
      if (descriptor.node === undefined) return wasi.ERRNO_INVAL;
      return setTimes(descriptor.node, accessed, modified, flags);
    },
  };
}

function sizeImports(context: Context, canAllocate: boolean): Imports["plain"] {
  const sync = (right: number) => (fd: number) => {
    const descriptor = descriptorWith(context, fd, right);
    return typeof descriptor === "number" ? -descriptor : OK;
  };
  return {
    fd_sync: sync(wasi.RIGHTS_FD_SYNC),
    fd_datasync: sync(wasi.RIGHTS_FD_DATASYNC),
    fd_filestat_set_size(fd: number, size: bigint) {
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_FILESTAT_SET_SIZE);
      if (typeof descriptor === "number") return -descriptor;
      return descriptor.resize(unsigned64(size));
    },
    fd_allocate(fd: number, offset: bigint, length: bigint) {
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_ALLOCATE);
      if (typeof descriptor === "number") return -descriptor;
      if (!canAllocate) return wasi.ERRNO_NOTSUP;
      if (length === 0n) return wasi.ERRNO_INVAL;
      return descriptor.allocate(unsigned64(offset) + unsigned64(length));
    },
    fd_advise(fd: number, offset: bigint, length: bigint, advice: number) {
      const descriptor = descriptorWith(context, fd, wasi.RIGHTS_FD_ADVISE);
      if (typeof descriptor === "number") return -descriptor;
      const wrong = advice >>> 0 > wasi.ADVICE_NOREUSE || offset < 0n || length < 0n;
      return wrong ? wasi.ERRNO_INVAL : OK;
    },
  };
}

function prestatImports({ memory, table }: Context): Imports["plain"] {
  const nameOf = (fd: number): Uint8Array | undefined => {
    const descriptor = table.get(fd >>> 0);
    return descriptor instanceof OpenDirectory ? descriptor.preopen : undefined;
  };
  return {
    fd_prestat_get(fd: number, pointer: number) {
      pointer >>>= 0;
      if (!memory.fits(pointer, PRESTAT_BYTES)) return wasi.ERRNO_FAULT;
      const name = nameOf(fd);
      if (name === undefined) return wasi.ERRNO_BADF;
      memory.view.setUint32(pointer, 0, true);
      memory.view.setUint32(pointer + 4, name.length, true);
      return OK;
    },
    fd_prestat_dir_name(fd: number, pointer: number, length: number) {
      pointer >>>= 0;
      length >>>= 0;
      if (!memory.fits(pointer, length)) return wasi.ERRNO_FAULT;
      const name = nameOf(fd);
      if (name === undefined) return wasi.ERRNO_BADF;
      if (name.length > length) return wasi.ERRNO_NAMETOOLONG;
      memory.bytes.set(name, pointer);
      return OK;
    },
  };
}
