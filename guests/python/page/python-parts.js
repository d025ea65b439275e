// What createSandbox takes for the parts of this Python, wherever they are; page and Node.

/** Where the interpreter looks for its library. */
const STDLIB = "/lib/python3.11/stdlib.bin";

/** Two URLs: the interpreter, which has started and imported what most programs do, and its standard library. */
export function pythonParts(module, library) {
  return { module, library: { [STDLIB]: library }, snapshot: { run: "snapshot_run" } };
}
