// The playground on Vite's server, as `npm start` serves it: what a person sees and does there; Node, driving Chromium.

import { fileURLToPath } from "node:url";
import type { Browser } from "playwright";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { Playground } from "./playground-driver.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let browser: Browser;
let server: ViteDevServer;
let url: string;
let playground: Playground;

beforeAll(async () => {
  server = await createServer({
    configFile: `${root}vite.config.ts`,
    root,
    cacheDir: `${root}.cache/vite-test`,
    // Nothing may reload the page while it is tested.
    server: { host: "localhost", port: 0, hmr: false, watch: null },
    logLevel: "warn",
  });
  await server.listen();
  url = server.resolvedUrls!.local[0]!;
  browser = await launchChromium();
  playground = await Playground.open(browser, url);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

test("the default program prints answers, changes the page, asks, and draws", async () => {
  const { page, calls, gate } = playground;
  expect(await page.locator("#transport").textContent()).toBe("shared-memory");
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Enter");
  await gate.waitFor();
  expect(await gate.textContent()).toContain("place_order");
  expect(await gate.locator("pre").textContent()).toBe('item = "wall map"\nquantity = 2');
  expect(await page.locator("#status").textContent()).toBe("Running");
  // A key that was meant for the page must not allow anything.
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Deny");
  await playground.button("Allow").click();

  expect(await playground.ended()).toMatch(
    /^Exited with code 0 after \d+\.\d+\ss \(\d+\.\d+\ss of its own\)$/,
  );
  expect(await playground.text()).toMatch(
    /^Hello from Python 3\.\d+\.\d+\nEMEA +Europe, Middle East and Africa, 14 offices\nAPAC .*9 offices\nLATAM .*5 offices\nOrder 1001 is placed\n$/,
  );
  expect(await page.locator('.lamp[data-colour="green"]').count()).toBe(12);
  expect(await page.locator("#lamps").getAttribute("aria-label")).toBe("Lamps: 24 of 144 are lit");
  expect(await page.locator("#chart .chart-bar").count()).toBe(3);
  expect(await page.locator("#chart figcaption").textContent()).toBe("Offices");

  expect(await calls.count()).toBe(30);
  expect(await page.locator("#calls-count").textContent()).toBe("30");
  const first = calls.first();
  expect(await first.locator(".call-line").textContent()).toBe('lookup_region(code="EMEA")');
  expect(await first.locator(".call-answer").textContent()).toBe(
    '{"name": "Europe, Middle East and Africa", "offices": 14}',
  );
  const milliseconds = Number((await first.locator(".call-time").textContent())!.split(" ")[0]);
  expect(milliseconds).toBeGreaterThanOrEqual(400);
  expect(milliseconds).toBeLessThan(5_000);
});

test("Deny reaches the program as ToolDenied, and Escape is Deny", async () => {
  await playground.example("orders");
  await playground.start();
  await playground.gate.waitFor();
  await playground.button("Deny").click();
  await playground.waitForOutput("wall map: you have denied it");
  await playground.gate.waitFor();
  await playground.page.keyboard.press("Escape");
  await playground.waitForOutput("compass: you have denied it");
  await playground.gate.waitFor();
  await playground.button("Allow").click();
  await playground.ended();
  expect(await playground.text()).toMatch(/signal lamp: order \d+, 150.00 in all\n1 placed, 2 ref/);
  const kinds = await playground.calls.evaluateAll((rows) =>
    rows.map((row) => (row as HTMLElement).dataset["kind"]),
  );
  expect(kinds).toEqual(["denied", "denied", "ok"]);
  expect(await playground.calls.first().locator(".call-answer").textContent()).toBe(
    "denied: you have denied it",
  );
});

test("what is not to be asked again is not asked again, until the next run", async () => {
  const program = `from host import tools
for n in (1, 2, 3):
    print(tools.place_order("rope", n)["quantity"])`;
  for (let run = 0; run < 2; run++) {
    await playground.start(program);
    await playground.gate.waitFor();
    await playground.page.getByLabel("Do not ask again during this run").check();
    await playground.button("Allow").click();
    await playground.ended();
    expect(await playground.text()).toBe("1\n2\n3\n");
  }
});

test("output comes while the program runs, stderr told apart", async () => {
  await playground.start(`import sys, time
print("one", end="")
time.sleep(1.2)
print(" two")
print("a warning", file=sys.stderr)
raise SystemExit(3)`);
  await playground.waitForOutput("one");
  expect(await playground.text()).toBe("one");
  expect(await playground.page.locator("#clock").textContent()).toMatch(/^\d\.\d\d\ss$/);
  expect(await playground.ended()).toMatch(/^Exited with code 3 /);
  expect(await playground.page.locator("#output .out").allTextContents()).toEqual(["one two\n"]);
  const errors = playground.page.getByRole("group", { name: "Standard error" });
  expect(await errors.allTextContents()).toEqual(["a warning\n"]);
});

test("Stop ends an endless loop within a second, and the next program runs", async () => {
  await playground.example("forever");
  await playground.start();
  await playground.waitForOutput("and counting");
  const before = performance.now();
  await playground.button("Stop").click();
  await playground.waitForStatus(/^Stopped after/, 2_000);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect((await playground.run("print('alive')")).output).toBe("alive\n");
});

test("Stop while the gate asks closes the dialog", async () => {
  await playground.start('from host import tools\ntools.place_order("rope", 1)');
  await playground.gate.waitFor();
  // The dialog is modal, so it is not a click that stops: a page may do it by itself.
  await playground.page.evaluate(() => document.getElementById("stop")!.click());
  expect(await playground.ended()).toMatch(/^Stopped after/);
  expect(await playground.gate.count()).toBe(0);
});

test("input() is answered in the field, which takes the focus when it is asked", async () => {
  const { page } = playground;
  await playground.start(`name = input("Who are you? ")
print(f"Hello {name}!")
try:
    input("More? ")
except EOFError:
    print("no more")`);
  await playground.waitForOutput("Who are you? ");
  await page.waitForFunction(() => document.activeElement?.id === "input-line");
  await page.keyboard.type("Ada ünd Co");
  await page.keyboard.press("Enter");
  await playground.waitForOutput("More? ");
  await page.locator("#input-form.asked").waitFor();
  await page.keyboard.press("Control+d");
  await playground.ended();
  expect(await playground.text()).toBe(
    "Who are you? Ada ünd Co\nHello Ada ünd Co!\nMore? no more\n",
  );
  expect(await page.locator(".typed").allTextContents()).toEqual(["Ada ünd Co\n"]);
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

test("nothing went wrong on the page", async () => {
  await playground.close();
});

test("without CodeMirror the text area stays, and works", async () => {
  const context = await browser.newContext();
  await context.route("**/code-editor.ts*", (route) => route.abort());
  const page = await context.newPage();
  await page.goto(url);
  const area = page.getByRole("textbox", { name: "Python program" });
  expect(await area.inputValue()).toContain("from host import tools");
  await area.fill("print(6 * 7)");
  await page.locator("#run").click();
  await page.locator("#status", { hasText: "Exited with code 0" }).waitFor({ timeout: 30_000 });
  expect(await page.locator("#output").textContent()).toBe("42\n");
  await context.close();
});
