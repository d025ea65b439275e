// Builds the test guests: .wat with wabt, C with clang, AssemblyScript with asc; Node only.
//
//   node test/guests/build.mjs          the .wat guests that changed
//   node test/guests/build.mjs --all    C and AssemblyScript too (installs a clang for WebAssembly into .cache/clang)
//
// A .wat source here is the inside of a module. `;; include: a b` on a line of its own brings in source/parts/a.wat and
// b.wat; imports stand on one line each and are moved to the front, as the format wants them. The word `names` in the
// leading comment keeps the name section. That comment is also the guest's row in README.md.
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import wabtFactory from "wabt";
import { compile, compiledGuests } from "./compile.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, "source");
let loading;
const loadWabt = () => (loading ??= wabtFactory());

/** Names of the .wat guests, such as "hello" and "host-alloc/traps", sorted. */
export async function watGuests() {
  const names = [];
  for (const folder of ["", "host-alloc/"]) {
    for (const file of await readdir(join(sources, folder))) {
      if (file.endsWith(".wat")) names.push(folder + file.slice(0, -".wat".length));
    }
  }
  return names.toSorted();
}

/** The whole module text of a guest: parts included, imports first. */
async function assemble(name) {
  const own = await readFile(join(sources, `${name}.wat`), "utf8");
  const included = own.match(/^;; include: (.*)$/m)?.[1]?.split(" ") ?? [];
  const parts = await Promise.all(
    included.map((part) => readFile(join(sources, "parts", `${part}.wat`), "utf8")),
  );
  const lines = [own, ...parts].join("\n").split("\n");
  const isImport = (line) => line.startsWith("(import ");
  const rest = lines.filter((line) => !isImport(line));
  const text = ["(module", ...lines.filter(isImport), ...rest, ")"].join("\n");
  return { text, names: /^;; Guest:.* names$/m.test(own) };
}

/** The bytes of a .wat guest; the same bytes on every machine. */
export async function buildWat(name) {
  const wabt = await loadWabt();
  const { text, names } = await assemble(name);
  const features = {
    exceptions: true,
    reference_types: true,
    bulk_memory: true,
    multi_value: true,
  };
  const module = wabt.parseWat(`${name}.wat`, text, features);
  try {
    module.validate(features);
    return Buffer.from(module.toBinary({ write_debug_names: names }).buffer);
  } finally {
    module.destroy();
  }
}

/** Lowercase hex SHA-256, as hashes.json holds it. */
export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What the leading `;; Guest:` (or `// Guest:`) comment of a source says, on one line. */
function description(source) {
  const lines = source.split("\n");
  const end = lines.findIndex((line) => !/^(;;|\/\/) (?!include:)/.test(line));
  const text = lines
    .slice(0, end)
    .map((line) => line.slice(3))
    .join(" ");
  return text
    .replace(/^Guest: /, "")
    .replace(/ names$/, "")
    .replaceAll("|", "\\|");
}

/** The rows of README.md, one a guest. */
export async function guestTable() {
  const paths = (await watGuests()).map((name) => [name, `${name}.wat`]);
  paths.push(...Object.entries(compiledGuests));
  const rows = await Promise.all(
    paths.map(
      async ([name, path]) =>
        `| \`${name}\` | ${description(await readFile(join(sources, path), "utf8"))} |`,
    ),
  );
  return ["| guest | what it does, and its argv |", "| --- | --- |", ...rows].join("\n");
}

async function saveTable() {
  const file = join(here, "README.md");
  const text = await readFile(file, "utf8");
  await writeFile(file, `${text.slice(0, text.indexOf("| guest |"))}${await guestTable()}\n`);
}

async function save(hashes, name, bytes) {
  const file = join(here, `${name}.wasm`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
  hashes[`${name}.wasm`] = sha256(bytes);
  console.log(`${name}.wasm ${bytes.length} bytes`);
}

async function main() {
  const hashFile = join(here, "hashes.json");
  const all = process.argv.includes("--all");
  const before = await readFile(hashFile, "utf8").then(JSON.parse, () => ({}));
  const hashes = all ? {} : { ...before };
  for (const name of await watGuests()) {
    const bytes = await buildWat(name);
    if (all || before[`${name}.wasm`] !== sha256(bytes)) await save(hashes, name, bytes);
  }
  if (all) {
    for (const name of Object.keys(compiledGuests)) await save(hashes, name, await compile(name));
  }
  const sorted = Object.fromEntries(
    Object.entries(hashes).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  await writeFile(hashFile, `${JSON.stringify(sorted, undefined, 2)}\n`);
  await saveTable();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
