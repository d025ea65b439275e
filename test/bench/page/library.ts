// Where a page takes the library from: an app's bundle of it, or its own files; page.

import type { Sallyport } from "./bench-env.ts";

/** As an app's bundler ships it, or file by file, as a page without a bundler loads the package. */
export type Shipped = "app" | "dist";

const folders = { app: "app/", dist: "../dist/" };
const entries = { app: "app.js", dist: "index.js" };

/** Loads it. */
export function importLibrary(shipped: Shipped): Promise<typeof Sallyport> {
  return import(addressIn(shipped, entries[shipped])) as Promise<typeof Sallyport>;
}

/** Its worker's script. */
export function workerScript(shipped: Shipped): string {
  return addressIn(shipped, "worker.js");
}

function addressIn(shipped: Shipped, name: string): string {
  return new URL(folders[shipped] + name, location.href).href;
}
