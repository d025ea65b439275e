// The pages that the browser tests stand on: what each header mode means in Chromium; Node, driving Chromium.
import type { Browser } from "playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { HeaderMode, StaticServer } from "../static-server.ts";

const probe = `
  const outcome = (run) => { try { return String(run()); } catch (error) { return error.name; } };
  const worker = new Worker(new URL("./worker.js", import.meta.url).href, { type: "module" });
  const inWorker = await new Promise((resolve) => {
    worker.onmessage = (event) => resolve(event.data);
    worker.onerror = () => resolve("error");
  });
  window.probed = {
    isolated: crossOriginIsolated,
    inWorker,
    evaluates: outcome(() => (0, eval)("1 + 1")),
    suspends: typeof WebAssembly.Suspending,
  };`;

// Under required Trusted Types a plain string makes no worker.
const careful = probe.replace(
  /new Worker\((.*?\.href)/,
  'new Worker(trustedTypes.createPolicy("probe", { createScriptURL: (url) => url }).createScriptURL($1)',
);

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    files: {
      "/": '<!doctype html><script type="module" src="./probe.js"></script>',
      "/careful/": '<!doctype html><script type="module" src="../careful.js"></script>',
      "/probe.js": probe,
      "/careful.js": careful,
      "/worker.js": "postMessage(crossOriginIsolated);",
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function probeIn(mode: HeaderMode, path = "/") {
  const page = await browser.newPage();
  await page.goto(server.url(path, mode));
  const handle = await page.waitForFunction(() => (window as { probed?: unknown }).probed);
  const probed = await handle.jsonValue();
  await page.close();
  return probed;
}

test.for<[HeaderMode, boolean]>([
  ["coi", true],
  ["dip", true],
  ["plain", false],
])("%s: cross-origin isolated is %s, in the worker too", async ([mode, isolated]) => {
  const expected = { isolated, inWorker: isolated, evaluates: "2", suspends: "function" };
  expect(await probeIn(mode)).toEqual(expected);
});

test("csp: forbids eval, and the violation is reported to the server", async () => {
  const before = server.reports.length;
  expect(await probeIn("csp")).toMatchObject({
    isolated: false,
    evaluates: "EvalError",
    inWorker: false,
  });
  await expect.poll(() => server.reports.length, { timeout: 10_000 }).toBeGreaterThan(before);
});

test("csp-tt: Trusted Types are required besides", async () => {
  expect(await probeIn("csp-tt", "/careful/")).toMatchObject({
    evaluates: "EvalError",
    inWorker: false,
  });
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(server.url("/", "csp-tt"));
  await expect.poll(() => errors.join(), { timeout: 10_000 }).toMatch(/TrustedScriptURL/);
  await page.close();
});
