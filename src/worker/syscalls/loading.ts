// Imports of a run with a granted folder: what is not here yet is asked from the page, then the import starts again; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { NotLoaded } from "../../files/not-loaded.ts";
import type { BlockingEntry, BlockingImport, Step } from "../../wire/blocking-call.ts";
import type { Imports } from "./context.ts";

/** Imports that look at files without blocking otherwise, with their parameters. */
const LOOKS: Readonly<Record<string, string>> = {
  fd_readdir: "iiiIi",
  path_create_directory: "iii",
  path_filestat_get: "iiiii",
  path_filestat_set_times: "iiiiIIi",
  path_link: "iiiiiii",
  path_open: "iiiiiIIii",
  path_readlink: "iiiiii",
  path_remove_directory: "iii",
  path_rename: "iiiiii",
  path_symlink: "iiiii",
  path_unlink_file: "iii",
};

/** The same imports, those that look at files now able to wait for the page. */
export function loadingImports({ plain, blocking }: Imports): Imports {
  const rest: Imports["plain"] = {};
  const waiting: Record<string, BlockingEntry> = {};
  for (const [name, run] of Object.entries(plain)) {
    const parameters = LOOKS[name];
    if (parameters === undefined) rest[name] = run;
    else waiting[name] = { parameters, run: loading(run) };
  }
  for (const [name, { parameters, run }] of Object.entries(blocking)) {
    waiting[name] = { parameters, run: loading(run) };
  }
  return { plain: rest, blocking: waiting };
}

function loading(run: BlockingImport): BlockingImport {
  return (...args: unknown[]): Step => {
    const attempt = (): Step => {
      try {
        return run(...args);
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw error;
        return {
          wait: "call",
          kind: "file",
          request: error.request,
          resume: (answer) => {
            const errno = answer.ok ? error.accept(answer.bytes) : wasi.ERRNO_IO;
            return errno === wasi.ERRNO_SUCCESS ? attempt() : errno;
          },
        };
      }
    };
    return attempt();
  };
}
