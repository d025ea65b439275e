// The common suite in Chromium, on pages with each kind of header; Node, driving Chromium.

import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { HeaderMode, StaticServer } from "../static-server.ts";
import { ALL, retriesOf } from "../suite/all.ts";
import { bundleSuite } from "../suite/bundle.ts";
import { suiteSite } from "../suite/site.ts";

const MODES: readonly HeaderMode[] = ["coi", "dip", "plain", "csp", "csp-tt"];
/** CPython is slow to start; the modes that differ in how a guest blocks run it, the rest are the same code. */
const WITH_PYTHON: readonly HeaderMode[] = ["coi", "plain", "csp-tt"];

interface SuitePage {
  startCase(name: string): void;
  report: { problem?: string } | undefined;
  problems: string[];
}

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  const site = suiteSite();
  server = await serveStatic({
    ...site,
    files: {
      ...site.files,
      "/suite/":
        '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
      "/suite/page.js": await bundleSuite("../dist/index.js"),
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function openSuite(mode: HeaderMode): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(server.url(`/suite/?mode=${mode}`, mode));
  await page.waitForFunction(() => "startCase" in globalThis);
  return page;
}

describe.each(MODES)("%s", (mode) => {
  const transport = mode === "coi" || mode === "dip" ? "shared-memory" : "suspending";
  let page: Page;
  beforeAll(async () => {
    page = await openSuite(mode);
  });
  afterAll(async () => {
    await page?.close();
  });

  for (const { name, skip, once, timeoutMs = 20_000 } of ALL.values()) {
    if (once && mode !== MODES[0]) continue;
    if (name.startsWith("python") && !WITH_PYTHON.includes(mode)) continue;
    const reason = skip?.({ mode, transport });
    test.skipIf(reason)(
      reason ? `${name} (${reason})` : name,
      { timeout: timeoutMs + 5_000, retry: retriesOf(name) },
      async () => {
        await page.evaluate(
          (wanted) => (globalThis as unknown as SuitePage).startCase(wanted),
          name,
        );
        const handle = await page.waitForFunction(
          () => (globalThis as unknown as SuitePage).report,
          undefined,
          { timeout: timeoutMs, polling: 50 },
        );
        const report = (await handle.jsonValue())!;
        expect(report.problem).toBeUndefined();
        const problems = await page.evaluate(() =>
          (globalThis as unknown as SuitePage).problems.splice(0),
        );
        expect(problems).toEqual([]);
      },
    );
  }

  test("no worker is left but the spares of an open sandbox", async () => {
    // A terminated worker may compute for two seconds more.
    await expect.poll(() => page.workers().length, { timeout: 10_000 }).toBeLessThanOrEqual(2);
  });

  test("not one policy report", () => {
    expect(server.reports).toEqual([]);
  });
});
