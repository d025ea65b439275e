// The types of wheels.js, the page's half of @sallyport/python.

import type { Image } from "sallyport";

/** Where a wheel comes from: a file that a person gave, an answer of `fetch`, or bytes with `fileName`. */
export type WheelSource = Blob | Response | Uint8Array | ArrayBuffer;

/** What can be wrong with a wheel. */
export type WheelErrorCode =
  | "not_a_wheel"
  | "not_loaded"
  | "damaged"
  | "too_large"
  | "native_code"
  | "wrong_python"
  | "name_clash";

/** Thrown for a wheel that cannot be imported; the message is a sentence for a person. */
export class WheelError extends Error {
  readonly code: WheelErrorCode;
  readonly fileName: string;
}

/** A wheel that has been read and found good. */
export interface Wheel {
  /** As it has to be named in the folder; the name tells what a wheel is for. */
  readonly fileName: string;
  readonly name: string;
  readonly version: string;
  /** What can be imported from it, by the first name. */
  readonly modules: readonly string[];
  /** Names of packages that it always needs, in lower case with dashes; nothing fetches them. */
  readonly requires: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Options of {@link readWheel}. */
export interface WheelOptions {
  /** Needed for bytes and for a Blob; else the name of the file, or the last part of the answer's URL. */
  readonly fileName?: string;
  /** The Python that is to import it. Default "3.11", which this package holds; the stock build is "3.12". */
  readonly python?: string;
  /** The largest wheel in bytes; 64 MiB by default. */
  readonly maxBytes?: number;
}

/**
 * Reads a wheel, all of it, and says whether a guest can import it.
 *
 * @throws WheelError `native_code` by its name or by a library in it, `wrong_python` by its name or its Requires-Python,
 * `damaged` by the archive's checksums, and `not_a_wheel`, `not_loaded`, `too_large`.
 * @example
 * const wheel = await readWheel(file);
 * const other = await readWheel(await fetch("/wheels/tabulate-0.9.0-py3-none-any.whl"));
 */
export function readWheel(source: WheelSource, options?: WheelOptions): Promise<Wheel>;

/**
 * What `run` takes to import these wheels: a folder `/packages`, and PYTHONPATH for builds of Python that do not look there
 * by themselves. Make it once and give it to any number of runs. The standard library comes first, then wheels by name.
 *
 * @throws WheelError `name_clash` for the same package twice, or one module in two wheels.
 * @example
 * sandbox.run({ args: ["/main.py"], files: { "/main.py": program }, ...wheelFolder([wheel, other]) });
 */
export function wheelFolder(wheels: readonly Wheel[]): {
  readonly mounts: { readonly "/packages": Image };
  readonly env: { readonly PYTHONPATH: string };
};

/** A package's name as names are compared: lower case, with single dashes. */
export function plainName(name: string): string;
