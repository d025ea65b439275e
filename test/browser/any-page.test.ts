// Pages as people have them: frames of another origin, no headers, foreign images, several snippets; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Browser, Frame, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;

/** A docs page with two live examples, as an author would write it. */
const DOCS = `<!doctype html><meta charset="utf-8"><title>Docs</title>
<img id="foreign" src="%IMAGE%" alt="">
<pre id="one"></pre><pre id="two"></pre>
<script type="module">
  import { createSandbox, tool } from "../dist/index.js";
  const shout = tool({
    name: "count", description: "Counts",
    inputSchema: { type: "object", properties: { n: { type: "integer" }, pad: { type: "string" } } },
    execute: async ({ n }) => ({ n }),
  });
  const show = async (id, guest, options) => {
    const sandbox = await createSandbox({ module: "../guests/" + guest + ".wasm" });
    const { status, exitCode } = await sandbox.run(options).result;
    document.getElementById(id).textContent = sandbox.transport + " " + status + " " + exitCode;
  };
  await Promise.all([
    show("one", "door-loop", { args: ["3"], tools: [shout] }),
    show("two", "sleep", { args: ["50"] }),
  ]);
  globalThis.finished = true;
</script>`;

/** A guest that echoes a line that a person types, in whatever frame this is. */
const ECHO = `<!doctype html><meta charset="utf-8"><title>Echo</title><pre id="out"></pre>
<script type="module">
  import { createSandbox } from "../dist/index.js";
  const sandbox = await createSandbox({ module: "../guests/hello.wasm" });
  const run = sandbox.run({ stdin: "interactive" });
  const writer = run.stdin.getWriter();
  globalThis.type = async (line) => { await writer.write(line); await writer.close(); };
  globalThis.transport = sandbox.transport;
  const { stdoutText } = await run.result;
  document.getElementById("out").textContent = stdoutText;
</script>`;

let browser: Browser;
let site: StaticServer;
let other: StaticServer;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  const folders = { "/dist": `${root}dist`, "/guests": `${root}test/guests` };
  other = await serveStatic({
    folders,
    files: { "/echo/": ECHO, "/picture.svg": readFileSync(`${root}public/icon.svg`) },
  });
  site = await serveStatic({
    folders,
    files: {
      "/docs/": DOCS.replace("%IMAGE%", `${other.origin}/picture.svg`),
      "/frame/": `<!doctype html><iframe src="${other.origin}/echo/"></iframe>`,
    },
  });
  page = await browser.newPage();
});

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await other?.close();
});

test("a docs page without headers: the foreign image loads, both examples run", async () => {
  await page.goto(site.url("/docs/"));
  await page.waitForFunction(() => "finished" in globalThis);
  expect(await page.textContent("#one")).toBe("suspending exited 0");
  expect(await page.textContent("#two")).toBe("suspending exited 0");
  const width = await page.$eval("#foreign", (image) => (image as HTMLImageElement).naturalWidth);
  expect(width).toBeGreaterThan(0);
});

test("in a frame of another origin, without headers, a guest reads what a person types", async () => {
  await page.goto(site.url("/frame/"));
  const frame = await echoFrame();
  await frame.waitForFunction(() => "type" in globalThis);
  expect(
    await frame.evaluate(() => (globalThis as unknown as { transport: string }).transport),
  ).toBe("suspending");
  await frame.evaluate(() =>
    (globalThis as unknown as { type(line: string): Promise<void> }).type("typed in a frame\n"),
  );
  await frame.waitForFunction(() => document.getElementById("out")!.textContent !== "");
  expect(await frame.textContent("#out")).toContain("typed in a frame");
});

async function echoFrame(): Promise<Frame> {
  await expect.poll(() => page.frames().length).toBe(2);
  return page.frames()[1]!;
}
