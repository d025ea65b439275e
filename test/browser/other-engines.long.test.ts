// The common suite and Python's behaviours in Firefox and WebKitGTK, where they are installed; Node. Needs a built dist/.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleForPage } from "../python/bundle-for-page.ts";
import { ALL as PYTHON_CASES } from "../python/all.ts";
import { buildsThere, PYTHON } from "../python/builds.ts";
import type { StaticServerOptions } from "../static-server.ts";
import { ALL, retriesOf } from "../suite/all.ts";
import { bundleSuite } from "../suite/bundle.ts";
import { suiteSite } from "../suite/site.ts";
import { EngineCases } from "./engine-cases.ts";
import { otherEngines } from "./engine.ts";

const root = new URL("../..", import.meta.url).pathname;
const engines = otherEngines();
/** Three tries to start a browser. */
const START_MS = 30_000;

describe.skipIf(engines.size === 0).each([...engines])("%s", (_, engine) => {
  describe.each(engine.modes)("suite, %s", (mode) => {
    let at: EngineCases;
    beforeAll(async () => {
      const { folders, files } = suiteSite();
      const page = { "/cases/page.js": await bundleSuite("../dist/index.js") };
      at = await EngineCases.open(engine, mode, `mode=${mode}`, {
        folders,
        files: { ...files, ...page },
      });
    });
    afterAll(() => at?.close());

    for (const { name, skip, timeoutMs = 20_000 } of ALL.values()) {
      const transport = mode === "coi" ? "shared-memory" : "suspending";
      const { cases, reason: lack } = engine.lacks ?? {};
      const reason = cases?.test(name) ? lack : skip?.({ mode, transport });
      const options = { timeout: timeoutMs + START_MS, retry: retriesOf(name) };
      test.skipIf(reason)(reason ? `${name} (${reason})` : name, options, async () => {
        expect(await at.run(name, timeoutMs)).toEqual([]);
      });
    }
  });

  const builds = buildsThere().flatMap((build) =>
    engine.modes.map((mode) => [build, mode] as const),
  );
  describe.each(builds)("python, %s, %s", (build, mode) => {
    let at: EngineCases;
    beforeAll(async () => {
      at = await EngineCases.open(engine, mode, `build=${build}`, await pythonSite());
    });
    afterAll(() => at?.close());

    for (const { name, skip } of PYTHON_CASES) {
      const reason = skip?.(build);
      const options = { timeout: 90_000 + START_MS };
      test.skipIf(reason)(reason ? `${name} (${reason})` : name, options, async () => {
        expect(await at.run(name, 90_000)).toEqual([]);
      });
    }
  });
});

async function pythonSite(): Promise<StaticServerOptions> {
  return {
    folders: { "/dist": `${root}dist`, "/shipped": `${root}guests/python/dist` },
    files: {
      "/cases/page.js": await bundleForPage("page.ts"),
      ...Object.fromEntries(
        buildsThere().map((build) => [`/interpreters/${build}.wasm`, readFileSync(PYTHON[build])]),
      ),
    },
  };
}
