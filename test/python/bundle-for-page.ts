// A script of this folder as one file for a page beside which the built library lies; Node.

import { rolldown } from "rolldown";

/** `sallyport` is imported from `../dist/index.js`. */
export async function bundleForPage(name: string): Promise<string> {
  const bundle = await rolldown({
    input: new URL(name, import.meta.url).pathname,
    external: ["sallyport"],
  });
  const { output } = await bundle.generate({
    format: "esm",
    paths: { sallyport: "../dist/index.js" },
    codeSplitting: false,
  });
  await bundle.close();
  return output[0].code;
}
