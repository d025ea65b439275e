// Makes the JavaScript of dist/ with rolldown: entries with shared chunks, the worker, one minified file. Node.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { root } from "./run-command.mjs";

const workerUrl = 'new URL("./worker.js", import.meta.url)';
// The minifier prefers backticks; other bundlers look for plain quotes, here and in import().
const workerUrlShapes = /new URL\((["'`])\.\/worker\.js\1,\s*import\.meta\.url\)/g;

const { dependencies = {}, peerDependencies = {} } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const installedBeside = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];

/**
 * Has the browser compile the functions of a file as it reads it: what createSandbox loads is called at once, and the page's
 * own thread would compile four hundred functions one by one, while it has a guest to read; the worker two hundred, when its
 * first run is waited for.
 */
const COMPILE_ALL = "//# allFunctionsCalledOnLoad\n";

/** Where the names lie that most pages import: createSandbox, tool, ToolDenied, SandboxError. */
const usualModules = ["page/create-sandbox", "tools/tool", "tools/tool-error", "errors"].map(
  (name) => `src/${name}.ts`,
);

/**
 * Writes every JavaScript file of the package into a folder.
 *
 * @param {string} folder
 * @param {readonly string[]} entries names of src/*.ts files, without ".ts"
 * @param {{ readable: boolean }} options `readable` leaves names and layout, for work on the library itself
 * @returns {Promise<{ name: string, gzip: number, rooms: Record<string, number> }[]>} what was written, sizes in bytes
 */
export async function bundle(folder, entries, { readable }) {
  const input = Object.fromEntries(entries.map((name) => [name, join(root, `src/${name}.ts`)]));
  const minify = !readable;
  const comments = { legal: false, annotation: true, jsdoc: false }; // the licences are in the notices
  // Nobody shakes these two again, so the marks of pure calls would only be carried along.
  const one = { codeSplitting: false, minify, comments: { ...comments, annotation: false } };
  // Whatever the main entry loads at once is two files, however many entries share parts of it: a page without a
  // bundler then waits for two rounds of requests and not for a staircase of them. What most pages use is one of the
  // two, since bundlers take a chunk whole when what is loaded later needs some of it.
  const usual = await Promise.all(usualModules.map((name) => modulesAtOnce(join(root, name))));
  const base = new Set(usual.flatMap((modules) => [...modules]));
  const core = await modulesAtOnce(input.index);
  // What the first sandbox loads is one more, for the same reason.
  const sandbox = await modulesAtOnce(join(root, "src/page/page-realm.ts"));
  const groups = [
    { name: "base", test: (id) => base.has(id), priority: 2 },
    { name: "core", test: (id) => core.has(id) && id !== input.index, priority: 1 },
    { name: "sandbox", test: (id) => sandbox.has(id) },
  ];
  const jobs = [
    [input, { minify, comments, codeSplitting: { groups } }],
    [{ "sallyport.min": input.index }, one],
  ];
  const worker = join(root, "src/worker/main.ts");
  if (existsSync(worker)) jobs.push([{ worker }, one]);

  const chunks = (await Promise.all(jobs.map(([what, output]) => run(what, output)))).flat();
  for (const chunk of chunks) {
    const { fileName } = chunk;
    const isCalled = fileName.startsWith("chunk-sandbox-") || fileName === "worker.js";
    if (isCalled) chunk.code = COMPILE_ALL + chunk.code;
  }
  checkWorkerUrl(chunks);
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), code);
  writeFileSync(join(folder, "THIRD-PARTY-NOTICES.txt"), notices(chunks));
  return chunks.map((chunk) => ({
    name: chunk.fileName,
    gzip: gzipSync(chunk.code, { level: 9 }).length,
    rooms: roomSizes(chunk),
  }));
}

/** The modules that an entry needs before it runs; what it loads later is left out. */
async function modulesAtOnce(entry) {
  const chunks = await run({ entry }, {});
  const modules = new Set();
  const visit = (fileName) => {
    const chunk = chunks.find((one) => one.fileName === fileName);
    for (const id of chunk?.moduleIds ?? []) modules.add(id);
    for (const next of chunk?.imports ?? []) visit(next);
  };
  visit("entry.js");
  return modules;
}

