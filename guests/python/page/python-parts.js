// What createSandbox takes for the parts of this Python, wherever they are; page and Node.

/** What the image was made with; an image fits nothing else. */
const snapshot = {
  init: "snapshot_init",
  run: "snapshot_run",
  args: ["json", "re", "datetime", "random"],
};

/** Where the interpreter looks for its library. */
const STDLIB = "/lib/python3.11/stdlib.bin";

/** Three URLs: the interpreter, its standard library, and the image that runs start from. */
export function pythonParts(module, library, image) {
  return { module, library: { [STDLIB]: library }, snapshot: { ...snapshot, image } };
}
