// @sallyport/python as npm would publish it: what is in it, its types, and its wheels in an app beside the library; Node.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build, createServer } from "vite";
import { runCommand, runNpm, runPackage } from "../../scripts/run-command.mjs";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import { packPackage, root, type PackedPackage } from "./packed-package.ts";

const built = existsSync(join(root, "guests/python/dist/python-started.wasm"));
if (!built) console.log("No image of our Python was made: it is not run as a package.");

let library: PackedPackage;
let folder: string;

beforeAll(async () => {
  library = await packPackage();
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", library.app];
  const cwd = join(root, "guests/python");
  const result = await runNpm(args, { timeoutMs: 60_000, capture: true, cwd });
  expect(result.ok, result.output).toBe(true);
  const [, name] = /"filename":\s*"([^"]+\.tgz)"/.exec(result.output)!;
  folder = join(library.app, "node_modules/@sallyport/python");
  mkdirSync(folder, { recursive: true });
  const tarball = join(library.app, name!);
  execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"]);
});
afterAll(() => library?.remove());

test("publint finds nothing but the guests, where they are not built", async () => {
  const { messages, pkg } = await publint({ pkgDir: folder, pack: false, strict: true });
  const other = messages.filter(
    ({ code, path }) =>
      code !== "FILE_DOES_NOT_EXIST" ||
      !/^\.\/python[-\w]*\.(wasm|snapshot|bin)$/.test(String(path[1])),
  );
  expect(other.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("an app reads a wheel and mounts it, beside the library", async () => {
  const wheel = zipSync({
    "a.py": strToU8("x = 1"),
    "a-1.0.dist-info/METADATA": strToU8("Name: a\nVersion: 1.0\n"),
    "a-1.0.dist-info/WHEEL": strToU8("Wheel-Version: 1.0\n"),
  });
  writeFileSync(join(library.app, "a-1.0-py3-none-any.whl"), wheel);
  const code = `
    import { readFileSync } from "node:fs";
    import { readWheel, wheelFolder, WheelError } from "@sallyport/python";
    const fileName = "a-1.0-py3-none-any.whl";
    const wheel = await readWheel(readFileSync(fileName), { fileName });
    const { mounts } = wheelFolder([wheel]);
    const error = await readWheel(new Uint8Array(4), { fileName }).catch((one) => one);
    console.log(wheel.modules, mounts["/packages"].kind, error instanceof WheelError, error.code);`;
  writeFileSync(join(library.app, "app.mjs"), code);
  const options = { timeoutMs: 30_000, capture: true, cwd: library.app };
  const { output } = await runCommand(process.execPath, ["app.mjs"], options);
  expect(output.trim()).toBe("[ 'a' ] image true not_a_wheel");
});

test("an app's TypeScript takes its types, and what it gives fits run()", async () => {
  const code = `
    import { createSandbox } from "sallyport";
    import { readWheel, wheelFolder, WheelError, type Wheel } from "@sallyport/python";
    export async function run(file: File): Promise<string> {
      try {
        const wheel: Wheel = await readWheel(file, { python: "3.12" });
        const python = await createSandbox({ module: "/python.wasm" });
        return (await python.run({ args: ["-c", ""], files: {}, ...wheelFolder([wheel]) }).result).stdoutText;
      } catch (error) {
        return error instanceof WheelError && error.code === "native_code" ? error.fileName : "";
      }
    }
    // @ts-expect-error a wheel is no text
    void readWheel("a.whl");`;
  writeFileSync(join(library.app, "app.ts"), code);
  const settings = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2024"];
  const modules = ["--module", "nodenext", "--lib", "es2024,dom,dom.asynciterable", "--types", ""];
  const options = { timeoutMs: 60_000, capture: true, cwd: library.app };
  const args = [...settings, ...modules, join(library.app, "app.ts")];
  const { ok, output } = await runPackage("typescript", "tsc", args, options);
  expect(ok, output).toBe(true);
});

test("its options are addresses of its own files, and of the same in another folder", async () => {
  const code = `
    import { python, pythonAt } from "@sallyport/python/options";
    const files = ({ module, deferredCode, library }) =>
      [module, deferredCode, ...Object.values(library)].map((url) => String(url).replace("https://a.example/b/", "b:"));
    const base = String(new URL("./node_modules/@sallyport/python/dist/", import.meta.url));
    const own = files(python);
    console.log(own.every((file) => file.startsWith(base)), files(pythonAt("https://a.example/b/")));
    console.log(python.snapshot, Object.keys(python.library));`;
  writeFileSync(join(library.app, "options.mjs"), code);
  const options = { timeoutMs: 30_000, capture: true, cwd: library.app };
  const { output } = await runCommand(process.execPath, ["options.mjs"], options);
  expect(output.replaceAll(/\s+/g, " ").trim()).toBe(
    "true [ 'b:python-started.wasm', 'b:python-deferred.wasm', 'b:python-stdlib.bin' ] " +
      "{ run: 'snapshot_run' } [ '/lib/python3.11/stdlib.bin' ]",
  );
});

/** The app that has both packages, with one page and one script. */
function writeApp(script: string): string {
  const head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';
  const page = `${head}<script type="module" src="/page.js"></script>`;
  writeFileSync(join(library.app, "index.html"), page);
  writeFileSync(join(library.app, "page.js"), script);
  writeFileSync(join(library.app, "package.json"), '{ "private": true, "type": "module" }');
  return library.app;
}

/** What an app's page says; whatever goes wrong on it fails the test. */
async function outcomesAt(urls: readonly string[]): Promise<unknown[]> {
  const browser = await launchChromium();
  const problems: string[] = [];
  try {
    const outcomes: unknown[] = [];
    for (const url of urls) {
      const page = await browser.newPage();
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      await page.goto(url);
      const outcome = () => (globalThis as { outcome?: unknown }).outcome;
      outcomes.push(await (await page.waitForFunction(outcome)).jsonValue());
    }
    expect(problems).toEqual([]);
    return outcomes;
  } finally {
    await browser.close();
  }
}

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

test.skipIf(!built)(
  "a fresh Vite app runs it with two lines, built and in dev, isolated and not",
  async () => {
    const app = writeApp(
      `import { createSandbox } from "sallyport";
       import { python } from "@sallyport/python/options";
       const sandbox = await createSandbox(python);
       const { stdoutText } = await sandbox.run({ args: ["-c", "import csv, json; print(csv.__name__, json.dumps([42]))"] }).result;
       globalThis.outcome = [stdoutText, sandbox.snapshot, sandbox.transport];`,
    );
    const outDir = join(app, "out-own");
    await build({ root: app, configFile: false, logLevel: "error", build: { outDir } });
    // A built Vite app lives at the root of its origin, so the mode is that of the port.
    const servers = [
      await serveStatic({ folders: { "/": outDir }, mode: "coi" }),
      await serveStatic({ folders: { "/": outDir }, mode: "plain" }),
    ];
    const settings = {
      host: "localhost",
      port: 0,
      headers: HEADERS,
      hmr: false,
      watch: null,
    } as const;
    const dev = await createServer({
      root: app,
      configFile: false,
      logLevel: "error",
      server: settings,
    });
    await dev.listen();
    try {
      const urls = [...servers.map((server) => server.url("/")), dev.resolvedUrls!.local[0]!];
      expect(await outcomesAt(urls)).toEqual(
        ["shared-memory", "suspending", "shared-memory"].map((transport) => [
          "csv [42]\n",
          true,
          transport,
        ]),
      );
    } finally {
      await dev.close();
      for (const server of servers) await server.close();
    }
  },
);

test("an app that serves the files itself gets none of them from its bundler", async () => {
  const app = writeApp(
    `import { pythonAt } from "@sallyport/python/at";
     globalThis.outcome = String(pythonAt(new URL("/guests/", location.href)).module);`,
  );
  const outDir = join(app, "out-served");
  await build({ root: app, configFile: false, logLevel: "error", build: { outDir } });
  const files = readdirSync(join(outDir, "assets"));
  expect(files.filter((name) => !name.endsWith(".js"))).toEqual([]);
});
