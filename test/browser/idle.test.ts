// A guest that sleeps, polls or waits for input costs no computing, on both rungs, read from the system's own account of
// the browser's processes (Linux); Node, driving Chromium. Needs a built dist/.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HeaderMode } from "../static-server.ts";
import { chromiumSite } from "./chromium-site.ts";

const MODES: readonly HeaderMode[] = ["coi", "plain"];
/** What USER_HZ is wherever this runs. */
const TICKS_PER_SECOND = 100;
const WAIT_MS = 2_000;
/** A guest that spins would use all of the time that it waits. */
const MOST_MS = WAIT_MS / 5;

const PAGE = `
import { createSandbox } from "./dist/index.js";
globalThis.startGuest = async (name, options) => {
  const sandbox = await createSandbox({ module: "guests/" + name + ".wasm" });
  globalThis.run = sandbox.run(options);
};
globalThis.endGuest = async (text) => {
  const { run } = globalThis;
  if (text !== undefined) {
    const writer = run.stdin.getWriter();
    await writer.write(text);
    await writer.close();
  }
  const { status, exitCode } = await run.result;
  return { status, exitCode };
};
globalThis.ready = true;`;

interface IdlePage {
  startGuest(name: string, options: object): Promise<void>;
  endGuest(text?: string): Promise<{ status: string; exitCode?: number }>;
}

/** Milliseconds that a process has computed; undefined where the system does not say. */
function computed(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

const site = chromiumSite({
  files: {
    "/": '<!doctype html><script type="module" src="run.js"></script>',
    "/run.js": PAGE,
  },
});

async function renderers(): Promise<number[]> {
  const session = await site.browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
}

async function allComputed(): Promise<number | undefined> {
  const each = (await renderers()).map((pid) => computed(pid));
  return each.includes(undefined) ? undefined : each.reduce((sum, ms) => sum! + ms!, 0);
}

describe.each(MODES)("%s", (mode) => {
  let page: Page;

  beforeAll(async () => {
    page = await site.browser.newPage();
    await page.goto(site.server.url("/", mode));
    await page.waitForFunction(() => "ready" in globalThis);
  });

  afterAll(async () => page?.close());

  test.for<[what: string, guest: string, options: object, input: string | undefined, code: number]>(
    [
      ["a sleep", "sleep", { args: [String(WAIT_MS + 500)] }, undefined, 0],
      ["a poll of input and a clock", "poll-stdin", { stdin: "interactive" }, "x", 11],
      ["a read", "hello", { stdin: "interactive" }, "x", 0],
    ],
  )("%s", async ([, guest, options, input, exitCode], { skip }) => {
    const start = ([name, given]: readonly [string, object]): Promise<void> =>
      (globalThis as unknown as IdlePage).startGuest(name, given);
    await page.evaluate(start, [guest, options] as const);
    await sleep(500);
    const before = await allComputed();
    await sleep(WAIT_MS);
    const after = await allComputed();
    const ended = await page.evaluate(
      (text) => (globalThis as unknown as IdlePage).endGuest(text),
      input,
    );
    expect(ended).toEqual({ status: "exited", exitCode });
    if (before === undefined || after === undefined) {
      skip("this system does not say what a process has computed");
      return;
    }
    expect(after - before).toBeLessThan(MOST_MS);
  });
});
