// Every import with its pointers, and the arguments that put them at the edges of memory; Node and worker.

import { wasi } from "@bjorn3/browser_wasi_shim";

export const PAGE = 65_536;

export type Args = readonly (number | bigint)[];

/** A pointer argument: where it is in the argument list, and how long the range behind it is. */
interface Pointer {
  readonly at: number;
  /** Bytes, or the index of the argument that says how many, times the size of an item. */
  readonly size: number | { readonly argument: number; readonly item: number };
}

export interface Case {
  /** Arguments that succeed (or fail for a reason of their own that is no FAULT). */
  readonly args: Args;
  readonly pointers: readonly Pointer[];
}

const bytes = (at: number, size: number): Pointer => ({ at, size });
const range = (at: number, item = 1): Pointer => ({ at, size: { argument: at + 1, item } });

/** Good arguments point into the first 32 KiB; a file "f" is open as 4. */
export const CASES: Record<string, Case> = {
  args_sizes_get: { args: [0, 8], pointers: [bytes(0, 4), bytes(1, 4)] },
  args_get: { args: [0, 64], pointers: [bytes(0, 4), bytes(1, 6)] },
  environ_sizes_get: { args: [0, 8], pointers: [bytes(0, 4), bytes(1, 4)] },
  environ_get: { args: [0, 64], pointers: [bytes(0, 4), bytes(1, 4)] },
  clock_res_get: { args: [0, 0], pointers: [bytes(1, 8)] },
  clock_time_get: { args: [0, 0n, 0], pointers: [bytes(2, 8)] },
  random_get: { args: [0, 16], pointers: [range(0)] },
  fd_advise: { args: [4, 0n, 0n, 0], pointers: [] },
  fd_allocate: { args: [4, 0n, 1n], pointers: [] },
  fd_close: { args: [99], pointers: [] },
  fd_datasync: { args: [4], pointers: [] },
  fd_sync: { args: [4], pointers: [] },
  fd_fdstat_get: { args: [4, 0], pointers: [bytes(1, 24)] },
  fd_fdstat_set_flags: { args: [4, 0], pointers: [] },
  fd_fdstat_set_rights: { args: [4, 0n, 0n], pointers: [] },
  fd_filestat_get: { args: [4, 0], pointers: [bytes(1, 64)] },
  fd_filestat_set_size: { args: [4, 0n], pointers: [] },
  fd_filestat_set_times: { args: [4, 0n, 0n, 0], pointers: [] },
  fd_pread: { args: [4, 128, 1, 0n, 0], pointers: [range(1, 8), bytes(4, 4)] },
  fd_pwrite: { args: [4, 128, 1, 0n, 0], pointers: [range(1, 8), bytes(4, 4)] },
  fd_read: { args: [4, 128, 1, 0], pointers: [range(1, 8), bytes(3, 4)] },
  fd_write: { args: [4, 128, 1, 0], pointers: [range(1, 8), bytes(3, 4)] },
  fd_prestat_get: { args: [3, 0], pointers: [bytes(1, 8)] },
  fd_prestat_dir_name: { args: [3, 0, 16], pointers: [range(1)] },
  fd_readdir: { args: [3, 256, 200, 0n, 0], pointers: [range(1), bytes(4, 4)] },
  fd_renumber: { args: [99, 98], pointers: [] },
  fd_seek: { args: [4, 0n, 1, 0], pointers: [bytes(3, 8)] },
  fd_tell: { args: [4, 0], pointers: [bytes(1, 8)] },
  path_create_directory: { args: [3, 512, 3], pointers: [range(1)] },
  path_filestat_get: { args: [3, 0, 576, 1, 0], pointers: [range(2), bytes(4, 64)] },
  path_filestat_set_times: { args: [3, 0, 576, 1, 0n, 0n, 0], pointers: [range(2)] },
  path_link: { args: [3, 0, 576, 1, 3, 512, 3], pointers: [range(2), range(5)] },
  path_open: {
    args: [3, 0, 512, 3, wasi.OFLAGS_CREAT, 0n, 0n, 0, 0],
    pointers: [range(2), bytes(8, 4)],
  },
  path_readlink: { args: [3, 640, 1, 256, 16, 0], pointers: [range(1), range(3), bytes(5, 4)] },
  path_remove_directory: { args: [3, 704, 1], pointers: [range(1)] },
  path_rename: { args: [3, 576, 1, 3, 512, 3], pointers: [range(1), range(4)] },
  path_symlink: { args: [576, 1, 3, 512, 3], pointers: [range(0), range(3)] },
  path_unlink_file: { args: [3, 576, 1], pointers: [range(1)] },
  poll_oneoff: {
    args: [1024, 2048, 1, 0],
    pointers: [
      { at: 0, size: { argument: 2, item: 48 } },
      { at: 1, size: { argument: 2, item: 32 } },
      bytes(3, 4),
    ],
  },
  proc_raise: { args: [0], pointers: [] },
  sched_yield: { args: [], pointers: [] },
  sock_accept: { args: [4, 0, 0], pointers: [bytes(2, 4)] },
  sock_recv: { args: [4, 128, 1, 0, 0, 8], pointers: [range(1, 8), bytes(4, 4), bytes(5, 4)] },
  sock_send: { args: [4, 128, 1, 0, 0], pointers: [range(1, 8), bytes(4, 4)] },
  sock_shutdown: { args: [4, 0], pointers: [] },
};

export const lengthsFor = (end: number): number[] => [0, 1, 24, 4096, end, 0xffff_ffff];

export function edges(end: number): number[] {
  return [0, 1, end - 1, end, end + 1, 2 ** 31, 2 ** 32 - 1].map((pointer) => pointer >>> 0);
}

/** Does a range of the case lie outside memory? */
export function outside(entry: Case, args: Args, end: number): boolean {
  return entry.pointers.some(({ at, size }) => {
    const length =
      typeof size === "number" ? size : (Number(args[size.argument]) >>> 0) * size.item;
    return (Number(args[at]) >>> 0) + length > end;
  });
}

export function* variants(entry: Case, end: number): Generator<(number | bigint)[]> {
  for (const { at, size } of entry.pointers) {
    for (const pointer of edges(end)) {
      const lengths = typeof size === "number" ? [undefined] : lengthsFor(end);
      for (const length of lengths) {
        const args = [...entry.args];
        // As WebAssembly passes it: signed.
        args[at] = pointer | 0;
        if (typeof size !== "number" && length !== undefined) args[size.argument] = length | 0;
        yield args;
      }
    }
  }
}
