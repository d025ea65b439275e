// The public wasi-testsuite in Chromium through createSandbox, from the folder WASI_TESTSUITE; needs a built dist/.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../launch-chromium.ts";
import { serveStatic, type HeaderMode, type StaticServer } from "../../static-server.ts";
import { preopensOf, readSpec, readTree, testFiles } from "./adapter.ts";

const root = process.env["WASI_TESTSUITE"];
const MODES: readonly HeaderMode[] = ["coi", "plain"];

/** What a page is told to run. Files are nested names with base64, folders with objects. */
interface Job {
  readonly bytes: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

interface Result {
  readonly status: string;
  readonly exitCode?: number;
  readonly reason?: string;
  readonly stdoutText: string;
  readonly stderrText: string;
}

const PAGE = `
import { createSandbox, memory } from "./dist/index.js";
const decode = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
globalThis.runJob = async ({ bytes, args, env, files }) => {
  const mounts = {};
  for (const [path, entries] of Object.entries(files)) {
    const tree = {};
    for (const [name, content] of Object.entries(entries)) {
      const names = name.split("/");
      const last = names.pop();
      let folder = tree;
      for (const part of names) folder = folder[part] ??= {};
      if (content === null) folder[last] ??= {};
      else folder[last] = decode(content);
    }
    mounts[path] = memory(tree);
  }
  const sandbox = await createSandbox({ module: decode(bytes) });
  try {
    const { status, exitCode, reason, stdoutText, stderrText } =
      await sandbox.run({ args, env, mounts }).result;
    return { status, exitCode, reason, stdoutText, stderrText };
  } finally {
    sandbox.close();
  }
};`;

function jobOf(wasm: string): Job {
  const spec = readSpec(wasm);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  // Mounts have absolute paths, so the tests are told their folder by that.
  const absolute = (arg: string): string => (spec.dirs.includes(arg) ? `/${arg}` : arg);
  const files = preopensOf(wasm, spec).map(([path, folder]) => [
    path === "/" ? path : `/${path}`,
    Object.fromEntries(
      readTree(folder).map((entry) => [
        entry.path,
        entry.type === "file" ? base64(entry.bytes) : null,
      ]),
    ),
  ]);
  return {
    bytes: base64(readFileSync(wasm)),
    args: spec.args.map(absolute),
    env: spec.env,
    files: Object.fromEntries(files) as Job["files"],
  };
}

describe.runIf(root !== undefined).each(MODES)("wasi-testsuite in Chromium, %s", (mode) => {
  let browser: Browser;
  let server: StaticServer;
  let page: Page;
  const run = (job: Job): Promise<Result> =>
    page.evaluate(
      (given) => (globalThis as unknown as { runJob(job: Job): Promise<Result> }).runJob(given),
      job,
    );

  beforeAll(async () => {
    browser = await launchChromium();
    server = await serveStatic({
      folders: { "/dist": new URL("../../../dist", import.meta.url).pathname },
      files: {
        "/": '<!doctype html><script type="module" src="run.js"></script>',
        "/run.js": PAGE,
      },
    });
    page = await browser.newPage();
    await page.goto(server.url("/", mode));
    await page.waitForFunction(() => "runJob" in globalThis);
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  test.each(root === undefined ? [] : testFiles(root))("%s", async (file) => {
    const wasm = join(root!, file);
    const spec = readSpec(wasm);
    const result = await run(jobOf(wasm));
    expect(result, result.stderrText).toMatchObject({ status: "exited", exitCode: spec.exit_code });
    if (spec.stdout !== undefined) expect(result.stdoutText).toBe(spec.stdout);
    if (spec.stderr !== undefined) expect(result.stderrText).toBe(spec.stderr);
  });

  test("the canary traps", async () => {
    const bytes =
      "0061736d0100000001040160000003020100050301000107130206" +
      "6d656d6f72790200065f737461727400000a05010300000b";
    const job = {
      bytes: Buffer.from(bytes, "hex").toString("base64"),
      args: [],
      env: {},
      files: {},
    };
    expect(await run(job)).toMatchObject({ status: "trapped", reason: "unreachable" });
  });
});
