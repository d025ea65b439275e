// Brings node_modules to what package-lock.json says, and does nothing when it is there; Node built-ins only.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, runNpm } from "./run-command.mjs";

const timeoutMs = 5 * 60_000;
const tries = 2;

/**
 * What differs between the lock file and what npm noted down after its last installation; null when nothing does.
 * Versions are compared and not times: a checkout touches the lock file without changing it.
 *
 * @param {string} lockText text of package-lock.json
 * @param {string | undefined} installedText text of node_modules/.package-lock.json, if there
 * @returns {string | null} the first difference, for people
 */
export function packagesMissing(lockText, installedText) {
  if (installedText === undefined) return "node_modules is absent";
  let installed;
  try {
    installed = JSON.parse(installedText).packages ?? {};
  } catch {
    return "the record of the last installation is unreadable";
  }
  for (const [path, wanted] of Object.entries(JSON.parse(lockText).packages)) {
    if (path === "" || wanted.link) continue;
    const have = installed[path];
    if (!have && wanted.optional) continue; // meant for another platform
    if (!have) return `${path} is absent`;
    if (have.version !== wanted.version) return `${path} is ${have.version}, not ${wanted.version}`;
  }
  return null;
}

/**
 * Installs with `npm ci` when something is missing.
 *
 * @param {{ log?: (line: string) => void, folder?: string }} [options]
 * @returns {Promise<boolean>} false when npm failed
 */
export async function installPackages({ log = console.log, folder = root } = {}) {
  const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const lock = read(join(folder, "package-lock.json"));
  const reason = packagesMissing(lock, read(join(folder, "node_modules/.package-lock.json")));
  if (reason === null) return true;
  log(`Installing packages with npm ci (${reason}).`);
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
    const result = await runNpm(args, { timeoutMs, cwd: folder, capture: true });
    if (result.ok) return true;
    log(firstLines(result.output));
    log(
      result.timedOut ? "npm ci did not end in time." : `npm ci failed with code ${result.code}.`,
    );
    if (result.output.includes("EUSAGE")) {
      log("package.json and package-lock.json do not agree. Type: npm install");
      return false;
    }
  }
  log("The packages could not be installed. Type: npm ci");
  return false;
}

/** npm ends some messages with its whole manual page. */
function firstLines(text) {
  return text.trim().split("\n").slice(0, 12).join("\n");
}
