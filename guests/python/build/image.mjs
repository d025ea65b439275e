// The core as it has started: its init is called once, here, by the library itself, and the memory put into the module; Node.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "../../../scripts/build.mjs";
import { installPackages } from "../../../scripts/install-packages.mjs";
import { root } from "../../../scripts/run-command.mjs";
import { python } from "../page/options.js";
import { cache, run, runStep } from "./run-step.mjs";
import { splitModule } from "./split-module.mjs";
import { startModule } from "./start-module.mjs";
import { tools } from "./toolchain.mjs";

/** What says how an image is made and written. */
const FORMAT = [
  "src/page/snapshot-image.ts",
  "src/worker/snapshot-memory.ts",
  "src/worker/snapshot.ts",
];

/** What is imported before any run. */
const SNAPSHOT = {
  init: "snapshot_init",
  run: "snapshot_run",
  args: ["json", "re", "datetime", "random"],
};
const LOADER = "load_deferred";
const EXPORTS = [
  ...["memory", "host_alloc", "__stack_pointer", "snapshot_run"],
  ...[LOADER, "__indirect_function_table"],
];

/**
 * Makes `python-started.wasm` and `python-deferred.wasm` in guests/python/dist.
 *
 * @returns {Promise<boolean>} whether it is there: the library is built for it, which needs the packages of npm
 */
export async function makeImage() {
  const [target, rest] = [python.module, python.deferredCode].map(fileURLToPath);
  const core = fileURLToPath(new URL("python-core.wasm", python.module));
  const library = readFileSync(Object.values(python.library)[0]);
  for (const name of [target, rest]) rmSync(name, { force: true }); // old ones would fit nothing
  if (!(await installPackages())) return false;
  await build();
  const kept = join(cache, "core.snapshot");
  await runStep("image", {
    inputs: [
      readFileSync(core),
      library,
      JSON.stringify(SNAPSHOT),
      ...FORMAT.map((file) => readFileSync(join(root, file))),
    ],
    output: kept,
    work: async () => {
      const entry = pathToFileURL(join(root, "dist/node.js")).href;
      const { createSandbox } = await import(entry);
      const sandbox = await createSandbox({
        library: python.library,
        module: readFileSync(core),
        snapshot: SNAPSHOT,
      });
      writeFileSync(kept, await sandbox.snapshotImage({ gzip: false }));
      sandbox.close();
    },
  });
  const [linked, whole] = [join(cache, "started.wasm"), join(cache, "started-whole.wasm")];
  writeFileSync(linked, startModule(readFileSync(core), readFileSync(kept), EXPORTS));
  // What only a start needs is called no more.
  const words = ["--remove-unused-module-elements", "--strip-producers", linked, "-o", whole];
  await run(tools.wasmOpt, words);
  const { profileTypical } = await import("./profile.mjs"); // takes a package of npm
  const { primary, deferred } = await splitModule(
    readFileSync(whole),
    (counting) => profileTypical(counting, library, LOADER),
    LOADER,
  );
  writeFileSync(rest, deferred);
  writeFileSync(target, primary);
  return existsSync(target);
}
