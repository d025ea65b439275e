// The conformance vectors of the tool protocol in Chromium, in a page and in a worker; Node, driving Chromium.

import { readdirSync, readFileSync } from "node:fs";
import type { Browser } from "playwright";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { VectorsReport } from "../conformance/vectors-page.ts";
import { launchChromium } from "../launch-chromium.ts";

const folder = new URL("../conformance/tool-protocol/", import.meta.url);
const texts = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);
const total = Object.entries(texts)
  .filter(([name]) => name !== "tools.json")
  .flatMap(([, text]) => (JSON.parse(text) as { vectors: unknown[] }).vectors).length;

type RunVectors = (texts: Record<string, string>) => Promise<VectorsReport>;

let browser: Browser;
let script: string;

beforeAll(async () => {
  const bundle = await rolldown({
    input: new URL("../conformance/vectors-page.ts", import.meta.url).pathname,
  });
  const { output } = await bundle.generate({ format: "iife" });
  await bundle.close();
  script = output[0].code;
  browser = await launchChromium();
});

afterAll(async () => browser?.close());

test("in a page", async () => {
  const page = await browser.newPage();
  await page.evaluate(script);
  const report = await page.evaluate(
    (given) => (globalThis as unknown as { runVectors: RunVectors }).runVectors(given),
    texts,
  );
  expect(report).toEqual({ passed: total, failed: [] });
  await page.close();
});

test("in a worker", async () => {
  const page = await browser.newPage();
  const code = `${script}\nonmessage = async ({ data }) => postMessage(await runVectors(data));`;
  const report = await page.evaluate(
    ([source, given]) =>
      new Promise<unknown>((resolve, reject) => {
        const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        const worker = new Worker(url);
        worker.addEventListener("message", ({ data }) => resolve(data));
        worker.addEventListener("error", ({ message }) => reject(new Error(message)));
        worker.postMessage(given);
      }),
    [code, texts] as const,
  );
  expect(report).toEqual({ passed: total, failed: [] });
  await page.close();
});
