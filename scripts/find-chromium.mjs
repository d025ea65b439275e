// Finds an installed Chromium or Chrome that runs and is new enough; Node built-ins only.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, runCommand } from "./run-command.mjs";

/** The first major version with JavaScript Promise Integration and Document-Isolation-Policy. */
export const oldestVersion = 137;

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

const paths = {
  linux: [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/lib/chromium/chromium",
    "/opt/google/chrome/chrome",
    "/opt/chromium.org/chromium/chromium",
    "/snap/bin/chromium",
  ],
  darwin: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
  win32: [
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  ],
};

/**
 * Looks in SALLYPORT_CHROMIUM and CHROME_PATH, along PATH, at the usual places, and where Playwright keeps its own.
 *
 * @param {Partial<typeof probes>} [injected] replaces what asks the machine, for tests
 * @returns {Promise<{ path: string, version: string, how: string } | { path: null, rejected: readonly string[] }>}
 *   `how` says where it was found; `rejected` says what was there but cannot be used, and why.
 */
export async function findChromium(injected = {}) {
  const ask = { ...probes, ...injected };
  const rejected = [];
  const seen = new Set();
  for await (const { path, how } of candidates(ask)) {
    if (seen.has(path)) continue;
    seen.add(path);
    const named = how.startsWith("named");
    if (!ask.isExecutable(path)) {
      if (named) rejected.push(`${path} (${how}) is not a program`);
      continue;
    }
    const version = await ask.version(path);
    const major = Number(/(\d+)\.\d+/.exec(version ?? "")?.[1]);
    if (version === null || Number.isNaN(major)) rejected.push(`${path} does not run`);
    else if (major < oldestVersion)
      rejected.push(`${path} is ${version}; ${oldestVersion} or newer is needed`);
    else return { path, version, how };
  }
  return { path: null, rejected };
}

async function* candidates(ask) {
  for (const name of ["SALLYPORT_CHROMIUM", "CHROME_PATH"]) {
    if (ask.env[name]) yield { path: ask.env[name], how: `named by ${name}` };
  }
  for (const folder of (ask.env.PATH ?? "").split(delimiter).filter(Boolean)) {
    for (const name of names) {
      yield { path: join(folder, ask.platform === "win32" ? `${name}.exe` : name), how: "on PATH" };
    }
  }
  for (const path of paths[ask.platform] ?? []) yield { path, how: "at a usual place" };
  const own = await ask.playwrightPath();
  if (own) yield { path: own, how: "Playwright's" };
}

const probes = {
  env: process.env,
  platform: process.platform,
  /** @param {string} path */
  isExecutable(path) {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  /**
   * @param {string} path
   * @returns {Promise<string | null>} what it says of itself; null when it does not run
   */
  async version(path) {
    if (process.platform === "win32") return `Chrome ${oldestVersion}.0`; // --version opens a window there
    const result = await runCommand(path, ["--version"], { timeoutMs: 20_000, capture: true });
    return result.ok ? (/^.*\d+\.\d+\.\d+.*$/m.exec(result.output)?.[0].trim() ?? null) : null;
  },
  async playwrightPath() {
    try {
      const file = join(root, "node_modules/playwright/index.mjs");
      return (await import(pathToFileURL(file).href)).chromium.executablePath();
    } catch {
      return null;
    }
  },
};
