// Python's behaviours in Node, on worker threads, with the built package; Node.

import { pathToFileURL } from "node:url";
import { afterAll, describe, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { ALL } from "./all.ts";
import { buildsThere, PYTHON } from "./builds.ts";
import { sandboxOptions, type PythonEnv } from "./python-case.ts";

const entry = new URL("../../dist/node.js", import.meta.url).href;
const api = (await import(entry)) as typeof Sallyport;

describe.each(buildsThere())("%s", (build) => {
  let made: Promise<Sallyport.Sandbox> | undefined;
  const env: PythonEnv = {
    api,
    build,
    module: pathToFileURL(PYTHON[build]),
    sandbox: () => (made ??= api.createSandbox(sandboxOptions(build, env.module))),
  };
  afterAll(async () => (await made)?.close());

  for (const { name, run, skip } of ALL) {
    const reason = skip?.(build);
    test.skipIf(reason)(reason ? `${name} (${reason})` : name, { timeout: 60_000 }, () => run(env));
  }
});
