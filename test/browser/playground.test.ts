// The playground on Vite's server, as `npm start` serves it: programs, from Run to their end; Node, driving Chromium.

import type { Browser } from "playwright";
import type { ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonInParts } from "../../scripts/copy-guests.mjs";
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

/** In the page: from a click on Run until the status says how it ended. */
async function timeOfRun(): Promise<number> {
  const status = document.getElementById("status")!;
  const before = performance.now();
  document.getElementById("run")!.click();
  while (!status.textContent.startsWith("Exited")) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return performance.now() - before;
}

test("the default program prints answers, changes the page, asks, and draws", async () => {
  const { page, calls, gate } = playground;
  expect(await page.locator("#transport").textContent()).toBe("shared-memory");
  expect(await page.locator("#python").textContent()).toMatch(
    pythonInParts() ? /^our CPython, already started$/ : /^(our|stock) CPython$/,
  );
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

test.skipIf(!pythonInParts())("Run is there at once: a few frames from click to end", async () => {
  await playground.write("print('hi')");
  const times: number[] = [];
  for (let at = 0; at < 7; at += 1) {
    times.push(await playground.page.evaluate(timeOfRun));
    expect(await playground.text()).toBe("hi\n");
  }
  // 20 ms where nothing else is at work.
  expect(times.toSorted((a, b) => a - b)[3]).toBeLessThan(150);
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

test("nothing went wrong on the page", async () => {
  await playground.close();
});
