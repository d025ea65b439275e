// The Pythons that the playground can run, the one that starts fastest first; page.
import { pythonAt } from "@sallyport/python/at";
import type { SandboxOptions } from "sallyport";

/** Vite's settings put it in: whether guests/ has our Python in parts (scripts/copy-guests.mjs). */
declare const PYTHON_IN_PARTS: boolean;

/** One that can be tried. */
export interface Interpreter {
  readonly options: SandboxOptions;
  /** What the page calls it, once it is known whether its runs start from a snapshot. */
  readonly name: (snapshot: boolean) => string;
}

/**
 * guests/python.wasm is our own CPython where it was built, else a stock one, which has no such exports and does without.
 * Modules that the page's tools and a traceback need are imported before any run.
 */
const whole: Interpreter = {
  options: {
    module: new URL("guests/python.wasm", document.baseURI),
    snapshot: {
      init: "snapshot_init",
      run: "snapshot_run",
      args: ["json", "re", "random", "datetime", "keyword"],
      optional: true,
    },
  },
  name: (snapshot) => (snapshot ? "our CPython" : "stock CPython"),
};

/** Loads a third of the bytes before the first run, and an interpreter that has started already. */
const inParts: Interpreter = {
  options: pythonAt(new URL("guests/", document.baseURI)),
  name: () => "our CPython, already started",
};

export const INTERPRETERS: readonly [Interpreter, ...Interpreter[]] = PYTHON_IN_PARTS
  ? [inParts, whole]
  : [whole];
