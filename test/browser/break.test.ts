// Networks that go away while a page uses a sandbox; Node, driving Chromium.

import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;

let browser: Browser;
let server: StaticServer;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/guests": `${root}test/guests` },
    files: {
      "/": '<!doctype html><script type="module" src="page.js"></script>',
      "/page.js": 'import * as api from "./dist/index.js"; globalThis.api = api;',
    },
  });
  page = await browser.newPage();
  await page.goto(server.url("/", "coi"));
  await page.waitForFunction(() => "api" in globalThis);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("a part of the library that cannot be loaded is told by a code, and other runs go on", async () => {
  await page.route("**/chunk-guest-halves*", (route) => route.abort());
  const seen = await page.evaluate(async () => {
    const { api } = globalThis as unknown as { api: typeof Sallyport };
    const sandbox = await api.createSandbox({
      module: new URL("guests/hello.wasm", location.href),
    });
    const door = (request: Uint8Array): Uint8Array => request;
    const lost = await sandbox.run({ door }).result.catch((error: { code?: string }) => error.code);
    const plain = await sandbox.run().result;
    const without = await sandbox.run({ door, guestHalves: false }).result;
    sandbox.close();
    return [lost, plain.status, without.status];
  });
  expect(seen).toEqual(["load_failed", "exited", "exited"]);
});

test("code that does not come, or never, leaves no worker and is not waited for past the signal", async () => {
  await page.close();
  page = await browser.newPage();
  await page.goto(server.url("/", "coi"));
  await page.waitForFunction(() => "api" in globalThis);
  const load = () =>
    page.evaluate(async () => {
      const { api } = globalThis as unknown as { api: typeof Sallyport };
      const module = new URL("guests/hello.wasm", location.href);
      const began = performance.now();
      const end = await api.createSandbox({ module, signal: AbortSignal.timeout(400) }).then(
        () => "came",
        (error: { code?: string | number; name: string }) =>
          typeof error.code === "string" ? error.code : error.name,
      );
      return [end, performance.now() - began < 5_000];
    });
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  // Late: by then the signal has broken off what was asked for early.
  await page.route("**/chunk-*", (route) => void setTimeout(() => void route.continue(), 900));
  expect(await load()).toEqual(["TimeoutError", true]);
  await new Promise((resolve) => setTimeout(resolve, 900));
  expect(problems).toEqual([]);
  await page.unrouteAll();
  await page.reload();
  await page.waitForFunction(() => "api" in globalThis);
  // Never answered.
  await page.route("**/chunk-*", () => {});
  expect(await load()).toEqual(["TimeoutError", true]);
  await expect.poll(() => page.workers().length, { timeout: 10_000 }).toBe(0);
  await page.unrouteAll();
  await page.reload();
  await page.waitForFunction(() => "api" in globalThis);
  await page.route("**/chunk-*", (route) => route.abort());
  expect(await load()).toEqual(["load_failed", true]);
  await expect.poll(() => page.workers().length, { timeout: 10_000 }).toBe(0);
});
