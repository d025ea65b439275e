// What createSandbox takes for this Python: the interpreter, its standard library, and the image that runs start from; page and Node.

import { pythonParts } from "./python-parts.js";

export { pythonAt } from "./python-at.js";

/** The files of this package. Bundlers see which ones they are, and take them along. */
export const python = pythonParts(
  new URL("../dist/python-core.wasm", import.meta.url),
  new URL("../dist/python-stdlib.bin", import.meta.url),
  new URL("../dist/python-core.snapshot", import.meta.url),
);
