// Bundles the suite for a page, the library left out: the page loads the built one; Node.

import { rolldown } from "rolldown";

/** The suite's page script, importing the library from `libraryPath`. */
export async function bundleSuite(libraryPath: string): Promise<string> {
  const bundle = await rolldown({
    input: new URL("page.ts", import.meta.url).pathname,
    external: ["sallyport", "sallyport/package"],
  });
  const paths = {
    sallyport: libraryPath,
    "sallyport/package": libraryPath.replace(/index\.js$/, "package.js"),
  };
  const { output } = await bundle.generate({ format: "esm", paths });
  await bundle.close();
  return output[0].code;
}
