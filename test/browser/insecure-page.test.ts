// A page from plain http that is not localhost, where browsers leave out part of their interface; Node, driving Chromium.

import { expect, test } from "vitest";
import { chromiumSite } from "./chromium-site.ts";

const SCRIPT = `
  import { createSandbox, tool } from "../dist/index.js";
  import { loadPackage } from "../dist/package.js";
  const count = tool({
    name: "count", description: "Counts",
    inputSchema: { type: "object", properties: { n: { type: "integer" }, pad: { type: "string" } } },
    execute: async ({ n }) => ({ n }),
  });
  const integrity = "sha384-" + "A".repeat(64);
  const told = (promise) => promise.then(() => "it was taken", ({ code, message }) => code + ": " + message);
  const sandbox = await createSandbox({ module: "../guests/door-loop.wasm" });
  const { status, exitCode } = await sandbox.run({ args: ["3"], tools: [count] }).result;
  const spec = { init: "go", run: "go" };
  // (module (memory (export "memory") 1) (func (export "go")))
  const module = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1,
    7, 15, 2, 6, 109, 101, 109, 111, 114, 121, 2, 0, 2, 103, 111, 0, 0, 10, 4, 1, 2, 0, 11]);
  const without = await createSandbox({ module, snapshot: { ...spec, optional: true } });
  const greet = await loadPackage("../guests/packages/greet.wasm");
  globalThis.seen = {
    secure: isSecureContext,
    ran: status + " " + exitCode,
    integrity: await told(createSandbox({ module: "../guests/hello.wasm", integrity })),
    snapshot: await told(createSandbox({ module, snapshot: spec })),
    optional: without.snapshot,
    greeted: (await greet.call("greet", { name: "Ada" })).structuredContent,
  };`;

const site = chromiumSite({
  files: {
    "/page/": '<!doctype html><script type="module" src="script.js"></script>',
    "/page/script.js": SCRIPT,
  },
  flags: ["--host-resolver-rules=MAP intranet.test 127.0.0.1, MAP intranet.test [::1]"],
});

test("guests, tools and packages work; what needs a digest says why it cannot be had", async () => {
  const page = await site.browser.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(site.server.url("/page/").replace("localhost", "intranet.test"));
  await page
    .waitForFunction(() => "seen" in globalThis, undefined, { timeout: 15_000 })
    .catch(() => {});
  expect(errors).toEqual([]);
  expect(await page.evaluate(() => (globalThis as unknown as { seen: object }).seen)).toEqual({
    secure: false,
    ran: "exited 0",
    integrity: expect.stringMatching(/^unsupported: integrity needs a digest.*https/),
    snapshot: expect.stringMatching(/^unsupported: a snapshot needs a digest.*https/),
    optional: false,
    greeted: { message: "Hello, Ada!" },
  });
});
