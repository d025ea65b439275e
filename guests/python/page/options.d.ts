// What createSandbox takes for this Python; page and Node.

/** Options of createSandbox. */
export interface PythonOptions {
  readonly module: URL;
  readonly library: Readonly<Record<string, URL>>;
  readonly snapshot: {
    readonly init: string;
    readonly run: string;
    readonly args: readonly string[];
    readonly image: URL;
  };
}

/**
 * The files of this package.
 *
 * @example
 * import { python } from "@sallyport/python/options";
 * const sandbox = await createSandbox({ ...python, maxGuests: 2 });
 * const { stdoutText } = await sandbox.run({ args: ["-c", "print(6 * 7)"] }).result;
 */
export declare const python: PythonOptions;

/**
 * The same files in a folder of your own: an absolute URL that ends with a slash.
 *
 * @example
 * const sandbox = await createSandbox(pythonAt(new URL("/guests/", location.href)));
 */
export declare function pythonAt(folder: string | URL): PythonOptions;
