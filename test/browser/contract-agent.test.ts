// An agent's conversation in Chromium over every kind of provider, and registries that cross frames and drive packages; Node.

import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import { type ScriptedOpenAI, serveScript } from "../agents/scripted-openai.ts";
import { launchChromium } from "../launch-chromium.ts";
import { serveBothEras, type TestServer } from "../mcp/sdk-server.ts";
import type { StaticServer } from "../static-server.ts";
import { type ContractPage, openContractPage, serveContractSite } from "./contract-site.ts";

let browser: Browser;
let remote: TestServer;

beforeAll(async () => {
  await build({ log: () => {} });
  [browser, remote] = await Promise.all([launchChromium(), serveBothEras({ modern: true })]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await remote?.close();
});

/** What the model says, turn by turn: each kind of provider, several at once, a mistake, and guest code that calls the rest. */
const SCRIPT = [
  () => [
    { name: "lookup_region", args: { code: "EMEA" } },
    { name: "web-search", args: { query: "cats", limit: null } },
    { name: "house-notes", args: { file: null } },
  ],
  () => [
    { name: "greet", args: { name: "Ada" } },
    { name: "add", args: { a: 2, b: 3 } },
    { name: "add", args: { a: "2", b: 3 } },
    { name: "picture", args: {} },
  ],
  () => [
    {
      name: "run_python",
      args: {
        code: `from host import tools
print(tools.lookup_region("APAC"), tools.add(a=20, b=22)["sum"], tools.web_search(query="dogs")["found"], tools.greet(name="Grace")["message"])
try: tools.delete_all()
except PermissionError: print("denied")`,
      },
    },
    { name: "delete_all", args: {} },
  ],
  () => "All done.",
];

describe.each([true, false])("cross-origin isolated: %s", (isolated) => {
  let site: StaticServer;
  let page: Page;
  let model: ScriptedOpenAI;
  let problems: string[];
  beforeAll(async () => {
    [site, model] = await Promise.all([serveContractSite(isolated), serveScript(SCRIPT)]);
    page = await browser.newPage();
    ({ problems } = await openContractPage(page, site));
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    await site?.close();
    await model?.close();
  });

  test(
    "an agent calls tools of every kind in one conversation, and never learns where they live",
    { timeout: 120_000 },
    async () => {
      const { said, messages, calls, tools } = await page.evaluate(
        async ([baseURL, mcpUrl]) => {
          const { sallyport, mcp, agents, packages } = globalThis as unknown as ContractPage;
          const {
            contractTool,
            createSandbox,
            localTools,
            skillTools,
            tool,
            toolRegistry,
            wasmTool,
          } = sallyport;
          const local = localTools(
            tool({
              name: "lookup_region",
              description: "Region of a code",
              inputSchema: {
                type: "object",
                properties: { code: { type: "string" } },
                required: ["code"],
              },
              execute: async ({ code }) => `region of ${code}`,
            }),
            contractTool({
              name: "web-search",
              parameters: {
                type: "object",
                properties: {
                  query: { type: "string", pattern: "\\S" },
                  limit: { type: "integer" },
                },
                required: ["query"],
              },
              execute: ({ query }) => ({ found: `about ${query}` }),
            }),
            contractTool({ name: "delete_all", execute: () => "deleted" }),
          );
          const registry = toolRegistry(
            [
              local,
              await packages.loadPackage(new URL("/guests/packages/greet.wasm", location.href)),
              skillTools([{ url: "/skills/notes/SKILL.md" }]),
              mcp.mcpTools({ url: mcpUrl, headers: { authorization: "Bearer s3cret" } }),
              wasmTool({
                sandbox: () => createSandbox({ module: "/python.wasm" }),
                name: "run_python",
              }),
            ],
            { strict: true, policy: { delete_all: "ask" }, ask: () => false },
          );
          const { tools: offered, answer } = await agents.openAITools(registry);
          const conversation: { role: string; content?: unknown; tool_calls?: never }[] = [
            { role: "user", content: "go" },
          ];
          let last: unknown;
          for (let turn = 0; turn < 8 && last === undefined; turn++) {
            const response = await fetch(`${baseURL}/chat/completions`, {
              method: "POST",
              headers: { "content-type": "application/json", authorization: "Bearer test" },
              body: JSON.stringify({ model: "scripted", messages: conversation, tools: offered }),
            });
            const body = (await response.json()) as {
              choices: { message: { role: string; content: string; tool_calls?: never } }[];
              error?: { message: string };
            };
            if (body.error) throw new Error(body.error.message);
            const message = body.choices[0]!.message;
            conversation.push(message);
            if (message.tool_calls === undefined) last = message.content;
            else conversation.push(...(await answer(message.tool_calls)));
          }
          await registry.close();
          return {
            said: last,
            messages: conversation,
            calls: registry.calls.map(({ name, status, provider }) => [name, status, provider]),
            tools: offered,
          };
        },
        [model.baseURL, remote.url] as const,
      );
      expect(said).toBe("All done.");
      const answers = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      expect(answers).toEqual([
        "region of EMEA",
        '{"found":"about cats"}',
        "See style.md.\n",
        '{"message":"Hello, Ada!"}',
        '{"sum":5}',
        expect.stringMatching(/^a: /),
        "a dot",
        expect.stringContaining("region of APAC 42 about dogs Hello, Grace!"),
        "delete_all was refused",
      ]);
      expect(answers[7]).toContain("denied");
      expect(
        messages.some(
          ({ role, content }) =>
            role === "user" && JSON.stringify(content).includes("data:image/png;base64,"),
        ),
      ).toBe(true);
      expect(calls.filter(([name]) => name === "delete_all")).toEqual([
        ["delete_all", "denied", "local"],
        ["delete_all", "denied", "local"],
      ]);
      const seen = JSON.stringify([tools, messages]);
      for (const hidden of [
        remote.url,
        new URL(remote.url).host,
        "s3cret",
        "authorization",
        "nextCursor",
        "ttlMs",
      ]) {
        expect(seen).not.toContain(hidden);
      }
      expect(remote.requests.at(-1)?.headers.authorization).toBe("Bearer s3cret");
    },
  );

  test("nothing of it needs generated code", () => {
    expect(problems).toEqual([]);
    expect(site.reports).toEqual([]);
  });
});

describe("a registry for other parts of the page", () => {
  let site: StaticServer;
  let page: Page;
  beforeAll(async () => {
    site = await serveContractSite(false);
    page = await browser.newPage();
    await openContractPage(page, site);
  }, 60_000);
  afterAll(async () => {
    await page?.close();
    await site?.close();
  });

  test(
    "the official Client in a frame of another origin calls it, and nobody else is heard",
    { timeout: 60_000 },
    async () => {
      const other = await serveContractSite(false);
      try {
        const frameUrl = other.url("/");
        await page.evaluate(async (url) => {
          const { sallyport, mcp } = globalThis as unknown as ContractPage;
          const { contractTool, localTools, toolRegistry } = sallyport;
          const frame = document.createElement("iframe");
          const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
          frame.src = url;
          document.body.append(frame);
          await loaded;
          const registry = toolRegistry([
            localTools(contractTool({ name: "where", execute: () => location.origin })),
          ]);
          const served = mcp.serveTools(registry, {
            window: frame.contentWindow!,
            origins: [new URL(url).origin],
          });
          Object.assign(globalThis, { registry, served });
        }, frameUrl);
        const frame = page.frames().find((one) => one.url() === frameUrl);
        await frame!.waitForFunction(() => "ready" in globalThis);
        const ask = (origin: string) =>
          frame!.evaluate(async (host) => {
            const { mcp, loadSdk } = globalThis as unknown as ContractPage;
            const { Client } = await loadSdk();
            const results = [];
            for (const mode of ["auto", "legacy"] as const) {
              const client = new Client(
                { name: "frame", version: "1" },
                { versionNegotiation: { mode, probe: { timeoutMs: 500 } } },
              );
              try {
                await client.connect(mcp.portTransport({ window: parent, origins: [host] }), {
                  timeout: 500,
                });
                const { tools } = await client.listTools();
                results.push([
                  client.getProtocolEra(),
                  tools.map(({ name }) => name),
                  (await client.callTool({ name: "where" })).content,
                ]);
              } catch (error) {
                results.push((error as Error).name);
              }
              await client.close();
            }
            return results;
          }, origin);
        const host = new URL(site.url("/")).origin;
        const said = [{ type: "text", text: host }];
        expect(await ask(host)).toEqual([
          ["modern", ["where"], said],
          ["legacy", ["where"], said],
        ]);
        // A host of another origin than the frame expects is not listened to.
        expect(await ask("https://example.org")).toEqual([expect.any(String), expect.any(String)]);
        const heard = await page.evaluate(async (url) => {
          const { mcp } = globalThis as unknown as ContractPage;
          const { registry, served } = globalThis as unknown as {
            registry: never;
            served: { close(): void };
          };
          served.close();
          const there = document.querySelector("iframe")!;
          const before = (registry as { calls: unknown[] }).calls.length;
          mcp.serveTools(registry, {
            window: there.contentWindow!,
            origins: ["https://example.org"],
          });
          return { before, frame: url };
        }, frameUrl);
        expect(await ask(host)).toEqual([expect.any(String), expect.any(String)]);
        expect(
          await page.evaluate(
            () =>
              (globalThis as unknown as { registry: { calls: unknown[] } }).registry.calls.length,
          ),
        ).toBe(heard.before);
      } finally {
        await other.close();
      }
    },
  );

  test(
    "the official Client drives a function package, in both eras",
    { timeout: 60_000 },
    async () => {
      const results = await page.evaluate(async () => {
        const { mcp, packages, loadSdk } = globalThis as unknown as ContractPage;
        const { Client } = await loadSdk();
        const greet = await packages.loadPackage(
          new URL("/guests/packages/greet.wasm", location.href),
        );
        const seen = [];
        for (const mode of ["auto", "legacy"] as const) {
          const client = new Client(
            { name: "page", version: "1" },
            { versionNegotiation: { mode } },
          );
          await client.connect(mcp.packageTransport(greet));
          const { tools } = await client.listTools();
          const { content, structuredContent, isError } = await client.callTool({
            name: "greet",
            arguments: { name: "Ada" },
          });
          seen.push([
            client.getProtocolEra(),
            tools.map(({ name }) => name),
            content,
            structuredContent,
            isError,
          ]);
          await client.close();
        }
        return seen;
      });
      const [modern, legacy] = results;
      expect(modern?.slice(1)).toEqual(legacy?.slice(1));
      expect(modern?.slice(0, 4)).toMatchObject([
        "modern",
        expect.arrayContaining(["greet"]),
        [{ type: "text" }],
        { message: "Hello, Ada!" },
      ]);
    },
  );

  test("a registry is an MCP server over a MessagePort for another registry", async () => {
    const result = await page.evaluate(async () => {
      const { sallyport, mcp } = globalThis as unknown as ContractPage;
      const { contractTool, localTools, toolRegistry } = sallyport;
      const { port1, port2 } = new MessageChannel();
      const inner = toolRegistry([
        localTools(contractTool({ name: "twice", execute: ({ n }) => (n as number) * 2 })),
      ]);
      mcp.serveTools(inner, port1);
      const outer = toolRegistry([
        mcp.mcpTools({
          url: "http://port.invalid/",
          name: "port",
          transport: () => mcp.portTransport(port2),
        }),
      ]);
      const { result: value } = await outer.callTool("twice", { n: 21 });
      await outer.close();
      return value;
    });
    expect(result).toBe("42");
  });
});
