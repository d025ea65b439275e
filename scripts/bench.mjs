// `npm run bench`: installs what is missing, builds, bundles test/bench/main.ts for Node and runs it. Node.
import "./require-node.mjs";
import { join } from "node:path";
import { argv } from "node:process";
import { build } from "./build.mjs";
import { copyGuests } from "./copy-guests.mjs";
import { installChromium } from "./install-chromium.mjs";
import { installPackages } from "./install-packages.mjs";
import { root, runCommand } from "./run-command.mjs";

const timeoutMs = 60 * 60_000;
// --json owns stdout, so everything said on the way goes to stderr.
const log = (line) => console.error(line);

if (!(await installPackages({ log }))) process.exit(1);
const path = await installChromium({ log });
if (path === null) process.exit(1);
await build({ log });
copyGuests({ log });

const { rolldown } = await import("rolldown");
const bundler = await rolldown({
  input: join(root, "test/bench/main.ts"),
  cwd: root,
  platform: "node",
  tsconfig: false,
  external: (id) => !id.startsWith(".") && !id.startsWith("/") && !/^[A-Za-z]:/.test(id),
});
const file = join(root, ".cache/bench/main.mjs");
await bundler.write({ file, format: "es", codeSplitting: false });
await bundler.close();

const env = { SALLYPORT_CHROMIUM: path, SALLYPORT_ROOT: root };
const result = await runCommand(process.execPath, [file, ...argv.slice(2)], { timeoutMs, env });
process.exitCode = result.ok ? 0 : 1;
