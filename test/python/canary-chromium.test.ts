// Looks through the memory of the build as it is shipped, in Chromium, for what the run before knew; Node, driving Chromium.

import { existsSync } from "node:fs";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { PYTHON } from "./builds.ts";
import { bundleForPage } from "./bundle-for-page.ts";
import type { CanaryReport } from "./canary-page.ts";

const root = new URL("../..", import.meta.url).pathname;
const there = existsSync(PYTHON.shipped);

describe.skipIf(!there)("the shipped Python", () => {
  let browser: Browser;
  let server: StaticServer;

  beforeAll(async () => {
    browser = await launchChromium();
    server = await serveStatic({
      folders: { "/dist": `${root}dist`, "/shipped": `${root}guests/python/dist` },
      files: {
        "/python/":
          '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
        "/python/page.js": await bundleForPage("canary-page.ts"),
      },
    });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function report(mode: "coi" | "plain"): Promise<CanaryReport> {
    const page = await browser.newPage();
    await page.goto(server.url("/python/", mode));
    await page.waitForFunction(() => "lookForCanary" in globalThis);
    const found = await page.evaluate(() =>
      (globalThis as unknown as { lookForCanary(): Promise<CanaryReport> }).lookForCanary(),
    );
    await page.close();
    expect(found.output).toEqual(["0 seen", "0 seen", "0 25200000", "0 hi"]);
    return found;
  }

  const NONE = [0, 0, 0, 0];

  test("has nothing of a run in the memory that the next one is given, where it is put back", async () => {
    const { during, after } = await report("coi");
    // Each of the two programs asked for the list of tools, and called one.
    expect(during).toHaveLength(4);
    expect(during).toHaveLength(4);
    const [, calling] = during;
    // It was there, in each way of writing it: or this test could not fail.
    const [bytes, ...others] = calling!.at(-1)!;
    expect(bytes).toBeGreaterThan(20_000);
    for (const count of others) expect(count).toBeGreaterThan(0);
    const clean = calling!.map(() => NONE);
    expect(calling!.slice(0, -1)).toEqual(clean.slice(0, -1));
    // The next run has the same memory.
    expect(during.slice(2)).toEqual([clean, clean]);
    expect(after.slice(0, 2)).toEqual([clean, clean]);
    // One that has grown goes, and all that is in it.
    const [grown, ...later] = after[2]!.slice(clean.length - 1);
    expect(grown![0]).toBeGreaterThan(600_000);
    for (const counts of later) expect(counts).toEqual(NONE);
  });

  test("has another memory for each run, where it cannot be put back", async () => {
    const { after } = await report("plain");
    const [first, second, third] = after;
    expect(first!.length).toBeLessThan(third!.length);
    const holding = third!.flatMap((counts, at) => (String(counts) === String(NONE) ? [] : [at]));
    // Those of the two runs that had it, which nobody but this test still holds.
    expect(holding).toHaveLength(2);
    expect(second!.filter((counts) => String(counts) !== String(NONE))).toHaveLength(1);
    for (const count of third![holding[0]!]!) expect(count).toBeGreaterThan(0);
  });
});
