// What createSandbox takes for this Python: the interpreter, its standard library, and the image that runs start from; page and Node.

/** What the image was made with; an image fits nothing else. */
const snapshot = {
  init: "snapshot_init",
  run: "snapshot_run",
  args: ["json", "re", "datetime", "random"],
};

/** Where the interpreter looks for its library. */
const STDLIB = "/lib/python3.11/stdlib.bin";

/** The files of this package. Bundlers see which ones they are. */
export const python = {
  module: new URL("../dist/python-core.wasm", import.meta.url),
  library: { [STDLIB]: new URL("../dist/python-stdlib.bin", import.meta.url) },
  snapshot: { ...snapshot, image: new URL("../dist/python-core.snapshot", import.meta.url) },
};

/** The same files in a folder of your own, which ends with a slash. */
export function pythonAt(folder) {
  return {
    module: new URL("python-core.wasm", folder),
    library: { [STDLIB]: new URL("python-stdlib.bin", folder) },
    snapshot: { ...snapshot, image: new URL("python-core.snapshot", folder) },
  };
}
