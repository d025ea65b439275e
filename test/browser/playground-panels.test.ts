// The playground's panels on Vite's server: editor, files, record of calls, chart, bounded output, doctor; Node, driving Chromium.

import type { Browser, Page } from "playwright";
import type { ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { Playground, servePlayground } from "./playground-driver.ts";

let browser: Browser;
let server: ViteDevServer;
let playground: Playground;

beforeAll(async () => {
  server = await servePlayground();
  browser = await launchChromium();
  playground = await Playground.open(browser, server.resolvedUrls!.local[0]!);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("a file goes in, files come out and can be saved", async () => {
  await playground.example("files");
  const { status } = await playground.run();
  expect(status).toMatch(/^Exited with code 0/);
  const links = playground.page.locator("#files a");
  expect(await links.allTextContents()).toEqual(["/out/totals.csv", "/out/totals.json"]);
  const [download] = await Promise.all([
    playground.page.waitForEvent("download"),
    links.first().click(),
  ]);
  expect(download.suggestedFilename()).toBe("totals.csv");
  expect(await playground.page.locator(".chart-bar").count()).toBe(5);
});

test("errors: kinds, a traceback with the program's own line, the record", async () => {
  await playground.example("errors");
  const { output, status } = await playground.run();
  expect(status).toMatch(/^Exited with code 1/);
  expect(output).toContain("tool_error: no region has the code ATLANTIS");
  expect(output).toContain("invalid_arguments: ");
  expect(output).toContain("AttributeError: the host has no tool 'open_the_pod_bay_doors'");
  expect(output).toContain('tools.draw_chart("Broken", labels=["a", "b"], values=[1])');
  expect(output, "of the host package, a traceback shows one line").not.toContain("_frames.py");
  const row = playground.calls.nth(1);
  expect(await row.getAttribute("data-kind")).toBe("invalid_arguments");
  await row.locator("summary").click();
  expect(await row.locator("pre").textContent()).toMatch(
    /^light_lamp\(x=99, y=0, colour="green"\)\n→ invalid_arguments: /,
  );
});

test("a line chart is drawn while the program runs, and lamps move", async () => {
  await playground.example("walk");
  expect((await playground.run()).status).toMatch(/^Exited with code 0/);
  expect(await playground.page.locator(".chart-line").count()).toBe(1);
  expect(await playground.page.locator("#chart svg").getAttribute("aria-label")).toMatch(
    /^Line chart, A random walk, day 60: 1 \d.*, and 40 more$/,
  );
  await playground.example("lamps");
  expect((await playground.run()).output).toMatch(/^60 frames in \d+\.\d s\n$/);
  expect(await playground.page.locator("#lamps").getAttribute("aria-label")).toBe(
    "Lamps: 24 of 144 are lit",
  );
});

test("a flood leaves the page small, and its end is shown", async () => {
  const { output, status } = await playground.run(`for n in range(60_000):
    print(f"line {n:8} of a program that has much to say about nothing")`);
  expect(status).toMatch(/^Exited with code 0/);
  expect(output.length).toBeLessThan(240_000);
  expect(output.length).toBeGreaterThan(150_000);
  expect(output).toMatch(/^The first 3,\d\d\d,\d\d\d characters are no longer shown\./);
  expect(output).toMatch(/line {4}59999 of a program .*\n$/);
  expect(await playground.page.locator("#output > *").count()).toBeLessThan(80);
});

test("many calls leave 200 rows", async () => {
  await playground.run(`from host import tools
for n in range(1_200):
    tools.light_lamp(n % 24, 0, "blue")`);
  expect(await playground.calls.count()).toBe(200);
  expect(await playground.page.locator("#calls-count").textContent()).toBe("1,200");
  expect(await playground.calls.last().locator(".call-line").textContent()).toBe(
    'light_lamp(x=23, y=0, colour="blue")',
  );
});

test("Tab indents in the editor; Escape and then Tab leaves it", async () => {
  const { page, editor } = playground;
  await playground.write("pass");
  await page.keyboard.press("Home");
  await page.keyboard.press("Tab");
  expect(await editor.textContent()).toBe("    pass");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.id)).not.toBe("code-editor");
});

test("the editor colours Python and completes the tools' names", async () => {
  const { page } = playground;
  await playground.write("def f(): return 'text'\n");
  const colours = await page
    .locator(".cm-line")
    .first()
    .locator("span")
    .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
  expect(new Set(colours).size).toBeGreaterThanOrEqual(3);
  await page.keyboard.type("tools.dr");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "draw_chart" }).waitFor();
  await page.waitForTimeout(120); // CodeMirror takes no key for a completion that has just appeared
  await page.keyboard.press("Enter");
  expect(await playground.editor.textContent()).toContain("tools.draw_chart");
});

