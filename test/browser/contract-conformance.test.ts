// The client scenarios of MCP's conformance suite, with a page in Chromium as the client; Node.

import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import { launchChromium } from "../launch-chromium.ts";
import type { StaticServer } from "../static-server.ts";
import { type ContractPage, openContractPage, serveContractSite } from "./contract-site.ts";

const root = new URL("../..", import.meta.url).pathname;

/** What the suite asks for, by scenario and revision. Authorization needs a person at a browser window, and is left out. */
const SCENARIOS = [
  ["initialize", "2025-11-25"],
  ["tools_call", "2025-11-25"],
  ["tools_call", "2026-07-28"],
  ["elicitation-sep1034-client-defaults", "2025-11-25"],
  ["sse-retry", "2025-11-25"],
  ["json-schema-2020-12-preservation", "2025-11-25"],
  ["json-schema-2020-12-preservation", "2026-07-28"],
  ["request-metadata", "2026-07-28"],
  ["sep-2322-client-request-state", "2026-07-28"],
  ["http-standard-headers", "2026-07-28"],
  ["http-custom-headers", "2026-07-28"],
  ["http-invalid-tool-headers", "2026-07-28"],
  ["json-schema-ref-no-deref", "2026-07-28"],
] as const;

interface Order {
  readonly url: string;
  readonly scenario: string;
  readonly version: string;
  readonly context: {
    readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
  };
}

let browser: Browser;
let site: StaticServer;
let control: Server;
let controlUrl: string;

beforeAll(async () => {
  await build({ log: () => {} });
  // The suite's servers send no CORS headers, as servers for programs do not.
  [browser, site] = await Promise.all([
    launchChromium({ args: ["--disable-web-security"] }),
    serveContractSite(),
  ]);
  control = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      follow(JSON.parse(Buffer.concat(parts).toString("utf8")) as Order).then(
        (log) => response.end(JSON.stringify(log)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  });
  await new Promise<void>((resolve) => control.listen(0, "127.0.0.1", resolve));
  controlUrl = `http://127.0.0.1:${(control.address() as AddressInfo).port}/`;
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
  control?.close();
});

/** Lists, and calls what the scenario names, or everything with arguments that fit. */
async function follow(order: Order): Promise<unknown> {
  // A context of its own, whose connections end with it: the suite's servers wait for those before they are done.
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await openContractPage(page, site);
    return await act(page, order);
  } finally {
    await context.close();
  }
}

function act(page: Page, order: Order): Promise<unknown> {
  return page.evaluate(async ({ url, scenario, version, context }) => {
    const { mcp } = globalThis as unknown as ContractPage;
    const provider = mcp.mcpTools({
      url,
      protocol: version as "2026-07-28",
      capabilities: { elicitation: { form: { applyDefaults: true } }, roots: {}, sampling: {} },
      configure: (client) => {
        client.setRequestHandler("elicitation/create", async () => ({
          action: "accept",
          content: scenario.startsWith("elicitation") ? {} : { confirmed: true },
        }));
        client.setRequestHandler("roots/list", async () => ({ roots: [] }));
        client.setRequestHandler("sampling/createMessage", async () => ({
          role: "assistant",
          model: "none",
          content: { type: "text", text: "hello" },
        }));
      },
    });
    const valueFor = ({ type, enum: values }: { type?: string; enum?: unknown[] }): unknown =>
      values?.[0] ??
      (type === "number" || type === "integer"
        ? 5
        : type === "boolean"
          ? true
          : type === "array"
            ? []
            : type === "object"
              ? {}
              : "text");
    const log: unknown[] = [];
    try {
      const entries = await provider.listTools();
      log.push(entries.map(({ name }) => name));
      const focal = entries.find(({ name }) => name !== "json_schema_echo");
      const calls =
        context.toolCalls ??
        entries.map(({ name, parameters }) => {
          const properties = Object.entries(
            (parameters["properties"] ?? {}) as Record<string, { type?: string }>,
          );
          return {
            name,
            arguments: Object.fromEntries(
              properties.map(([key, schema]) => [key, valueFor(schema)]),
            ),
          };
        });
      const wanted = scenario.startsWith("json-schema-2020")
        ? [{ name: "json_schema_echo", arguments: { schema: focal?.parameters } }]
        : calls;
      const call = async (one: { name: string; arguments: object }) =>
        provider.callTool(one.name, one.arguments as Record<string, unknown>, {});
      if (scenario.startsWith("sep-2322"))
        log.push(await Promise.all(wanted.map((one) => call(one))));
      else for (const one of wanted) log.push(await call(one));
    } finally {
      await provider.close?.();
    }
    return log;
  }, order);
}

function run(scenario: string, version: string): Promise<string> {
  const main = `${root}node_modules/@modelcontextprotocol/conformance/dist/index.js`;
  const loader = new URL("../mcp/conformance-loader.mjs", import.meta.url).href;
  const driver = new URL("../mcp/conformance-driver.mjs", import.meta.url).pathname;
  const args = [
    "--import",
    loader,
    main,
    "client",
    "--command",
    `${process.execPath} ${driver}`,
    "--scenario",
    scenario,
    "--spec-version",
    version,
    "--verbose",
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, CONTROL_URL: controlUrl },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (text: Buffer) => (output += String(text)));
    child.stderr.on("data", (text: Buffer) => (output += String(text)));
    child.on("error", reject);
    child.on("close", () => resolve(output));
  });
}

describe("MCP conformance, client scenarios", () => {
  test.each(SCENARIOS)("%s, %s", { timeout: 60_000 }, async (scenario, version) => {
    const output = await run(scenario, version);
    if (process.env["CONFORMANCE_LOG"]) console.log(output);
    const passed = /Passed: (\d+)\/\1, 0 failed, 0 warnings/.exec(output);
    expect(Number(passed?.[1] ?? 0), output).toBeGreaterThan(0);
  });
});
