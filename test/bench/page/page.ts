// The script of the bench's page: what the driver calls by name; page.

import * as api from "sallyport";
import { largeAnswers } from "./answers.ts";
import type { BenchEnv } from "./bench-env.ts";
import { lateDoorCalls, sharedDoorCalls, suspendingDoorCalls } from "./door-calls.ts";
import { fileRuns } from "./file-runs.ts";
import { manyPackageCalls, packageCalls } from "./package-calls.ts";
import { plainWasiCalls } from "./wasi-calls.ts";

const env: BenchEnv = {
  api,
  guest: (name) => new URL(`../guests/${name}.wasm`, location.href).href,
  script: (name) => new URL(`${name}.js`, location.href).href,
};

const benches = {
  sharedDoorCalls,
  suspendingDoorCalls,
  lateDoorCalls,
  plainWasiCalls,
  fileRuns,
  largeAnswers,
  packageCalls,
  manyPackageCalls,
};

/** The benches as the driver sees them, without what the page gives them itself. */
export type PageBenches = {
  [Name in keyof typeof benches]: (typeof benches)[Name] extends (
    env: BenchEnv,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

(globalThis as { bench?: unknown }).bench = Object.fromEntries(
  Object.entries(benches).map(([name, bench]) => [
    name,
    (...rest: never[]) => (bench as (...all: unknown[]) => unknown)(env, ...rest),
  ]),
);
