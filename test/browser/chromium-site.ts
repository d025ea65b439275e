// One site of built files and test guests, with a Chromium to look at it, for all tests of a file; Node.

import { fileURLToPath } from "node:url";
import type { Browser } from "playwright";
import { afterAll, beforeAll } from "vitest";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic, type StaticServer, type StaticServerOptions } from "../static-server.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the server answers besides, and how the browser is started. */
export interface ChromiumSiteOptions extends Omit<StaticServerOptions, "folders"> {
  /** Further command-line flags of Chromium. */
  readonly flags?: readonly string[];
}

/** What a test file has of its site, once its tests run. */
export interface ChromiumSite {
  readonly browser: Browser;
  readonly server: StaticServer;
}

/**
 * Serves `/dist`, `/guests` and what is given before the first test of the file, and closes both behind the last one.
 *
 * @example
 * const site = chromiumSite({ files: { "/page/": "<!doctype html>" } });
 * test("…", async () => (await site.browser.newPage()).goto(site.server.url("/page/", "coi")));
 */
export function chromiumSite({ flags = [], ...options }: ChromiumSiteOptions): ChromiumSite {
  let browser: Browser | undefined;
  let server: StaticServer | undefined;
  beforeAll(async () => {
    browser = await launchChromium({ args: flags });
    const folders = { "/dist": `${root}dist`, "/guests": `${root}test/guests` };
    server = await serveStatic({ ...options, folders });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  return {
    get browser() {
      return browser!;
    },
    get server() {
      return server!;
    },
  };
}
