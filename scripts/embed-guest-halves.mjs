// Writes src/files/guest-halves.generated.ts: the guest halves as text, for run() to mount at /lib/sallyport; Node only.
//
// Whole-line comments and blank lines are left out and indentation is narrowed, outside of multi-line strings; the tests
// check that Python parses the result to the same program.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const output = join(root, "src/files/guest-halves.generated.ts");

/** Folders under guests/, what is taken from them, and how the lines begin that are all comment. */
const halves = [
  { folder: "python/host", extension: ".py", comments: ["#"] },
  { folder: "ruby", extension: ".rb", comments: ["#"] },
  { folder: "javascript", extension: ".js", comments: ["//", "/**", "*"] },
];

/** The text without what no interpreter needs. Line 1 stays: it says whose file this is. */
export function shrink(text, { extension, comments }) {
  const python = extension === ".py";
  const kept = [];
  let inString = false;
  for (const [index, line] of text.trimEnd().split("\n").entries()) {
    const bare = line.trim();
    const isComment = bare === "" || comments.some((comment) => bare.startsWith(comment));
    if (inString) kept.push(line);
    else if (index === 0 || !isComment) kept.push(python ? narrow(line, 4) : narrow(line, 2));
    // Our Python has triple quotes for docstrings alone, our Ruby and JavaScript no strings of several lines.
    if (python && line.split('"""').length % 2 === 0) inString = !inString;
  }
  return `${kept.join("\n")}\n`;
}

/** One space a level. */
function narrow(line, width) {
  const code = line.trimStart();
  const spaces = line.length - code.length;
  return " ".repeat(Math.ceil(spaces / width)) + code;
}

/** Text by path under /lib/sallyport, such as "python/host/__init__.py". */
export function guestHalves() {
  const texts = {};
  for (const half of halves) {
    const folder = join(root, "guests", half.folder);
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder).toSorted()) {
      if (!file.endsWith(half.extension)) continue;
      texts[`${half.folder}/${file}`] = shrink(readFileSync(join(folder, file), "utf8"), half);
    }
  }
  return texts;
}

function main() {
  const lines = Object.entries(guestHalves()).map(
    ([path, text]) => `  ${JSON.stringify(path)}:\n    ${JSON.stringify(text)},`,
  );
  const source = [
    "// The guest halves as text; written by scripts/embed-guest-halves.mjs, do not edit. Page and Node.",
    "/** Text by path under /lib/sallyport. */",
    `export const GUEST_HALVES: Readonly<Record<string, string>> = {\n${lines.join("\n")}\n};`,
  ].join("\n");
  // An unchanged file keeps its time, so that nothing is built again for it.
  if (existsSync(output) && readFileSync(output, "utf8") === `${source}\n`) return;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, `${source}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
