// A page that has gone offline goes on running the guests it has; Node, driving Chromium.

import { expect, test } from "vitest";
import { chromiumSite } from "./chromium-site.ts";

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

const site = chromiumSite({
  files: {
    "/page/": '<!doctype html><script type="module" src="script.js"></script>',
    "/page/script.js": SCRIPT,
  },
  // Nothing is kept by the browser: the worker script cannot be had a second time.
  headers: { "cache-control": "no-store" },
});

test("thirty runs after the connection is gone", async () => {
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await page.goto(site.server.url("/page/", "coi"));
  await page.waitForFunction(() => "runAgain" in globalThis);
  await context.setOffline(true);
  const seen = await page.evaluate(() =>
    (globalThis as unknown as { runAgain(times: number): Promise<boolean[]> }).runAgain(30),
  );
  expect(seen).toEqual(Array.from({ length: 30 }, () => true));
  await context.close();
});
