// Rights of preview 1 as 32-bit numbers, and what each kind of descriptor can have; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";

/** Every right there is; sock_accept, the thirtieth, is missing from the shim's list. */
export const ALL_RIGHTS = 2 ** 30 - 1;

/** What a file can be asked to do. */
export const FILE_RIGHTS =
  wasi.RIGHTS_FD_DATASYNC |
  wasi.RIGHTS_FD_READ |
  wasi.RIGHTS_FD_SEEK |
  wasi.RIGHTS_FD_FDSTAT_SET_FLAGS |
  wasi.RIGHTS_FD_SYNC |
  wasi.RIGHTS_FD_TELL |
  wasi.RIGHTS_FD_WRITE |
  wasi.RIGHTS_FD_ADVISE |
  wasi.RIGHTS_FD_ALLOCATE |
  wasi.RIGHTS_FD_FILESTAT_GET |
  wasi.RIGHTS_FD_FILESTAT_SET_SIZE |
  wasi.RIGHTS_FD_FILESTAT_SET_TIMES |
  wasi.RIGHTS_POLL_FD_READWRITE;

/** What a folder can be asked to do. */
export const DIRECTORY_RIGHTS =
  wasi.RIGHTS_FD_DATASYNC |
  wasi.RIGHTS_FD_FDSTAT_SET_FLAGS |
  wasi.RIGHTS_FD_SYNC |
  wasi.RIGHTS_FD_READDIR |
  wasi.RIGHTS_FD_FILESTAT_GET |
  wasi.RIGHTS_FD_FILESTAT_SET_TIMES |
  wasi.RIGHTS_PATH_CREATE_DIRECTORY |
  wasi.RIGHTS_PATH_CREATE_FILE |
  wasi.RIGHTS_PATH_LINK_SOURCE |
  wasi.RIGHTS_PATH_LINK_TARGET |
  wasi.RIGHTS_PATH_OPEN |
  wasi.RIGHTS_PATH_READLINK |
  wasi.RIGHTS_PATH_RENAME_SOURCE |
  wasi.RIGHTS_PATH_RENAME_TARGET |
  wasi.RIGHTS_PATH_FILESTAT_GET |
  wasi.RIGHTS_PATH_FILESTAT_SET_SIZE |
  wasi.RIGHTS_PATH_FILESTAT_SET_TIMES |
  wasi.RIGHTS_PATH_SYMLINK |
  wasi.RIGHTS_PATH_REMOVE_DIRECTORY |
  wasi.RIGHTS_PATH_UNLINK_FILE;

/** What a stream can be asked to do, besides reading or writing. Without seek and tell it counts as a terminal. */
export const STREAM_RIGHTS =
  wasi.RIGHTS_FD_FDSTAT_SET_FLAGS |
  wasi.RIGHTS_FD_FILESTAT_GET |
  wasi.RIGHTS_FD_SYNC |
  wasi.RIGHTS_FD_DATASYNC |
  wasi.RIGHTS_POLL_FD_READWRITE;

/** The known rights in a 64-bit set as WebAssembly passes it. */
export function rightsOf(bits: bigint): number {
  const number = Number(bits);
  // Below 2^53 the cut to 30 bits is exact, and far cheaper than on bigints.
  return Number.isSafeInteger(number) ? number & ALL_RIGHTS : Number(BigInt.asUintN(30, bits));
}
