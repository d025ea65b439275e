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

/** What the suite asks for, by scenario and revision; the page plays the person who is asked to sign in. */
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
  ["auth/metadata-default", "2026-07-28"],
  ["auth/metadata-var1", "2026-07-28"],
  ["auth/metadata-var2", "2026-07-28"],
  ["auth/metadata-var3", "2026-07-28"],
  ["auth/basic-cimd", "2026-07-28"],
  ["auth/scope-from-www-authenticate", "2026-07-28"],
  ["auth/scope-from-scopes-supported", "2026-07-28"],
  ["auth/scope-omitted-when-undefined", "2026-07-28"],
  ["auth/scope-step-up", "2026-07-28"],
  ["auth/scope-retry-limit", "2026-07-28"],
  ["auth/token-endpoint-auth-basic", "2026-07-28"],
  ["auth/token-endpoint-auth-post", "2026-07-28"],
  ["auth/token-endpoint-auth-none", "2026-07-28"],
  ["auth/pre-registration", "2026-07-28"],
  ["auth/resource-mismatch", "2026-07-28"],
  ["auth/offline-access-scope", "2026-07-28"],
  ["auth/offline-access-not-supported", "2026-07-28"],
  ["auth/authorization-server-migration", "2026-07-28"],
  ["auth/iss-supported", "2026-07-28"],
  ["auth/iss-not-advertised", "2026-07-28"],
  ["auth/iss-supported-missing", "2026-07-28"],
  ["auth/iss-wrong-issuer", "2026-07-28"],
  ["auth/iss-unexpected", "2026-07-28"],
  ["auth/iss-normalized", "2026-07-28"],
  ["auth/metadata-issuer-mismatch", "2026-07-28"],
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
    const person = { callback: undefined as URLSearchParams | undefined };
    const store: Record<string, unknown> = {};
    const { client_id, client_secret } = context as { client_id?: string; client_secret?: string };
    if (client_id !== undefined)
      store["client"] = { client_id, ...(client_secret === undefined ? {} : { client_secret }) };
    const authProvider = {
      redirectUrl: `${location.origin}/callback`,
      clientMetadata: {
        client_name: "sallyport",
        redirect_uris: [`${location.origin}/callback`],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
      ...(scenario === "auth/basic-cimd"
        ? { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }
        : {}),
      // Whatever belongs to one authorization server is not shown to another.
      clientInformation: (about?: { issuer?: string }) =>
        (store[`client ${about?.issuer}`] ?? store["client"]) as { client_id: string } | undefined,
      saveClientInformation: (value: unknown, about?: { issuer?: string }) =>
        void (store[`client ${about?.issuer}`] = value),
      tokens: () => store["tokens"] as { access_token: string; token_type: string } | undefined,
      saveTokens: (value: unknown) => void (store["tokens"] = value),
      saveCodeVerifier: (value: string) => void (store["verifier"] = value),
      codeVerifier: () => store["verifier"] as string,
      redirectToAuthorization: async (address: URL) => {
        const answer = await fetch(address);
        person.callback = new URL(answer.url).searchParams;
      },
    };
    const provider = mcp.mcpTools({
      url,
      ...(scenario.startsWith("auth/") ? { authProvider } : {}),
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
    /** Does something until no sign-in is asked for any more. */
    const signedIn = async <T>(
      work: () => T | Promise<T>,
      refused: (value: T) => boolean,
    ): Promise<T> => {
      for (let tries = 0; ; tries++) {
        let value: T | undefined;
        let thrown: unknown;
        try {
          value = await work();
        } catch (error) {
          thrown = error;
        }
        const asked =
          thrown === undefined
            ? refused(value as T)
            : (thrown as Error).name === "UnauthorizedError";
        if (!asked || person.callback === undefined || tries > 1) {
          if (thrown !== undefined) throw thrown;
          return value as T;
        }
        const { callback } = person;
        person.callback = undefined;
        await provider.finishAuth(callback);
      }
    };
    try {
      const entries = await signedIn(
        () => provider.listTools(),
        () => false,
      );
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
        signedIn(
          async () => provider.callTool(one.name, one.arguments as Record<string, unknown>, {}),
          (result) => (result as { type?: string }).type === "UnauthorizedError",
        );
      // This one takes the first GET behind a call for the client's return, which the stream that a client listens on may be.
      if (scenario === "sse-retry") await new Promise((resolve) => setTimeout(resolve, 200));
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
