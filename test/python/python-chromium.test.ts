// Python's behaviours in Chromium, on a cross-origin isolated page and on a plain one; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { ALL } from "./all.ts";
import { buildsThere, PYTHON } from "./builds.ts";
import { bundleForPage } from "./bundle-for-page.ts";

const root = new URL("../..", import.meta.url).pathname;
const builds = buildsThere();
let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/shipped": `${root}guests/python/dist` },
    files: {
      "/python/":
        '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
      "/python/page.js": await bundleForPage("page.ts"),
      ...Object.fromEntries(
        builds.map((build) => [`/interpreters/${build}.wasm`, readFileSync(PYTHON[build])]),
      ),
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

// The stock build's own speed makes one mode of it enough; how a guest blocks is the library's business.
const RUNS = builds.flatMap((build) =>
  (build === "stock" ? (["coi"] as const) : (["coi", "plain"] as const)).map(
    (mode) => [build, mode] as const,
  ),
);

describe.each(RUNS)("%s, %s", (build, mode) => {
  let page: Page;
  beforeAll(async () => {
    page = await browser.newPage();
    await page.goto(server.url(`/python/?build=${build}`, mode));
    await page.waitForFunction(() => "runCase" in globalThis);
  });
  afterAll(async () => {
    await page?.close();
  });

  for (const { name, skip } of ALL) {
    const reason = skip?.(build);
    test.skipIf(reason)(reason ? `${name} (${reason})` : name, { timeout: 90_000 }, async () => {
      const problem = await page.evaluate(
        (wanted) =>
          (globalThis as unknown as { runCase(n: string): Promise<string | undefined> }).runCase(
            wanted,
          ),
        name,
      );
      expect(problem).toBeUndefined();
    });
  }
});
