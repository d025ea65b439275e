// This Python where its files are served from a folder of the page's own: no bundler takes them along; page and Node.

/** Options of createSandbox. */
export interface PythonOptions {
  readonly module: URL;
  readonly deferredCode: URL;
  readonly library: Readonly<Record<string, URL>>;
  readonly snapshot: { readonly run: string };
}

/**
 * The files of the package's `dist/` in a folder of your own: an absolute URL that ends with a slash.
 *
 * @example
 * import { pythonAt } from "@sallyport/python/at";
 * const sandbox = await createSandbox(pythonAt(new URL("/guests/", location.href)));
 */
export declare function pythonAt(folder: string | URL): PythonOptions;
