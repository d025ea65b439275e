// The static site of the playground on a plain server: no isolation headers, a strict policy, any folder; Node, driving
// Chromium.

import { createReadStream, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSite } from "../../scripts/build-site.mjs";
import { pythonInParts } from "../../scripts/copy-guests.mjs";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type Handler, type StaticServer } from "../static-server.ts";
import { Playground } from "./playground-driver.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** What the page asks for, in this order. */
const interpreters = [...(pythonInParts() ? ["python-started.wasm"] : []), "python.wasm"];
const guest = `${root}public/guests/${interpreters[0]}`;
const whole = `${root}public/guests/python.wasm`;
const half = Math.floor(statSync(guest).size / 2);

let browser: Browser;
let server: StaticServer;
const notThere: Handler = (_request, response) => {
  response.writeHead(404).end();
};
/** Lets the slow download go on. */
let goOn = (): void => {};

/** The interpreter in two halves, the second when the test says so. */
const slowGuest: Handler = async (_request, response) => {
  response.writeHead(200, {
    "content-type": "application/wasm",
    "content-length": statSync(guest).size,
  });
  const send = async (start: number, end: number): Promise<void> => {
    for await (const piece of createReadStream(guest, { start, end })) {
      if (!response.write(piece)) await new Promise((resolve) => response.once("drain", resolve));
    }
  };
  await send(0, half - 1);
  await new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await send(half, Infinity);
  response.end();
};

beforeAll(async () => {
  const site = await buildSite({ outDir: `${root}.cache/site-plain` });
  server = await serveStatic({
    folders: { "/": site, "/in/a/folder": site, "/slow": site, "/broken": site },
    handlers: {
      [`/slow/guests/${interpreters[0]}`]: slowGuest,
      ...Object.fromEntries(interpreters.map((name) => [`/broken/guests/${name}`, notThere])),
    },
    mode: "plain",
    headers: {
      "content-security-policy":
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
        "style-src 'self'; img-src 'self'; report-uri /@report",
    },
  });
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("the whole tour, without isolation, from a folder", async () => {
  const playground = await Playground.open(browser, server.url("/in/a/folder/"));
  expect(await playground.page.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(await playground.page.locator("#transport").textContent()).toBe("suspending");
  await playground.start();
  await playground.gate.waitFor();
  await playground.button("Allow").click();
  expect(await playground.ended()).toMatch(/^Exited with code 0/);
  expect(await playground.text()).toContain("EMEA  Europe, Middle East and Africa, 14 offices\n");
  expect(await playground.page.locator(".chart-bar").count()).toBe(3);
  expect(await playground.calls.count()).toBe(30);

  await playground.start("print('hello', input('name? '))");
  await playground.waitForOutput("name? ");
  await playground.page.locator("#input-line").fill("Grace");
  await playground.page.keyboard.press("Enter");
  await playground.ended();
  expect(await playground.text()).toBe("name? Grace\nhello Grace\n");

  await playground.start("while True: pass");
  await playground.page.waitForTimeout(500);
  const before = performance.now();
  await playground.button("Stop").click();
  await playground.waitForStatus(/^Stopped after/, 2_000);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect((await playground.run("print('again')")).output).toBe("again\n");
  await playground.close();
  expect(server.reports).toEqual([]);
});

test("the packages page, without isolation, from a folder", async () => {
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on("pageerror", ({ message }) => problems.push(message));
  await page.goto(server.url("/in/a/folder/"));
  await page.getByRole("link", { name: "Function packages" }).click();
  await page.locator("#example").selectOption({ index: 1 });
  await page.locator("#open-example").click();
  const form = page.getByRole("form", { name: "bar_chart" });
  await form.getByLabel("values *").fill("[3, 1, 2]");
  await form.getByRole("button", { name: "Call" }).click();
  await expect.poll(() => page.locator("#answer canvas").getAttribute("width")).toBe("320");
  await page.getByLabel("keep in this browser").check();
  await expect.poll(() => page.locator("#volume").textContent()).toContain("No files yet");
  await page.close();
  expect(problems).toEqual([]);
  expect(server.reports).toEqual([]);
});

test("the download is shown as it goes; Run waits for it, and Stop need not", async () => {
  const playground = await Playground.open(browser, server.url("/slow/"), { ready: false });
  const { page } = playground;
  const bar = page.getByRole("progressbar", { name: /Loading Python/ });
  const size = (statSync(guest).size / 1e6).toFixed(1).replace(".", "\\.");
  await page
    .locator("#loading-text", {
      hasText: new RegExp(`^Loading Python, ${Math.floor(half / 1e6)}\\.\\d of ${size} MB$`),
    })
    .waitFor();
  expect(Number(await bar.getAttribute("value"))).toBeCloseTo(half / statSync(guest).size, 1);
  await playground.editor.waitFor();
  await playground.start("print('after the wait')");
  await playground.waitForStatus(/^Waiting for Python to load$/);
  await playground.button("Stop").click();
  await playground.waitForStatus(/^Stopped before it began$/, 1_000);
  await playground.start();
  goOn();
  await playground.ended(30_000);
  expect(await playground.text()).toBe("after the wait\n");
  expect(await page.locator("#loading").isVisible()).toBe(false);
  await playground.close();
});

test("an interpreter that does not load is said so, and Run tries again, with what is there then", async () => {
  const playground = await Playground.open(browser, server.url("/broken/"), { ready: false });
  await playground.waitForStatus(/^Python did not load; Run tries again$/);
  await playground.waitForOutput("404");
  await playground.page.route("**/guests/python.wasm", (route) => route.fulfill({ path: whole }));
  await playground.editor.waitFor();
  expect((await playground.run("print('now it is there')")).output).toBe("now it is there\n");
  expect(await playground.page.locator("#python").textContent()).toMatch(/^(our|stock) CPython$/);
  // Chromium itself reports each 404.
  for (const problem of playground.problems.splice(0)) expect(problem).toContain("404");
  await playground.close();
});

test.skipIf(!pythonInParts())(
  "where the one that has started is not there, our Python is loaded whole, and the page says so",
  async () => {
    const page = await browser.newPage();
    await page.route("**/guests/python-started.wasm", (route) => route.fulfill({ status: 404 }));
    const warnings: string[] = [];
    page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
    await page.goto(server.url("/"));
    await page.locator("#status", { hasText: "Ready" }).waitFor();
    expect(await page.locator("#python").textContent()).toBe("our CPython");
    expect(warnings.join("\n")).toMatch(
      /^The playground runs our CPython: .*python-started.wasm could not be fetched/m,
    );
    await page.close();
  },
);
