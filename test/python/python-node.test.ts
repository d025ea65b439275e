// Python's behaviours in Node, on worker threads, with the built package; Node.

import { pathToFileURL } from "node:url";
import { afterAll, describe, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { ALL } from "./all.ts";
import { buildsThere, PYTHON } from "./builds.ts";
import type { PythonEnv } from "./python-case.ts";

const entry = new URL("../../dist/node.js", import.meta.url).href;
const api = (await import(entry)) as typeof Sallyport;

describe.each(buildsThere())("%s", (build) => {
  const made = new Map<boolean, Promise<Sallyport.Sandbox>>();
  const env: PythonEnv = {
    api,
    build,
    sandbox: (snapshot = false) => {
      const known = made.get(snapshot);
      if (known) return known;
      const sandbox = api.createSandbox({ module: pathToFileURL(PYTHON[build]) });
      made.set(snapshot, sandbox);
      return sandbox;
    },
  };
  afterAll(async () => {
    for (const sandbox of made.values()) (await sandbox).close(); // oxlint-disable-line no-await-in-loop
  });

  for (const { name, run, skip } of ALL) {
    const reason = skip?.(build);
    test.skipIf(reason)(reason ? `${name} (${reason})` : name, { timeout: 60_000 }, () => run(env));
  }
});
