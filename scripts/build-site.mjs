// `npm run build:site`: makes the playground a static site in site/, for any server of files; Node.
import "./require-node.mjs";
import { join } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { copyGuests } from "./copy-guests.mjs";
import { installPackages } from "./install-packages.mjs";
import { root } from "./run-command.mjs";

/** Browsers that know light-dark() and nesting; for older ones the styles would have to be rewritten. */
const cssBrowsers = ["chrome123", "firefox120", "safari17.5"];

/**
 * Builds the site from what dist/ and public/ hold. Every address in it is relative, so it works in any folder.
 *
 * @param {{ outDir?: string, logLevel?: "info" | "warn" }} [options] `outDir` is emptied first; default site/
 * @returns {Promise<string>} the folder
 */
export async function buildSite({ outDir = join(root, "site"), logLevel = "warn" } = {}) {
  const vite = await import("vite");
  await vite.build({
    configFile: join(root, "vite.config.ts"),
    root,
    logLevel,
    build: { outDir, emptyOutDir: true, cssTarget: cssBrowsers },
  });
  return outDir;
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  if (!(await installPackages())) process.exit(1);
  try {
    await build();
    copyGuests();
    console.log(`The site is in ${await buildSite({ logLevel: "info" })}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