test("This page: what doctor() finds, to be read and copied", async () => {
  const { page } = playground;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.locator(".page-card summary").click();
  const verdict = page.locator("#page-verdict");
  await verdict.filter({ hasText: "Guests run here by shared-memory" }).waitFor();
  expect(await verdict.textContent()).toBe("Guests run here by shared-memory");
  expect(await shownFindings(page)).toMatchObject({
    blocking: { mark: "ok", found: "shared-memory: the page is cross-origin isolated" },
    isolation: { mark: "ok", found: "cross-origin isolated" },
    JSPI: { mark: "ok" },
    WebAssembly: { mark: "ok" },
    worker: { mark: "ok", found: expect.stringMatching(/worker\.js.* started in \d+ ms$/) },
    "Content-Security-Policy": { mark: "ok", found: "nothing was refused" },
  });
  expect(await page.locator("#page-list .fix").count()).toBe(0);
  const text = await page.getByRole("region", { name: "The findings as text" }).textContent();
  expect(text).toMatch(/^ok {4}blocking +shared-memory/);
  await playground.button("Copy as text").click();
  await playground.button("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  await playground.button("Copy as text").waitFor();
});

test("an edited program outlives a reload and a visit to another page, until an example is chosen", async () => {
  const { page, editor } = playground;
  const ready = async (): Promise<void> => {
    await editor.waitFor();
    await playground.waitForStatus(/^Ready$/, 30_000);
  };
  await playground.example("guess");
  await playground.write("print('mine')");
  await page.reload();
  await ready();
  expect(await page.locator("#examples").inputValue()).toBe("guess");
  expect(await editor.textContent()).toBe("print('mine')");
  await page.getByRole("link", { name: "Function packages" }).click();
  await page.getByRole("link", { name: "Playground" }).waitFor();
  await page.goBack();
  await ready();
  expect((await playground.run()).output).toBe("mine\n");
  await playground.example("lamps");
  await page.reload();
  await ready();
  expect(await page.locator("#examples").inputValue()).toBe("lamps");
  expect(await editor.textContent()).not.toContain("mine");
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test("nothing went wrong on the page", async () => {
  await playground.close();
});

test("without CodeMirror the text area stays, and works", async () => {
  const context = await browser.newContext();
  await context.route("**/code-editor.ts*", (route) => route.abort());
  const page = await context.newPage();
  await page.goto(server.resolvedUrls!.local[0]!);
  const area = page.getByRole("textbox", { name: "Python program" });
  expect(await area.inputValue()).toContain("from host import tools");
  await area.fill("print(6 * 7)");
  await page.locator("#run").click();
  await page.locator("#status", { hasText: "Exited with code 0" }).waitFor({ timeout: 30_000 });
  expect(await page.locator("#output").textContent()).toBe("42\n");
  await context.close();
});

test("This page, without isolation: what to look at, and the fix; no clipboard, then the text is selected", async () => {
  const context = await browser.newContext();
  const address = server.resolvedUrls!.local[0]!;
  await context.route(address, async (route) => {
    const response = await route.fetch();
    const { "cross-origin-opener-policy": _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await context.addInitScript(() => {
    const writeText = () => Promise.reject(new DOMException("not here", "NotAllowedError"));
    Object.defineProperty(navigator, "clipboard", { value: { writeText } });
  });
  const page = await context.newPage();
  await page.goto(address);
  await page.locator(".page-card summary").click();
  const verdict = page.locator("#page-verdict", { hasText: "Guests run here by suspending" });
  expect(await verdict.textContent()).toBe("Guests run here by suspending; 1 to look at");
  expect(await shownFindings(page)).toMatchObject({
    blocking: { mark: "ok" },
    isolation: {
      mark: "look",
      found: "not cross-origin isolated",
      fix: expect.stringContaining("Cross-Origin-Opener-Policy: same-origin"),
    },
    worker: { mark: "ok" },
  });
  await page.getByRole("button", { name: "Copy as text" }).click();
  await page.getByRole("button", { name: "Selected" }).waitFor();
  const selected = await page.evaluate(() => String(getSelection()));
  expect(selected).toMatch(/look {2}isolation +not cross-origin isolated\n +→ for the faster rung/);
  await context.close();
});

/** The list of the card, by the name of the finding. */
async function shownFindings(page: Page): Promise<Record<string, object>> {
  const rows = await page.locator("#page-list dt").evaluateAll((terms) =>
    terms.map((term) => {
      const [mark, name] = [...term.childNodes].map(({ textContent }) => textContent);
      const found = term.nextElementSibling!;
      const fix = found.nextElementSibling?.matches(".fix")
        ? found.nextElementSibling.textContent
        : undefined;
      return [name!, { mark, found: found.textContent, fix }] as const;
    }),
  );
  return Object.fromEntries(rows);
}
