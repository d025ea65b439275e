// The functions of WASI preview 1 and of subako_http, with their types; page, worker and Node.
import type { FunctionType } from "./module-facts.ts";

/**
 * Types by name, written as parameters and results: `i` is i32, `I` is i64, so "iIi>i" takes (i32, i64, i32) and
 * returns an i32. Source: wasi_snapshot_preview1.witx, in the ABI that modules import.
 */
const WASI: Readonly<Record<string, string>> = {
  args_get: "ii>i",
  args_sizes_get: "ii>i",
  environ_get: "ii>i",
  environ_sizes_get: "ii>i",
  clock_res_get: "ii>i",
  clock_time_get: "iIi>i",
  fd_advise: "iIIi>i",
  fd_allocate: "iII>i",
  fd_close: "i>i",
  fd_datasync: "i>i",
  fd_fdstat_get: "ii>i",
  fd_fdstat_set_flags: "ii>i",
  fd_fdstat_set_rights: "iII>i",
  fd_filestat_get: "ii>i",
  fd_filestat_set_size: "iI>i",
  fd_filestat_set_times: "iIIi>i",
  fd_pread: "iiiIi>i",
  fd_prestat_get: "ii>i",
  fd_prestat_dir_name: "iii>i",
  fd_pwrite: "iiiIi>i",
  fd_read: "iiii>i",
  fd_readdir: "iiiIi>i",
  fd_renumber: "ii>i",
  fd_seek: "iIii>i",
  fd_sync: "i>i",
  fd_tell: "ii>i",
  fd_write: "iiii>i",
  path_create_directory: "iii>i",
  path_filestat_get: "iiiii>i",
  path_filestat_set_times: "iiiiIIi>i",
  path_link: "iiiiiii>i",
  path_open: "iiiiiIIii>i",
  path_readlink: "iiiiii>i",
  path_remove_directory: "iii>i",
  path_rename: "iiiiii>i",
  path_symlink: "iiiii>i",
  path_unlink_file: "iii>i",
  poll_oneoff: "iiii>i",
  proc_exit: "i>",
  proc_raise: "i>i",
  sched_yield: ">i",
  random_get: "ii>i",
  sock_accept: "iii>i",
  sock_recv: "iiiiii>i",
  sock_send: "iiiii>i",
  sock_shutdown: "ii>i",
};

const SUBAKO_HTTP: Readonly<Record<string, string>> = {
  request: "ii>i",
  read_response: "ii>i",
};

type FunctionTypes = ReadonlyMap<string, FunctionType>;

/** The 46 functions of `wasi_snapshot_preview1` by name. */
export const WASI_FUNCTIONS: FunctionTypes = typesOf(WASI);

/** The functions of `subako_http` by name. */
export const HTTP_FUNCTIONS: FunctionTypes = typesOf(SUBAKO_HTTP);

function typesOf(table: Readonly<Record<string, string>>): FunctionTypes {
  return new Map(
    Object.entries(table).map(([name, type]) => {
      const [params = "", results = ""] = type.split(">");
      return [name, { params: valueTypes(params), results: valueTypes(results) }];
    }),
  );
}

function valueTypes(letters: string): string[] {
  return Array.from(letters, (letter) => (letter === "I" ? "i64" : "i32"));
}

/** A type as people read it: "(i32, i64) -> (i32)". */
export function typeText({ params, results }: FunctionType): string {
  return `(${params.join(", ")}) -> (${results.join(", ")})`;
}
