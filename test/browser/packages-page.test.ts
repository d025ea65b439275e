// The demo's page of packages, driven as a person would: open, inspect, call, see, keep; Node, driving Chromium.

import { fileURLToPath } from "node:url";
import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import type { Browser, Page } from "playwright";
import type { ViteDevServer } from "vite";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { servePlayground } from "./playground-driver.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let browser: Browser;
let server: ViteDevServer;
let page: Page;
let problems: string[];

beforeAll(async () => {
  browser = await launchChromium();
  server = await servePlayground();
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

beforeEach(async () => {
  await page?.close();
  page = await browser.newPage();
  problems = [];
  page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()}`);
  });
  await page.goto(`${server.resolvedUrls!.local[0]}demo/packages/index.html`);
});

async function openExample(name: string): Promise<void> {
  const menu = page.locator("#example");
  const label = (await menu.locator("option").allTextContents()).find((text) =>
    text.startsWith(name),
  );
  await menu.selectOption({ label: label! });
  await page.locator("#open-example").click();
}

const answer = () => page.locator("#answer");
const volume = () => page.locator("#volume");

test("greets: a form from the schema, text, the structured value", async () => {
  await openExample("greet");
  await expect.poll(() => page.locator("#status").textContent()).toContain("1 tool");
  expect(await page.locator("#report").textContent()).toContain("can be a package");
  await page.getByLabel("name *").fill("Ada");
  await page.getByRole("button", { name: "Call" }).click();
  await expect.poll(() => answer().textContent()).toContain("Hello, Ada!");
  await page.getByLabel("name *").fill("");
  await page.getByRole("button", { name: "Call" }).click();
  await expect
    .poll(() => answer().locator(".sallyport-error").textContent())
    .toContain("name must be");
  expect(problems).toEqual([]);
});

test("draws: an image as it is, and its file in the volume", async () => {
  await openExample("chart");
  const form = page.getByRole("form", { name: "bar_chart" });
  await form.getByLabel("values *").fill("[3, 1, 2]");
  await form.getByLabel("title").fill("Three bars");
  await form.getByRole("button", { name: "Call" }).click();
  const canvas = answer().locator("canvas");
  await expect.poll(() => canvas.getAttribute("width")).toBe("320");
  expect(await canvas.getAttribute("aria-label")).toBe("chart.png");
  // The tallest bar is in the first color of the archive's colors.txt.
  const color = await canvas.evaluate((element) => {
    const pixels = (element as HTMLCanvasElement).getContext("2d")!.getImageData(60, 150, 1, 1);
    return [...pixels.data];
  });
  expect(color).toEqual([0x1a, 0x5c, 0x70, 255]);
  await expect.poll(() => volume().textContent()).toContain("/tmp/chart.png");
  await form.getByLabel("values *").fill("[3");
  await form.getByRole("button", { name: "Call" }).click();
  expect(await form.getByRole("alert").textContent()).toContain("values is not JSON");
  expect(problems).toEqual([]);
});

test("keeps: the list of another visit is still there, and deleted when asked", async () => {
  const add = async (text: string): Promise<void> => {
    const form = page.getByRole("form", { name: "add" });
    await form.getByLabel("text *").fill(text);
    await form.getByRole("button", { name: "Call" }).click();
    await expect.poll(() => answer().textContent()).toContain(text);
  };
  await openExample("todo");
  await page.getByLabel("keep in this browser").check();
  await add("water the plants");
  await expect.poll(() => volume().textContent()).toContain("/data/todo.json");
  await page.reload();
  await page.getByLabel("keep in this browser").check();
  await expect.poll(() => volume().textContent()).toContain("/data/todo.json");
  await openExample("todo");
  await page.getByRole("form", { name: "list" }).getByRole("button", { name: "Call" }).click();
  await expect.poll(() => answer().textContent()).toContain("water the plants");
  const download = page.waitForEvent("download");
  await page.locator("#export").click();
  expect((await download).suggestedFilename()).toBe("volume.zip");
  const file = await (await download).path();
  await page.locator("#empty").click();
  await expect.poll(() => volume().textContent()).toContain("No files yet");
  await page
    .locator("#import")
    .setInputFiles({ name: "v.zip", mimeType: "application/zip", buffer: readFileSync(file) });
  await expect.poll(() => volume().textContent()).toContain("/data/todo.json");
  await page.locator("#empty").click();
  expect(problems).toEqual([]);
});

test("says what is wrong: a module that is no package, a file that is none, a crash with its stderr", async () => {
  await openExample("no package");
  await expect
    .poll(() => page.locator("#report").textContent())
    .toContain("keep it from being a package");
  expect(await page.locator("#report").textContent()).toContain("exceptions");
  expect(await page.locator("#status").textContent()).toContain("no function package");
  await page
    .locator("#file")
    .setInputFiles({ name: "a.wasm", mimeType: "application/wasm", buffer: Buffer.from("<html>") });
  await expect.poll(() => page.locator("#report").textContent()).toContain("not_wasm");
  await page.locator("#file").setInputFiles(`${root}test/guests/packages/misbehave.wasm`);
  await page.getByRole("button", { name: "Call" }).click();
  await expect.poll(() => answer().textContent()).toContain("nothing of that kind");
  expect(problems).toEqual([]);
});

const greetFile = () => readFileSync(`${root}test/guests/packages/greet.wasm`);

/** Drops a file on the page, as a person does. */
async function drop(name: string, bytes: Uint8Array): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([file, content]) => {
      const transfer = new DataTransfer();
      const binary = atob(content!);
      transfer.items.add(new File([Uint8Array.from(binary, (byte) => byte.charCodeAt(0))], file!));
      return transfer;
    },
    [name, Buffer.from(bytes).toString("base64")],
  );
  await page.dispatchEvent("main", "drop", { dataTransfer });
}

test("takes what is dropped: a module, a hostile archive, a broken one, one that crashes while it is asked", async () => {
  await drop("hello.wasm", greetFile());
  await expect.poll(() => page.locator("#status").textContent()).toBe("hello.wasm: 1 tool");
  await page.getByLabel("name *").fill("Ada");
  await page.getByRole("button", { name: "Call" }).click();
  await expect.poll(() => answer().textContent()).toContain("Hello, Ada!");

  const files = {
    "module.wasm": greetFile(),
    "subako-package.json": strToU8('{"abi":1,"name":"evil"}'),
  };
  await drop("evil.zip", zipSync({ ...files, "../x": strToU8("x") }));
  await expect
    .poll(() => page.locator("#status").textContent())
    .toBe('the path "../x" leads out of the archive');
  expect(await page.locator("#report").textContent()).toBe("There is no module to inspect.");
  expect(await page.locator("#tools").textContent()).toBe("No tools.");
  expect(await answer().textContent()).toBe("Nothing was called.");

  await drop("cut.zip", zipSync(files).slice(0, -9));
  await expect
    .poll(() => page.locator("#status").textContent())
    .toContain("the zip directory is missing");
  await drop("cut.wasm", greetFile().subarray(0, 9_000));
  await expect.poll(() => page.locator("#report").textContent()).toContain("truncated");

  const module = readFileSync(`${root}test/guests/packages/misbehave.wasm`);
  await drop(
    "crash.zip",
    zipSync({ ...files, "module.wasm": module, how: strToU8("list stderr 9") }),
  );
  await expect
    .poll(() => page.locator("#status").textContent())
    .toContain("the function crashed: it ended with code 3");
  expect(await answer().locator("details").textContent()).toContain("stderr");
  expect(problems).toEqual([]);
});

test("stops a call that would not end, and forgets the one before", async () => {
  const module = readFileSync(`${root}test/guests/packages/misbehave.wasm`);
  const tools = {
    tools: [
      {
        name: "act",
        description: "Does it.",
        inputSchema: { type: "object", properties: { how: { type: "string" } } },
      },
    ],
  };
  const files = { "module.wasm": module, "subako-package.json": strToU8('{"abi":1}') };
  await drop("act.zip", zipSync({ ...files, tools: strToU8(JSON.stringify(tools)) }));
  await page.getByLabel("how").fill("spin");
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect.poll(() => answer().textContent()).toContain("aborted");
  await page.getByRole("button", { name: "Call" }).click();
  await page.getByLabel("how").fill("fail");
  await page.getByRole("button", { name: "Call" }).click();
  await expect.poll(() => answer().textContent()).toContain("on purpose");
  expect(await answer().textContent()).not.toContain("aborted");
  expect(problems).toEqual([]);
});

test("the answer is in sight when a tool far down is called", async () => {
  const tools = Array.from({ length: 12 }, (_, index) => ({
    name: `act${index}`,
    description: "Does it.",
    inputSchema: { type: "object", properties: { how: { type: "string" } } },
  }));
  const files = {
    "module.wasm": readFileSync(`${root}test/guests/packages/misbehave.wasm`),
    "subako-package.json": strToU8('{"abi":1}'),
    tools: strToU8(JSON.stringify({ tools })),
  };
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await drop("many.zip", zipSync(files));
    const form = page.getByRole("form", { name: "act11" });
    await form.getByLabel("how").fill("fail");
    await form.getByRole("button", { name: "Call" }).click();
    const text = answer().getByText("on purpose");
    await text.waitFor();
    const box = (await text.boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(844);
  }
  expect(problems).toEqual([]);
});

test("fits a phone, in both themes", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openExample("chart");
  await page.getByRole("form", { name: "bar_chart" }).waitFor();
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await page.locator("#theme").click();
  expect(await overflow()).toBeLessThanOrEqual(0);
});

test("axe finds nothing serious, light and dark", async () => {
  await openExample("chart");
  await page.getByRole("form", { name: "bar_chart" }).waitFor();
  await page.evaluate(readFileSync(`${root}node_modules/axe-core/axe.min.js`, "utf8"));
  for (const theme of ["light", "dark"]) {
    await page.evaluate((name) => void (document.documentElement.dataset["theme"] = name), theme);
    const found = await page.evaluate(async () => {
      const { violations } = await (
        globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; impact: string; nodes: { html: string }[] }[];
            }>;
          };
        }
      ).axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes[0]!.html}`);
    });
    expect(found, theme).toEqual([]);
  }
});
