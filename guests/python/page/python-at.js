// This Python where its files are served from a folder of the page's own: no bundler takes them along; page and Node.

import { pythonParts } from "./python-parts.js";

/** The files of the package's dist/ in a folder of your own, which ends with a slash. */
export function pythonAt(folder) {
  return pythonParts(new URL("python-started.wasm", folder), new URL("python-stdlib.bin", folder));
}
