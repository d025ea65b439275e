// Runs the suite's cases in a page, from the page's own script, so that its policy holds for them; page.

import * as api from "sallyport";
import * as packages from "sallyport/package";
import { ALL } from "./all.ts";
import type { SuiteEnv } from "./case.ts";

interface SuiteWindow {
  /** What a case came to: undefined for good. */
  runCase(name: string): Promise<string | undefined>;
  /** Puts a case in line. Returns at once: what runs inside the driver's evaluate is not held to the page's policy. */
  startCase(name: string): void;
  /** What the case has come to. */
  report: { readonly problem: string | undefined } | undefined;
  problems: string[];
}

const page = globalThis as unknown as SuiteWindow;
const mode = new URLSearchParams(location.search).get("mode") ?? "";

const guestUrl = (name: string): URL => new URL(`../guests/${name}.wasm`, location.href);

const env: SuiteEnv = {
  api: api,
  packages,
  mode,
  transport: crossOriginIsolated ? "shared-memory" : "suspending",
  guest: guestUrl,
  guestBytes: async (name) => new Uint8Array(await (await fetch(guestUrl(name))).arrayBuffer()),
  readFile: async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer()),
  pythonKit: async () => (await fetch("../kits/sallyport_package.py")).text(),
  interpreter: (name) => new URL(`../interpreters/${name}.wasm`, location.href),
  url: (path) => new URL(`..${path}`, location.href).href,
};

page.problems = [];
addEventListener("error", (event) => page.problems.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) =>
  page.problems.push(`unhandled rejection: ${String(event.reason)}`),
);
document.addEventListener("securitypolicyviolation", (event) =>
  page.problems.push(`policy: ${event.violatedDirective} ${event.blockedURI}`),
);

page.runCase = async (name) => {
  const entry = ALL.get(name);
  if (!entry) return `no case ${name}`;
  try {
    await entry.run(env);
    return undefined;
  } catch (error) {
    const { message, stack } = error as Error;
    return `${message}\n${stack ?? ""}`;
  }
};

page.startCase = (name) => {
  page.report = undefined;
  setTimeout(() => {
    void page.runCase(name).then((problem) => {
      page.report = { problem };
    });
  }, 0);
};
