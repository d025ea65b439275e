// Guests in a sandboxed frame, whose opaque origin has nothing to steal: the place for hostile ones; Node, driving Chromium.

import type { Frame } from "playwright";
import { expect, test } from "vitest";
import type { HeaderMode } from "../static-server.ts";
import { chromiumSite } from "./chromium-site.ts";

const OUTER = `<!doctype html><meta charset="utf-8"><title>Outer</title>
<iframe sandbox="allow-scripts" src="../inner/"></iframe>
<script>
  document.cookie = "session=secret";
  localStorage.setItem("secret", "1");
</script>`;

/** Runs a guest that calls a tool three times, and tells what of the outer page it can reach. */
const INNER = `<!doctype html><meta charset="utf-8"><title>Inner</title>
<script type="module">
  import { createSandbox, tool } from "../dist/index.js";
  const count = tool({
    name: "count", description: "Counts",
    inputSchema: { type: "object", properties: { n: { type: "integer" }, pad: { type: "string" } } },
    execute: async ({ n }) => ({ n }),
  });
  const reach = (look) => { try { return String(look()); } catch (error) { return error.name; } };
  const sandbox = await createSandbox({ module: "../guests/door-loop.wasm" });
  const { status, exitCode } = await sandbox.run({ args: ["3"], tools: [count] }).result;
  globalThis.seen = {
    transport: sandbox.transport, status, exitCode, origin: String(self.origin),
    cookie: reach(() => document.cookie), storage: reach(() => localStorage.secret),
    parent: reach(() => parent.document.cookie),
  };
</script>`;

const site = chromiumSite({
  files: { "/favicon.ico": "", "/outer/": OUTER, "/inner/": INNER },
  // An opaque origin is another origin to every file.
  cors: true,
});

test.for<[HeaderMode, string]>([
  ["plain", "suspending"],
  ["coi", "suspending"],
  ["dip", "shared-memory"],
])(
  "a frame of a page that is %s runs guests by %s, and reaches nothing of the page",
  async ([mode, transport]) => {
    const page = await site.browser.newPage();
    const problems: string[] = [];
    page.on("console", (message) => problems.push(message.text()));
    page.on("pageerror", (error) => problems.push(error.message));
    await page.goto(site.server.url("/outer/", mode));
    await expect.poll(() => page.frames().length).toBe(2);
    const frame: Frame = page.frames()[1]!;
    await frame
      .waitForFunction(() => "seen" in globalThis, undefined, { timeout: 15_000 })
      .catch(() => {});
    expect(problems).toEqual([]);
    expect(await frame.evaluate(() => (globalThis as unknown as { seen: object }).seen)).toEqual({
      transport,
      status: "exited",
      exitCode: 0,
      origin: "null",
      cookie: "SecurityError",
      storage: "SecurityError",
      parent: "SecurityError",
    });
    await page.close();
  },
);
