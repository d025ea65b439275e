// The playground's accessibility and layout, in both themes and at a phone's width; Node, driving Chromium.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildSite } from "../../scripts/build-site.mjs";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { Playground } from "./playground-driver.ts";
import { wheelFile } from "./wheel-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const axeSource = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  const site = await buildSite({ outDir: `${root}.cache/site-look` });
  server = await serveStatic({ folders: { "/": site }, mode: "coi" });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** What axe finds at all, minor matters included. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<AxeResults> } };
    return axe.run();
  });
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${impact} ${id} ${target.join(" ")} ${failureSummary}`,
    ),
  );
}

/** One that needs another, and one that is refused. */
async function addPackages(page: Page): Promise<void> {
  const needy = wheelFile(
    "needy-1.0-py3-none-any.whl",
    { "needy.py": "" },
    "Requires-Dist: rope\n",
  );
  const native = wheelFile("native-1.0-cp311-cp311-manylinux_2_17_x86_64.whl", {});
  await page.locator("#packages-file").setInputFiles([needy, native]);
  await page.locator("#packages-problems p").waitFor();
}

const sidewaysScroll = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  let playground: Playground;
  beforeAll(async () => {
    playground = await Playground.open(browser, server.url("/"), { colorScheme });
  });

  test("axe finds nothing before, during and after a run", async () => {
    const { page } = playground;
    expect(await findings(page)).toEqual([]);
    await playground.start();
    await playground.gate.waitFor();
    expect(await findings(page)).toEqual([]);
    await playground.button("Allow").click();
    await playground.ended();
    await page.locator(".tools-card summary").click();
    await page.locator(".page-card summary").click();
    await page.locator("#page-text").waitFor();
    await page.locator("#calls summary").first().click();
    expect(await findings(page)).toEqual([]);
  });

  test("axe finds nothing beside errors, files and a question", async () => {
    const { page } = playground;
    await playground.start(`import sys
open("/note.txt", "w").write("x")
print("trouble", file=sys.stderr)
input("well? ")`);
    await page.locator("#input-form.asked").waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.type("yes\n");
    await playground.ended();
    await page.locator("#files a").waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test("axe finds nothing beside packages, those that are taken and those that are not", async () => {
    const { page } = playground;
    await page.locator(".packages-card summary").click();
    expect(await findings(page)).toEqual([]);
    await addPackages(page);
    expect(await findings(page)).toEqual([]);
  });

  test("the page has the theme's colours, the button changes them and is remembered", async () => {
    const { page } = playground;
    const other = colorScheme === "dark" ? "light" : "dark";
    const isDark = (): Promise<boolean> =>
      page.evaluate(() => {
        const [red = 0] = getComputedStyle(document.documentElement)
          .backgroundColor.match(/\d+/g)!
          .map(Number);
        return red < 128;
      });
    const toggle = page.getByRole("button", { name: "Dark theme" });
    expect(await isDark()).toBe(colorScheme === "dark");
    expect(await toggle.getAttribute("aria-pressed")).toBe(String(colorScheme === "dark"));
    await toggle.click();
    expect(await isDark()).toBe(other === "dark");
    await page.reload();
    await playground.waitForStatus(/^Ready$/, 30_000);
    expect(await isDark()).toBe(other === "dark");
    expect(await findings(page)).toEqual([]);
    await playground.close();
  });
});

test("a phone's width: nothing sticks out, everything can be used", async () => {
  const playground = await Playground.open(browser, server.url("/"), {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { page } = playground;
  expect(await sidewaysScroll(page)).toBe(0);
  expect((await playground.editor.boundingBox())!.height).toBeGreaterThan(250);
  await page.locator("#run").tap();
  await playground.gate.waitFor();
  expect(await sidewaysScroll(page)).toBe(0);
  await playground.button("Allow").tap();
  await playground.ended();
  await playground.example("errors");
  await page.locator("#run").tap();
  await playground.ended();
  await page.locator(".tools-card summary").tap();
  await page.locator(".page-card summary").tap();
  await page.locator("#page-text").waitFor();
  await page.locator(".packages-card summary").tap();
  await addPackages(page);
  expect(await sidewaysScroll(page)).toBe(0);
  const wide = [
    "run",
    "stop",
    "examples",
    "input-line",
    "lamps",
    "calls",
    "page-list",
    "page-text",
    "packages-drop",
    "packages-form",
    "packages-problems",
    "packages-list",
  ];
  for (const id of wide) {
    const box = (await page.locator(`#${id}`).boundingBox())!;
    expect(box.x, id).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, id).toBeLessThanOrEqual(390);
  }
  expect(await findings(page)).toEqual([]);
  await playground.close();
});