async function run(input, output) {
  const bundler = await rolldown({
    input,
    cwd: root,
    platform: "browser",
    external: isExternal,
    tsconfig: false,
    transform: { target: "es2022" },
    // Numbers of limits.ts go to where they are used: a page would load those of parts that it never asks for.
    optimization: { inlineConst: { mode: "all", pass: 3 } },
    // Its modules only define things, which its package.json does not say.
    treeshake: {
      moduleSideEffects: [{ test: /[\\/]@bjorn3[\\/]browser_wasi_shim[\\/]/, sideEffects: false }],
    },
    checks: { circularDependency: true },
    plugins: [withoutProxies],
    onLog(level, log, report) {
      if (level === "warn") throw new Error(`rolldown: ${log.message}`);
      report(level, log);
    },
  });
  const options = {
    format: "es",
    entryFileNames: "[name].js",
    // Beside the entries, never in a folder: "./worker.js" has to mean the same in every file.
    chunkFileNames: "chunk-[name]-[hash].js",
    ...output,
  };
  const { output: files } = await bundler.generate(options);
  await bundler.close();
  const chunks = files.map(({ fileName, imports, moduleIds, modules, code }) => ({
    fileName,
    imports,
    moduleIds,
    modules,
    code: code
      .replace(workerUrlShapes, workerUrl)
      .replace(/\bimport\(`([^`$]+)`\)/g, 'import("$1")'),
  }));
  return withoutRuntime(chunks);
}

/**
 * Comlink can pass objects on by reference, which nothing here does. Its list of what can cross says so and would keep that
 * code, and with it the page's half in the worker and the worker's half on the page.
 */
const withoutProxies = {
  name: "without-proxies",
  transform(code, id) {
    if (packageOf(id) !== "comlink") return null;
    const without = code.replace('["proxy", proxyTransferHandler],', "");
    if (without === code) throw new Error("comlink looks different now");
    return without;
  },
};

/** The bundler's own few lines are a file of their own, for which a page would wait one more round of requests. */
function withoutRuntime(chunks) {
  const runtime = chunks.find(({ moduleIds }) => moduleIds?.join() === "\0rolldown/runtime.js");
  if (!runtime) return chunks;
  const [, body, name] = /^([^]*?)export ?\{ ?(\w+)(?: as \w+)? ?\};?\s*$/.exec(runtime.code) ?? [];
  if (!body) throw new Error("the bundler's runtime looks different now");
  const taken = new RegExp(
    `import ?\\{ ?(\\w+)(?: as (\\w+))? ?\\} ?from ?["']\\./${runtime.fileName}["'];?`,
  );
  return chunks
    .filter((chunk) => chunk !== runtime)
    .map((chunk) => {
      const code = chunk.code.replace(
        taken,
        (_, given, local = given) => `const ${local}=(()=>{${body};return ${name}})();`,
      );
      if (code.includes(runtime.fileName)) {
        throw new Error(`${chunk.fileName} takes the bundler's runtime in a way that is not known`);
      }
      return { ...chunk, code };
    });
}

/** What a consumer installs beside us stays an import; everything else is bundled. */
function isExternal(id) {
  return (
    id.startsWith("node:") ||
    installedBeside.some((name) => id === name || id.startsWith(`${name}/`))
  );
}

/** Bytes that each room and each package has in a file, before names are shortened: what a budget went to. */
function roomSizes({ modules }) {
  const sizes = {};
  for (const [id, { code }] of Object.entries(modules)) {
    const name = packageOf(id) ?? /src[\\/]([^\\/]+)/.exec(id)?.[1] ?? "rolldown";
    sizes[name] = (sizes[name] ?? 0) + (code?.length ?? 0);
  }
  return Object.fromEntries(Object.entries(sizes).sort(([, a], [, b]) => b - a));
}

function packageOf(id) {
  return /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]?.replaceAll("\\", "/");
}

/** Bundlers find the worker by this text alone, so a build that lost it must not pass. */
function checkWorkerUrl(chunks) {
  if (!existsSync(join(root, "src/page/spawn.ts"))) return;
  const holders = chunks
    .filter(({ code }) => code.includes(workerUrl))
    .map((chunk) => chunk.fileName);
  if (!holders.includes("sallyport.min.js") || holders.length < 2) {
    throw new Error(`${workerUrl} is missing from the bundles (found in: ${holders.join(", ")})`);
  }
}

/** Licences of the packages whose code the bundles contain. */
function notices(chunks) {
  const names = new Set();
  for (const id of chunks.flatMap((chunk) => chunk.moduleIds ?? [])) {
    const name = packageOf(id);
    if (name) names.add(name);
  }
  const parts = [...names]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const folder = join(root, "node_modules", name);
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const { version, license } = manifest;
      const files = readdirSync(folder)
        .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
        .sort();
      const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
      if (files.length === 0) texts.push(statedLicence(name, manifest));
      return `${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
    });
  const head = "Sallyport's files contain code of these packages.\n";
  return [head, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

/** The text of a licence that a package only names: MIT asks for its text and the holder's name, wherever code goes. */
function statedLicence(name, { license, author }) {
  const holder = typeof author === "string" ? author : author?.name;
  if (license !== "MIT" || !holder) throw new Error(`${name} is bundled but ships no licence text`);
  const [, , ...terms] = readFileSync(join(root, "LICENSE-MIT"), "utf8").trim().split("\n\n");
  return ["MIT License", `Copyright (c) ${holder}`, ...terms].join("\n\n");
}
