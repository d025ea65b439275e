// The packed package in the hands of others: plain pages, an import map, and four bundlers; Node, driving Chromium.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright";
import type { Stats } from "webpack";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { HeaderMode, StaticServer, StaticServerOptions } from "../static-server.ts";
import { packPackage, root } from "./packed-package.ts";
import type { PackedPackage } from "./packed-package.ts";

const source = readFileSync(new URL("./fixtures/consumer/app.js", import.meta.url), "utf8");
const guests = join(root, "test/guests");
const page = (script: string) =>
  `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>app</title>${script}`;
const moduleTag = (url: string) => `<script type="module" src="${url}"></script>`;

const expected = (transport: string) => ({
  status: ["exited", "exited"],
  greeting: expect.stringMatching(/arg Ada[^]*from stdin/),
  call: expect.stringContaining('{"v":1,"id":1,"ok":true,"value":"KNOCK"}'),
  transport,
});

let browser: Browser;
let packed: PackedPackage;
const servers: StaticServer[] = [];

beforeAll(async () => {
  packed = await packPackage();
  const manifest = { name: "app", private: true, type: "module", dependencies: { sallyport: "*" } };
  writeFileSync(join(packed.app, "package.json"), JSON.stringify(manifest));
  mkdirSync(join(packed.app, "src"));
  writeFileSync(join(packed.app, "src/app.js"), source);
  writeFileSync(join(packed.app, "index.html"), page(moduleTag("/src/app.js")));
  cpSync(join(guests, "hello.wasm"), join(packed.app, "public/guests/hello.wasm"));
  cpSync(join(guests, "door-raw.wasm"), join(packed.app, "public/guests/door-raw.wasm"));
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  for (const server of servers) await server.close();
  packed?.remove();
});

async function serve(options: StaticServerOptions): Promise<StaticServer> {
  const server = await serveStatic({
    ...options,
    folders: { "/guests": guests, ...options.folders },
  });
  servers.push(server);
  return server;
}

/** What the app says on a page; problems of the page fail the test. */
async function outcomeAt(url: string): Promise<unknown> {
  const context = await browser.newContext();
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on("pageerror", (error) => problems.push(error.message));
  tab.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  try {
    await tab.goto(url);
    const ready = () => (globalThis as { outcome?: unknown }).outcome;
    const outcome = await (
      await tab.waitForFunction(ready, undefined, { timeout: 30_000 })
    ).jsonValue();
    expect(problems).toEqual([]);
    return outcome;
  } catch (error) {
    throw new Error(`${String(error)}\n${problems.join("\n")}`, { cause: error });
  } finally {
    await context.close();
  }
}

async function runsIn(server: StaticServer, modes: readonly HeaderMode[], path = "/") {
  for (const mode of modes) {
    const transport = mode === "coi" ? "shared-memory" : "suspending";
    expect(await outcomeAt(server.url(path, mode)), mode).toEqual(expected(transport));
  }
}

describe("without a bundler", () => {
  const inline = (url: string) => source.replace('"sallyport"', JSON.stringify(url));

  test("sallyport.min.js from a plain module script", async () => {
    const server = await serve({
      folders: { "/lib": join(packed.folder, "dist") },
      files: { "/": page(`<script type="module">${inline("./lib/sallyport.min.js")}</script>`) },
    });
    await runsIn(server, ["coi", "plain"]);
  });

  test("sallyport.min.js from a second origin", async () => {
    const other = await serve({
      folders: { "/": join(packed.folder, "dist") },
      mode: "coi",
      cors: true,
    });
    const script = inline(other.url("/sallyport.min.js"));
    const server = await serve({
      files: { "/": page(`<script type="module">${script}</script>`) },
    });
    await runsIn(server, ["coi", "plain"]);
  });

  const withMap = (target: string) => {
    const map = JSON.stringify({ imports: { sallyport: target } });
    return page(`<script type="importmap">${map}</script>${moduleTag("./app.js")}`);
  };

  test("an import map, on the same origin", async () => {
    const server = await serve({
      folders: { "/lib": join(packed.folder, "dist") },
      files: { "/": withMap("./lib/index.js"), "/app.js": source },
    });
    await runsIn(server, ["coi", "plain"]);
  });

  test("an import map, on a second origin", async () => {
    const other = await serve({
      folders: { "/": join(packed.folder, "dist") },
      mode: "coi",
      cors: true,
    });
    const server = await serve({
      files: { "/": withMap(other.url("/index.js")), "/app.js": source },
    });
    await runsIn(server, ["coi", "plain"]);
  });
});

