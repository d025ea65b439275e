// Builds dist/: bundles, the one-file worker, declarations, notices; does nothing when no input changed. Node.
import "./require-node.mjs";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { root, runCommand, runPackage } from "./run-command.mjs";

const dist = join(root, "dist");
const recordFile = join(root, ".cache/build.json");

/** Files of src/ that are entries of the package when they exist; each becomes dist/<name>.js. */
export const entryNames = [
  "index",
  "package",
  "mcp",
  "agents",
  "ajv",
  "elements",
  "node",
  "testing",
];

/**
 * Brings dist/ up to date.
 *
 * @param {{ force?: boolean, readable?: boolean, sizes?: boolean, log?: (line: string) => void }} [options]
 *   `readable` leaves names and layout; `sizes` says what each file is made of.
 * @returns {Promise<boolean>} whether anything was built
 */
export async function build(options = {}) {
  const { force = false, readable = false, sizes = false, log = console.log } = options;
  await embedGuestHalves();
  const inputs = `${readable ? "readable" : "minified"} ${hashFiles(inputFiles())}`;
  if (!force && isCurrent(inputs)) {
    log("dist/ is up to date.");
    return false;
  }
  const started = performance.now();
  const stage = join(root, ".cache", `stage-${process.pid}`);
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  try {
    const { bundle } = await import("./bundle.mjs");
    const entries = entryNames.filter((name) => existsSync(join(root, `src/${name}.ts`)));
    const [files] = await Promise.all([
      bundle(stage, entries, { readable }),
      emitDeclarations(stage),
    ]);
    moveIntoPlace(stage);
    for (const { name, gzip, rooms } of files) {
      log(`  dist/${name}  ${(gzip / 1024).toFixed(1)} KB gzip`);
      if (sizes) for (const [room, bytes] of Object.entries(rooms)) log(`    ${room} ${bytes}`);
    }
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  const outputs = hashFiles(listFiles(dist));
  mkdirSync(dirname(recordFile), { recursive: true });
  writeFileSync(recordFile, JSON.stringify({ inputs, outputs }));
  log(`dist/ built in ${((performance.now() - started) / 1_000).toFixed(1)} s.`);
  return true;
}

/** Puts the files of guests/ that ship inside the library into the source, where the script for it is there. */
export async function embedGuestHalves() {
  const script = join(root, "scripts/embed-guest-halves.mjs");
  if (!existsSync(script)) return;
  const options = { timeoutMs: 60_000, capture: true };
  const result = await runCommand(process.execPath, [script], options);
  if (!result.ok) throw new Error(`scripts/embed-guest-halves.mjs failed:\n${result.output}`);
}

function inputFiles() {
  const single = ["package.json", "package-lock.json", "tsconfig.base.json", "tsconfig.types.json"];
  const scripts = ["scripts/build.mjs", "scripts/bundle.mjs"];
  return [
    ...listFiles(join(root, "src")),
    ...[...single, ...scripts].map((name) => join(root, name)),
  ];
}

function isCurrent(inputs) {
  if (!existsSync(recordFile)) return false;
  const record = JSON.parse(readFileSync(recordFile, "utf8"));
  return record.inputs === inputs && record.outputs === hashFiles(listFiles(dist));
}

async function emitDeclarations(stage) {
  const types = join(stage, "types");
  const args = ["-p", "tsconfig.types.json", "--outDir", types];
  const result = await runPackage("typescript", "tsc", args, { timeoutMs: 120_000, capture: true });
  if (!result.ok) throw new Error(`tsc failed:\n${result.output}`);
  for (const file of listFiles(types)) {
    const text = readFileSync(file, "utf8");
    // Declarations keep the sources' ".ts"; beside .d.ts files the specifier has to name what runs.
    const specifier = /((?:\bfrom|\bimport)\s*\(?\s*)(["'])(\.{1,2}\/[^"']+)\.ts\2/g;
    writeFileSync(file, text.replace(specifier, "$1$2$3.js$2"));
  }
}

/** Entries come last, so that a page that loads meanwhile finds what they import; unchanged files keep their time. */
function moveIntoPlace(stage) {
  const names = listFiles(stage).map((file) => relative(stage, file));
  const rank = (name) => (entryNames.includes(name.replace(/\.js$/, "")) ? 1 : 0);
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    const target = join(dist, name);
    const text = readFileSync(join(stage, name));
    if (existsSync(target) && readFileSync(target).equals(text)) continue;
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(stage, name), target);
  }
  const wanted = new Set(names);
  for (const file of listFiles(dist)) if (!wanted.has(relative(dist, file))) rmSync(file);
}

function listFiles(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

function hashFiles(files) {
  const hash = createHash("sha256").update(process.version);
  for (const file of files) {
    if (existsSync(file))
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update("\0");
  }
  return hash.digest("hex");
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { installPackages } = await import("./install-packages.mjs");
  if (!(await installPackages())) process.exit(1);
  try {
    const sizes = argv.includes("--sizes");
    await build({ force: sizes || argv.includes("--force"), sizes });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
