// A guest that floods its output, while the page is too busy to take it: the page's memory stays flat; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Page } from "playwright";
import { expect, test } from "vitest";
import type { HeaderMode } from "../static-server.ts";
import { chromiumSite } from "./chromium-site.ts";

const MiB = 2 ** 20;

const SCRIPT = `
  import { createSandbox } from "../dist/index.js";
  const sandbox = await createSandbox({ module: "../guests/flood.wasm" });
  await sandbox.run({ args: ["65536"] }).result; // the worker and its code are warm
  const busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
  globalThis.flood = (bytes, busyMs, reads) => {
    globalThis.flooded = undefined;
    setTimeout(async () => {
      const run = sandbox.run({ args: [String(bytes)], limits: { outputBytes: ${MiB} } });
      const reader = reads ? run.stdout.getReader() : undefined;
      if (reader) await reader.read();
      else await new Promise((resolve) => setTimeout(resolve, 30));
      busy(busyMs); // no message is taken, no credit given
      if (reader) while (!(await reader.read()).done);
      const { status, stdout, stdoutTruncated } = await run.result;
      globalThis.flooded = { kept: stdout.length, status, stdoutTruncated };
    }, 0);
  };
  globalThis.ready = true;`;

const site = chromiumSite({
  files: {
    "/page/": '<!doctype html><script type="module" src="script.js"></script>',
    "/page/script.js": SCRIPT,
  },
});

/** Resident bytes of the page's process. */
function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

/** The process that holds the page: the one renderer that grew with it. */
async function rendererOf(page: Page): Promise<number> {
  const session = await site.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  await page.evaluate(() => {
    (globalThis as { marker?: Uint8Array }).marker = new Uint8Array(300 * 2 ** 20).fill(1);
  });
  const largest = renderers.toSorted((a, b) => residentBytes(b) - residentBytes(a))[0]!;
  await page.evaluate(() => {
    delete (globalThis as { marker?: Uint8Array }).marker;
  });
  await page.requestGC();
  return largest;
}

/**
 * MiB over the page at rest. A reader makes garbage of its own, a chunk a read, which V8 lets grow to tens of MiB before
 * it collects; suspended stacks take some, too. Of 512 MiB, none may stay.
 */
const CASES: [HeaderMode, boolean, number][] = [
  ["coi", false, 32],
  ["plain", false, 64],
  ["coi", true, 192],
  ["plain", true, 192],
];

test.skipIf(process.platform !== "linux").for(CASES)(
  "512 MiB of output, the page busy for three seconds, leave it flat (%s, read: %s, at most %i MiB)",
  { timeout: 120_000 },
  async ([mode, reads, mostMiB]) => {
    const page = await site.browser.newPage();
    await page.goto(site.server.url("/page/", mode));
    await page.waitForFunction(() => "ready" in globalThis);
    const pid = await rendererOf(page);
    const before = residentBytes(pid);
    await page.evaluate(
      ([bytes, read]) =>
        (
          globalThis as unknown as { flood(bytes: number, busyMs: number, reads: boolean): void }
        ).flood(bytes, 3_000, read),
      [512 * MiB, reads] as const,
    );
    let peak = 0;
    const watch = setInterval(() => {
      peak = Math.max(peak, residentBytes(pid));
    }, 50);
    const handle = await page.waitForFunction(
      () => (globalThis as { flooded?: object }).flooded,
      undefined,
      { timeout: 110_000, polling: 200 },
    );
    clearInterval(watch);
    expect(await handle.jsonValue()).toEqual({
      kept: MiB,
      status: "exited",
      stdoutTruncated: true,
    });
    expect(peak).toBeGreaterThan(0);
    console.log(`Flood (${mode}, ${reads}): ${((peak - before) / MiB).toFixed(1)} MiB over rest`);
    expect(peak - before).toBeLessThan(mostMiB * MiB);
    await page.close();
  },
);
