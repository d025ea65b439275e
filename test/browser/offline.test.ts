// A page that has gone offline goes on running the guests it has; Node, driving Chromium.

import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;

const SCRIPT = `
  import { createSandbox } from "../dist/index.js";
  const sandbox = await createSandbox({ module: "../guests/hello.wasm" });
  await sandbox.run({ args: ["first"] }).result;
  globalThis.runAgain = async (times) => {
    const seen = [];
    for (let n = 0; n < times; n++) {
      const { stdoutText } = await sandbox.run({ args: ["run" + n] }).result;
      seen.push(stdoutText.includes("arg run" + n + "\\n"));
    }
    return seen;
  };`;

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/guests": `${root}test/guests` },
    files: {
      "/page/": '<!doctype html><script type="module" src="script.js"></script>',
      "/page/script.js": SCRIPT,
    },
    // Nothing is kept by the browser: the worker script cannot be had a second time.
    headers: { "cache-control": "no-store" },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("thirty runs after the connection is gone", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(server.url("/page/", "coi"));
  await page.waitForFunction(() => "runAgain" in globalThis);
  await context.setOffline(true);
  const seen = await page.evaluate(() =>
    (globalThis as unknown as { runAgain(times: number): Promise<boolean[]> }).runAgain(30),
  );
  expect(seen).toEqual(Array.from({ length: 30 }, () => true));
  await context.close();
});
