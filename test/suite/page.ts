// Runs the suite's cases in a page, from the page's own script, so that its policy holds for them; page.

import * as api from "sallyport";
import * as packages from "sallyport/package";
import { ALL } from "./all.ts";
import type { SuiteEnv } from "./case.ts";

/** What the test's side sees of a case. */
type Report = { readonly ok: true } | { readonly ok: false; readonly message: string };

interface SuiteWindow {
  /** Puts a case in line. Returns at once: what runs inside the driver's evaluate is not held to the page's policy. */
  startCase(name: string): void;
  report: Report | undefined;
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

async function runCase(name: string): Promise<Report> {
  const entry = ALL.get(name);
  if (!entry) return { ok: false, message: `no case ${name}` };
  try {
    await entry.run(env);
    return { ok: true };
  } catch (error) {
    const { message, stack } = error as Error;
    return { ok: false, message: `${message}\n${stack ?? ""}` };
  }
}

page.startCase = (name) => {
  page.report = undefined;
  setTimeout(() => {
    void runCase(name).then((report) => {
      page.report = report;
    });
  }, 0);
};
