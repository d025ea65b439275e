// What createSandbox takes for this Python: the interpreter as it has started, the rest of it, and its library; page and Node.

import { pythonParts } from "./python-parts.js";

export { pythonAt } from "./python-at.js";

/** The files of this package. Bundlers see which ones they are, and take them along. */
export const python = pythonParts(
  new URL("../dist/python-started.wasm", import.meta.url),
  new URL("../dist/python-deferred.wasm", import.meta.url),
  new URL("../dist/python-stdlib.bin", import.meta.url),
);
