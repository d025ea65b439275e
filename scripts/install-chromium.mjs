// Gets a Chromium for the tests: an installed one, else Playwright's, else Debian's; Node built-ins only.
import { findChromium } from "./find-chromium.mjs";
import { runCommand, runPackage } from "./run-command.mjs";

const playwrightMs = 60_000;
const aptUpdateMs = 2 * 60_000;
const aptInstallMs = 6 * 60_000;

/**
 * Returns the path of a browser, after installing one if there is none, or null after saying what to type.
 *
 * @param {{ log?: (line: string) => void, find?: typeof findChromium, install?: typeof installers }} [options]
 * @returns {Promise<string | null>}
 */
export async function installChromium(options = {}) {
  const { log = console.log, find = findChromium, install = installers } = options;
  const found = await find();
  if (found.path !== null) {
    log(`Browser: ${found.path}, ${found.version} (installed, ${found.how}).`);
    return found.path;
  }
  for (const line of found.rejected) log(`Browser passed over: ${line}.`);
  for (const { name, command, run } of install) {
    log(`No usable browser found; trying ${name}.`);
    const problem = await run();
    const now = problem === null ? await find() : { path: null, rejected: [problem] };
    if (now.path !== null) {
      log(`Browser: ${now.path}, ${now.version} (from ${name}: ${command}).`);
      return now.path;
    }
    log(
      `${name} gave none: ${now.rejected.at(-1) ?? "it cannot be found after the installation"}.`,
    );
  }
  log(`The browser tests need Chromium or Chrome. Type: ${commandToType()}`);
  return null;
}

/** Each `run` gives null when it has installed something, else why it has not. */
export const installers = [
  {
    name: "Playwright's download",
    command: "playwright install chromium",
    run: downloadWithPlaywright,
  },
  { name: "Debian's package", command: "apt-get install chromium", run: installWithApt },
];

async function downloadWithPlaywright() {
  const args = ["install", "chromium", "--no-shell"];
  const options = { timeoutMs: playwrightMs, capture: true };
  const result = await runPackage("playwright", "playwright", args, options);
  if (result.ok) return null;
  if (result.timedOut) return `it did not end within ${playwrightMs / 1_000} s`;
  return `it failed with ${lastLine(result.output)}`;
}

async function installWithApt() {
  if (process.platform !== "linux") return "this is not Debian";
  const quick = { timeoutMs: 10_000, capture: true };
  if (!(await runCommand("apt-get", ["--version"], quick)).ok) return "there is no apt-get here";
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !(await runCommand("sudo", ["-n", "true"], quick)).ok) {
    return "it needs root, or sudo without a password";
  }
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const apt = (args, timeoutMs) => {
    const options = { timeoutMs, env, capture: true };
    if (isRoot) return runCommand("apt-get", args, options);
    return runCommand(
      "sudo",
      ["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get", ...args],
      options,
    );
  };
  // A failed update is not the end: the lists may be good enough.
  await apt(["update"], aptUpdateMs);
  const args = ["install", "-y", "--no-install-recommends", "chromium"];
  const result = await apt(args, aptInstallMs);
  if (result.ok) return null;
  if (result.timedOut) return `apt-get did not end within ${aptInstallMs / 60_000} min`;
  return `apt-get failed with ${lastLine(result.output)}`;
}

function commandToType() {
  if (process.platform === "linux" && process.getuid?.() === 0) return "apt-get install chromium";
  if (process.platform === "linux") return "sudo apt-get install chromium";
  return "npx playwright install chromium";
}

function lastLine(text) {
  const lines = text.split("\n").map((line) => line.trim());
  return (
    lines.findLast((line) => /error|fail|unable|^E:/i.test(line)) ??
    lines.findLast(Boolean) ??
    "no message"
  );
}
