// registerWebMCP with the model context that Chromium itself offers; Node.

import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import { launchChromium } from "../launch-chromium.ts";
import type { StaticServer } from "../static-server.ts";
import { type ContractPage, openContractPage, serveContractSite } from "./contract-site.ts";

let browser: Browser;
let site: StaticServer;
let page: Page;

/** What this Chromium has; the draft calls its own tools through it, so that pages can be tested. */
interface BrowserContext {
  getTools(): Promise<
    readonly { readonly name: string; readonly title?: string; readonly inputSchema: unknown }[]
  >;
  executeTool(
    tool: unknown,
    input: object,
    options?: { readonly signal: AbortSignal },
  ): Promise<unknown>;
}

beforeAll(async () => {
  await build({ log: () => {} });
  const args = ["--enable-experimental-web-platform-features"];
  [browser, site] = await Promise.all([launchChromium({ args }), serveContractSite(false)]);
  page = await browser.newPage();
  await openContractPage(page, site);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

describe("the browser's model context", () => {
  test("gets a registry's tools, calls them with checked arguments, and gives them back", async ({
    skip,
  }) => {
    const offered = await page.evaluate(
      () => "modelContext" in document || "modelContext" in navigator,
    );
    if (!offered) skip("this Chromium has no model context");
    const seen = await page.evaluate(async () => {
      const { sallyport, agents, packages } = globalThis as unknown as ContractPage;
      const { contractTool, localTools, toolRegistry } = sallyport;
      const context = ((document as { modelContext?: unknown }).modelContext ??
        (navigator as { modelContext?: unknown }).modelContext) as BrowserContext;
      const stopped = { yes: false };
      const find = contractTool({
        name: "find it",
        title: "Find",
        description: "Finds",
        readOnly: true,
        parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
        execute: ({ q }) => ({ found: q as string }),
      });
      const wait = contractTool({
        name: "wait",
        description: "Waits",
        execute: (_args, { signal }) =>
          new Promise(() => signal.addEventListener("abort", () => (stopped.yes = true))),
      });
      const greet = await packages.loadPackage(
        new URL("/guests/packages/greet.wasm", location.href),
      );
      const registry = toolRegistry([localTools(find, wait), greet]);
      const registered = await agents.registerWebMCP(registry);
      const tools = await context.getTools();
      const named = (name: string) => tools.find((tool) => tool.name === name);
      const text = async (name: string, input: object) => {
        const result = await context.executeTool(named(name), input);
        return typeof result === "string" ? result : JSON.stringify(result);
      };
      const results = [
        await text("find_it", { q: "x" }),
        await text("find_it", {}),
        await text("greet", { name: "Ada" }),
        await text("greet", {}),
      ];
      const called = registry.calls.map(({ name }) => name);
      const stop = new AbortController();
      const waiting = context
        .executeTool(named("wait"), {}, { signal: stop.signal })
        .catch(() => "aborted");
      await new Promise((resolve) => setTimeout(resolve, 50));
      stop.abort();
      await waiting;
      for (let i = 0; i < 50 && !stopped.yes; i++)
        await new Promise((resolve) => setTimeout(resolve, 20));
      registered?.unregister();
      const left = (await context.getTools()).length;
      return {
        names: tools.map(({ name, title }) => [name, title ?? ""]),
        results,
        called,
        stopped: stopped.yes,
        left,
      };
    });
    expect(seen.names).toEqual(
      expect.arrayContaining([
        ["find_it", "Find"],
        ["wait", ""],
      ]),
    );
    expect(seen.results[0]).toContain('"structuredContent":{"found":"x"}');
    expect(seen.results[1]).toContain('"isError":true');
    expect(seen.results[2]).toContain("Hello, Ada!");
    expect(seen.results[3]).toContain('"isError":true');
    // Wrong arguments reach nobody, also where a package would check them itself.
    expect(seen.called).toEqual(["find it", "greet"]);
    expect(seen.stopped).toBe(true);
    expect(seen.left).toBe(0);
  });
});
