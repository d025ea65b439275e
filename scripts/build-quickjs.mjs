// `npm run build:quickjs`: QuickJS for WASI with the door built in, from Debian's source and compiler; Node built-ins only.
//
// The result is guests/quickjs/dist/. Where it cannot be built it says why in one line and ends well.
import "./require-node.mjs";
import { mkdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { cache, CannotBuild } from "../guests/python/build/run-step.mjs";
import { findToolchain } from "../guests/python/build/toolchain.mjs";
import { buildQuickjs } from "../guests/quickjs/build/quickjs.mjs";

mkdirSync(cache, { recursive: true });
try {
  await findToolchain();
  const bytes = readFileSync(await buildQuickjs());
  console.log(
    `quickjs.wasm: ${bytes.length} bytes, ${gzipSync(bytes, { level: 6 }).length} packed`,
  );
} catch (error) {
  if (error instanceof CannotBuild) console.log(`QuickJS is not built here: ${error.message}.`);
  else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