describe("with a bundler", () => {
  const out = (name: string) => join(packed.app, "out", name);

  async function serveOutput(folder: string, script: string): Promise<StaticServer> {
    return serve({ folders: { "/": folder }, files: { "/": page(moduleTag(script)) } });
  }

  test("Vite, build: no line of configuration", async () => {
    const { build } = await import("vite");
    await build({
      root: packed.app,
      configFile: false,
      logLevel: "error",
      build: { outDir: out("vite"), emptyOutDir: true },
    });
    for (const mode of ["coi", "plain"] as const) {
      const transport = mode === "coi" ? "shared-memory" : "suspending";
      // A built Vite app lives at the root of its origin, so the mode is that of the port.
      const own = await serve({ folders: { "/": out("vite") }, mode });
      expect(await outcomeAt(own.url("/"))).toEqual(expected(transport));
    }
  });

  test("Vite, dev: no line but the two headers", async () => {
    const { createServer } = await import("vite");
    const headers = {
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    };
    for (const [transport, extra] of [
      ["shared-memory", { headers }],
      ["suspending", {}],
    ] as const) {
      const server = await createServer({
        root: packed.app,
        configFile: false,
        logLevel: "error",
        server: { host: "localhost", port: 0, ...extra },
      });
      try {
        await server.listen();
        expect(await outcomeAt(server.resolvedUrls?.local[0] ?? "")).toEqual(expected(transport));
      } finally {
        await server.close();
      }
    }
  });

  test("webpack 5: no line of configuration", async () => {
    const { default: webpack } = await import("webpack");
    const compiler = webpack({
      mode: "production",
      context: packed.app,
      entry: "./src/app.js",
      output: { path: out("webpack"), filename: "app.js" },
    });
    const stats = await new Promise<Stats>((resolve, reject) => {
      compiler.run((error, result) => (error || !result ? reject(error) : resolve(result)));
    });
    await new Promise((resolve) => compiler.close(resolve));
    expect(stats.toJson({ errors: true, warnings: true }).errors).toEqual([]);
    await runsIn(await serveOutput(out("webpack"), "./app.js"), ["coi", "plain"]);
  });

  /** The one documented step where a bundler does not follow `new URL(…, import.meta.url)`. */
  const copyWorker = (folder: string) =>
    cpSync(join(packed.folder, "dist/worker.js"), join(folder, "worker.js"));

  test("esbuild: the worker copied beside the bundle", async () => {
    const esbuild = await import("esbuild");
    await esbuild.build({
      entryPoints: [join(packed.app, "src/app.js")],
      absWorkingDir: packed.app,
      bundle: true,
      format: "esm",
      minify: true,
      outfile: join(out("esbuild"), "app.js"),
      logLevel: "error",
    });
    copyWorker(out("esbuild"));
    await runsIn(await serveOutput(out("esbuild"), "./app.js"), ["coi", "plain"]);
  });

  test("Rollup: the worker copied beside the bundle", async () => {
    const { rollup } = await import("rollup");
    const bundle = await rollup({
      input: join(packed.app, "src/app.js"),
      plugins: [
        {
          name: "resolve-the-package",
          resolveId: (id) => (id === "sallyport" ? join(packed.folder, "dist/index.js") : null),
        },
      ],
    });
    await bundle.write({ dir: out("rollup"), format: "es", entryFileNames: "app.js" });
    await bundle.close();
    copyWorker(out("rollup"));
    await runsIn(await serveOutput(out("rollup"), "./app.js"), ["coi", "plain"]);
  });
});
