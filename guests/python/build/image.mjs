// The image that runs of the core start from, made by the library itself: its init is called once, here; Node.
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "../../../scripts/build.mjs";
import { installPackages } from "../../../scripts/install-packages.mjs";
import { root } from "../../../scripts/run-command.mjs";
import { python } from "../page/options.js";
import { cache, runStep } from "./run-step.mjs";

/** What says how an image is made and written. */
const FORMAT = [
  "src/page/snapshot-image.ts",
  "src/worker/snapshot-memory.ts",
  "src/worker/snapshot.ts",
];

/**
 * Makes `python-core.snapshot` in guests/python/dist.
 *
 * @returns {Promise<boolean>} whether it is there: the library is built for it, which needs the packages of npm
 */
export async function makeImage() {
  const target = fileURLToPath(python.snapshot.image);
  rmSync(target, { force: true }); // an old one would fit nothing
  if (!(await installPackages())) return false;
  await build();
  const kept = join(cache, "core.snapshot");
  const { image: _, ...snapshot } = python.snapshot;
  await runStep("image", {
    inputs: [
      readFileSync(python.module),
      readFileSync(Object.values(python.library)[0]),
      JSON.stringify(snapshot),
      ...FORMAT.map((file) => readFileSync(join(root, file))),
    ],
    output: kept,
    work: async () => {
      const entry = pathToFileURL(join(root, "dist/node.js")).href;
      const { createSandbox } = await import(entry);
      const sandbox = await createSandbox({ ...python, snapshot });
      // Plain: a server packs it on its way, as it packs the module, and no script has to unpack it.
      writeFileSync(kept, await sandbox.snapshotImage({ gzip: false }));
      sandbox.close();
    },
  });
  copyFileSync(kept, target);
  return existsSync(target);
}
