// Pointers at the edges of memory in Chromium, on one page and on 3 GiB: the imports alone in a worker, and a guest that
// makes every such call through createSandbox on both rungs; Node, driving Chromium. Needs a built dist/.

import type { Browser, Page } from "playwright";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type HeaderMode, type StaticServer } from "../static-server.ts";
import { pointerGuest } from "../unit/worker/wasi/pointer-guest.ts";
import type { PointersReport } from "../unit/worker/wasi/pointers-worker.ts";

const root = new URL("../..", import.meta.url).pathname;
const SIZES = [
  ["one page", 1],
  ["3 GiB", 49_152],
] as const;
const MODES: readonly [HeaderMode, string][] = [
  ["coi", "shared-memory"],
  ["plain", "suspending"],
];

interface GuestReport {
  readonly refused?: string;
  readonly transport?: string;
  readonly told?: Record<string, unknown>;
}

const PAGE = `
import { createSandbox } from "./dist/index.js";
globalThis.checkImports = (pages) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("worker.js");
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage(pages);
  });
globalThis.runGuest = async (text, memoryBytes) => {
  let sandbox;
  try {
    const module = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    sandbox = await createSandbox({ module, memoryBytes });
    const { status, stdoutText, stderrText, files, error } = await sandbox.run({
      files: { "/f": "content", "/d": {} },
      env: { A: "b" },
    }).result;
    const told = { status, stdoutText, stderrText, files, error: error && String(error) };
    return { transport: sandbox.transport, told };
  } catch (error) {
    if (error.code === "resource_exhausted") return { refused: String(error) };
    throw error;
  } finally {
    sandbox?.close();
  }
};`;

interface PointersPage {
  checkImports(pages: number): Promise<PointersReport>;
  runGuest(text: string, memoryBytes: number): Promise<GuestReport>;
}

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  const bundle = await rolldown({
    input: `${root}test/unit/worker/wasi/pointers-worker.ts`,
  });
  const { output } = await bundle.generate({ format: "iife" });
  await bundle.close();
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist` },
    files: {
      "/": '<!doctype html><script type="module" src="run.js"></script>',
      "/run.js": PAGE,
      "/worker.js": output[0].code,
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

async function open(mode: HeaderMode): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(server.url("/", mode));
  await page.waitForFunction(() => "runGuest" in globalThis);
  return page;
}

describe.each(SIZES)("a memory of %s", (_size, pages) => {
  test("every import, called directly", async ({ skip }) => {
    const page = await open("coi");
    const { refused, ...report } = await page.evaluate(
      (given) => (globalThis as unknown as PointersPage).checkImports(given),
      pages,
    );
    await page.close();
    if (refused !== undefined) skip(`this browser gives no such memory here: ${refused}`);
    expect(report).toEqual({ imports: 45, problems: [] });
  });

  test.for(MODES)("every import, called by a guest, %s", async ([mode, transport], { skip }) => {
    const { bytes, calls } = await pointerGuest(pages);
    expect(calls.length).toBeGreaterThan(700);
    const page = await open(mode);
    const { refused, ...report } = await page.evaluate(
      ([text, size]) => (globalThis as unknown as PointersPage).runGuest(text, size),
      [Buffer.from(bytes).toString("base64"), pages * 65_536] as const,
    );
    await page.close();
    if (refused !== undefined) skip(`this browser gives no such memory here: ${refused}`);
    const bad = String(report.told?.["stderrText"]).split("\n").slice(0, -1);
    expect(bad.map((call) => calls[Number(call)])).toEqual([]);
    const told = { status: "exited", stdoutText: `${calls.length}\n`, stderrText: "", files: {} };
    expect(report).toEqual({ transport, told });
  });
});
