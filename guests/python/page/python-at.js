// This Python where its files are served from a folder of the page's own: no bundler takes them along; page and Node.

import { pythonParts } from "./python-parts.js";

/** The files of the package's dist/ in a folder of your own, which ends with a slash. */
export function pythonAt(folder) {
  const names = ["python-started.wasm", "python-deferred.wasm", "python-stdlib.bin"];
  return pythonParts(...names.map((name) => new URL(name, folder)));
}
