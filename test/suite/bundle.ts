// Bundles the suite for a page, the library left out: the page loads the built one; Node.

import { rolldown } from "rolldown";

/** The suite's page script, importing the library from `libraryPath`. */
export async function bundleSuite(libraryPath: string): Promise<string> {
  const bundle = await rolldown({
    input: new URL("page.ts", import.meta.url).pathname,
    external: ["sallyport"],
  });
  const { output } = await bundle.generate({ format: "esm", paths: { sallyport: libraryPath } });
  await bundle.close();
  return output[0].code;
}
