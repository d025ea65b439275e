// QuickJS, built as our Python is: in Node and in Chromium, as a command and from a snapshot; Node, driving Chromium.

import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { QUICKJS_CASES } from "../guests/quickjs-cases.ts";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer } from "../static-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const file = `${root}guests/quickjs/dist/quickjs.wasm`;
const there = existsSync(file);
if (!there) console.log("QuickJS of our own is not built (npm run build:quickjs): it is left out.");

type Outcome = readonly [number | undefined, string, string];

/** All cases on one sandbox, then two random numbers; in a page or in Node, by its own text. */
async function runAll(
  api: typeof Sallyport,
  module: string | URL,
  snapshot: boolean,
  options: readonly Sallyport.RunOptions[],
): Promise<{ snapshot: boolean; outcomes: Outcome[]; random: string[] }> {
  const spec = { init: "snapshot_init", run: "snapshot_run" };
  const sandbox = await api.createSandbox({ module, ...(snapshot ? { snapshot: spec } : {}) });
  const tools = [
    api.tool({
      name: "lookup_region",
      inputSchema: {
        type: "object",
        properties: { code: { type: "string" } },
        required: ["code"],
      },
      execute: async ({ code }) => `region of ${code}`,
    }),
  ];
  const run = async (one: Sallyport.RunOptions): Promise<Outcome> => {
    const { exitCode, stdoutText, stderrText } = await sandbox.run({ ...one, tools }).result;
    return [exitCode, stdoutText, stderrText];
  };
  const outcomes: Outcome[] = [];
  const random: string[] = [];
  // oxlint-disable-next-line no-await-in-loop
  for (const one of options) outcomes.push(await run(one));
  for (let at = 0; at < 2; at += 1) {
    // oxlint-disable-next-line no-await-in-loop
    random.push((await run({ args: ["-e", "print(Math.random())"] }))[1]);
  }
  sandbox.close();
  return { snapshot: sandbox.snapshot, outcomes, random };
}

const OPTIONS = QUICKJS_CASES.map(({ options }) => options);

function check(found: Awaited<ReturnType<typeof runAll>>, snapshot: boolean): void {
  expect(found.snapshot).toBe(snapshot);
  for (const [at, { name, code, out, err }] of QUICKJS_CASES.entries()) {
    const [exitCode, stdout, stderr] = found.outcomes[at]!;
    expect([exitCode, stdout], `${name}\n${stderr}`).toEqual([code, out]);
    expect(stderr.startsWith(err ?? "") && (err !== undefined || stderr === ""), name).toBe(true);
  }
  const [first, second] = found.random.map(Number);
  expect(first).toBeLessThan(1);
  expect(first).not.toBe(second);
}

describe.skipIf(!there)("our QuickJS", () => {
  let browser: Browser;
  let server: StaticServer;
  beforeAll(async () => {
    browser = await launchChromium();
    server = await serveStatic({
      folders: { "/dist": `${root}dist`, "/quickjs": `${root}guests/quickjs/dist` },
      files: { "/page/": '<!doctype html><link rel="icon" href="data:,">' },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test.each([false, true])("in Node, snapshot %s", async (snapshot) => {
    const api = (await import(pathToFileURL(`${root}dist/node.js`).href)) as typeof Sallyport;
    check(await runAll(api, pathToFileURL(file), snapshot, OPTIONS), snapshot);
  });

  test.each([
    ["coi", false],
    ["coi", true],
    ["plain", true],
  ] as const)("in Chromium, %s, snapshot %s", async (mode, snapshot) => {
    const page = await browser.newPage();
    await page.goto(server.url("/page/", mode));
    const call = `import("../dist/index.js").then((api) => (${String(runAll)})(
      api, new URL("../quickjs/quickjs.wasm", location.href), ${snapshot}, ${JSON.stringify(OPTIONS)}))`;
    check(await page.evaluate<Awaited<ReturnType<typeof runAll>>>(call), snapshot);
    await page.close();
  });
});
