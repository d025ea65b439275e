// Starts the Chromium that the tests and benchmarks drive; Node.
import { chromium } from "playwright";
import type { Browser, BrowserContext } from "playwright";
import { findChromium } from "../scripts/find-chromium.mjs";

/** Without these, Chromium knocks on the network by itself, and as root it does not start. */
const quietFlags = [
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-gpu",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

export interface LaunchOptions {
  /** Further command-line flags. */
  readonly args?: readonly string[];
}

/**
 * Starts a headless Chromium with a profile of its own: the one that SALLYPORT_CHROMIUM names, else the first found.
 *
 * @example
 * const browser = await launchChromium();
 * const page = await browser.newPage();
 * await browser.close();
 */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch(await settings(options));
}

/** The same with a profile kept in a folder, for what has to outlive the browser. */
export async function launchWithProfile(
  folder: string,
  options: LaunchOptions = {},
): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, await settings(options));
}

async function settings(options: LaunchOptions) {
  return {
    executablePath: await executable(),
    args: [...quietFlags, ...(options.args ?? [])],
    timeout: 60_000,
  };
}

async function executable(): Promise<string> {
  if (process.env.SALLYPORT_CHROMIUM) return process.env.SALLYPORT_CHROMIUM;
  const found = await findChromium();
  if (found.path === null) {
    throw new Error(`No Chromium was found; npm test installs one. ${found.rejected.join("; ")}`);
  }
  return found.path;
}
