// The four socket imports: nothing a guest holds is ever a socket; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { IOVECS } from "../../limits.ts";
import type { Context, Imports } from "./context.ts";
import { OpenDirectory } from "./open-directory.ts";

/**
 * Imports of this group: NOTSOCK for files and streams; BADF for a number that is not open, and for a folder, as for
 * every other use of a folder as a stream.
 */
export function socketImports({ memory, table }: Context): Imports {
  const refuse = (fd: number): number => {
    const descriptor = table.get(fd >>> 0);
    const isStream = descriptor !== undefined && !(descriptor instanceof OpenDirectory);
    return isStream ? wasi.ERRNO_NOTSOCK : wasi.ERRNO_BADF;
  };
  const checked = (fd: number, iovs: number, count: number, ...results: number[]): number => {
    count >>>= 0;
    if (!memory.fits(iovs >>> 0, count * 8)) return wasi.ERRNO_FAULT;
    for (const result of results) if (!memory.fits(result >>> 0, 4)) return wasi.ERRNO_FAULT;
    return count > IOVECS ? wasi.ERRNO_INVAL : refuse(fd);
  };
  return {
    plain: {
      sock_accept: (fd: number, _flags: number, result: number) =>
        memory.fits(result >>> 0, 4) ? refuse(fd) : wasi.ERRNO_FAULT,
      sock_recv: (
        fd: number,
        iovs: number,
        count: number,
        _flags: number,
        length: number,
        flags: number,
      ) => checked(fd, iovs, count, length, flags),
      sock_send: (fd: number, iovs: number, count: number, _flags: number, length: number) =>
        checked(fd, iovs, count, length),
      sock_shutdown: (fd: number) => refuse(fd),
    },
    blocking: {},
  };
}
