// What createSandbox takes for the parts of this Python, wherever they are; page and Node.

/** Where the interpreter looks for its library. */
const STDLIB = "/lib/python3.11/stdlib.bin";

/**
 * Three URLs: the interpreter, which has started and imported what most programs do; the rest of its code, which few programs
 * call; and its standard library.
 */
export function pythonParts(module, deferredCode, library) {
  const snapshot = { run: "snapshot_run" };
  return { module, deferredCode, library: { [STDLIB]: library }, snapshot };
}
