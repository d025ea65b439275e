// Remote MCP servers from a page in Chromium, under a policy without generated code: real servers, and three that misbehave; Node.

import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../scripts/build.mjs";
import { launchChromium } from "../launch-chromium.ts";
import {
  OPEN_CORS,
  serveBothEras,
  serveLegacy,
  serveWeb,
  type TestServer,
} from "../mcp/sdk-server.ts";
import type { StaticServer } from "../static-server.ts";
import { type ContractPage, openContractPage, serveContractSite } from "./contract-site.ts";

const root = new URL("../..", import.meta.url).pathname;
let browser: Browser;
let site: StaticServer;
let page: Page;
let problems: string[];

beforeAll(async () => {
  await build({ log: () => {} });
  [browser, site] = await Promise.all([launchChromium(), serveContractSite()]);
  page = await browser.newPage();
  ({ problems } = await openContractPage(page, site));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

interface Asked {
  readonly url: string;
  readonly options?: object;
  readonly calls?: readonly (readonly [string, object])[];
}

/** Lists and calls through a registry in the page; errors come back as their message. */
function ask({ url, options = {}, calls = [] }: Asked) {
  return page.evaluate(
    async ([address, more, list]) => {
      const { sallyport, mcp } = globalThis as unknown as ContractPage;
      const registry = sallyport.toolRegistry([mcp.mcpTools({ url: address, ...more })], {
        strict: true,
      });
      const started = performance.now();
      try {
        const entries = await registry.listTools();
        const results = [];
        for (const [name, args] of list) results.push(await registry.callTool(name, args));
        return { names: entries.map(({ name }) => name), results, ms: performance.now() - started };
      } catch (error) {
        return {
          error: (error as Error).message,
          names: [],
          results: [],
          ms: performance.now() - started,
        };
      } finally {
        await registry.close();
      }
    },
    [url, options, calls] as const,
  );
}

async function using<T extends TestServer>(
  server: Promise<T>,
  work: (server: T) => Promise<void>,
): Promise<void> {
  const made = await server;
  try {
    await work(made);
  } finally {
    await made.close();
  }
}

describe("a server of the SDK", () => {
  test.each([
    ["stateless", () => serveBothEras({ modern: true }), {}, true],
    ["both eras", () => serveBothEras(), {}, true],
    ["the older era", () => serveBothEras(), { protocol: "2025-11-25" }, false],
    ["sessions", () => serveLegacy(), {}, false],
  ] as const)("%s", async (_era, serve, options, modern) => {
    await using<TestServer>(serve(), async (server) => {
      const { names, results, error } = await ask({
        url: server.url,
        options,
        calls: [
          ["add", { a: 1, b: 2 }],
          ["add", { a: "1" }],
          ["picture", {}],
          ["fails", {}],
          ["in-region", { region: "eu" }],
        ],
      });
      expect(error).toBeUndefined();
      expect(names).toContain("add");
      expect(results).toMatchObject([
        { status: "ok", result: { sum: 3 } },
        { type: "ToolArgumentError" },
        { result: "a dot", content: [{ type: "text" }, { type: "image" }] },
        { is_error: true, result: "no luck" },
        { result: "eu" },
      ]);
      const last = server.requests.at(-1);
      expect(last?.headers["mcp-param-region"]).toBe(modern ? "eu" : undefined);
    });
  });

  test("arguments go into headers only where CORS allows it", async () => {
    const cors = {
      ...OPEN_CORS,
      "access-control-allow-headers": "content-type, mcp-protocol-version, mcp-method, mcp-name",
    };
    await using(serveBothEras({ modern: true, cors }), async (server) => {
      const { results } = await ask({ url: server.url, calls: [["in-region", { region: "eu" }]] });
      const call = server.requests.find(({ method }) => method === "tools/call");
      expect(call?.headers).not.toHaveProperty("mcp-param-region");
      // A server of this SDK insists on the header; what it says reaches the caller, and nothing hangs.
      expect(results[0]).toHaveProperty("status");
    });
  });

  test("progress, cancelling and time", async () => {
    await using(serveBothEras({ modern: true }), async (server) => {
      const seen = await page.evaluate(async (url) => {
        const { sallyport, mcp } = globalThis as unknown as ContractPage;
        const registry = sallyport.toolRegistry([mcp.mcpTools({ url })]);
        const progress: number[] = [];
        const done = await registry.callTool(
          "slow",
          { steps: 3 },
          { onProgress: (one) => void progress.push(one.progress) },
        );
        const late = await registry.callTool("slow", { steps: 999 }, { timeoutMs: 150 });
        const stop = new AbortController();
        setTimeout(() => stop.abort(), 50);
        const stopped = await registry.callTool("slow", { steps: 999 }, { signal: stop.signal });
        await registry.close();
        return { progress, done: done.result, late: late.type, stopped: stopped.type };
      }, server.url);
      expect(seen).toEqual({
        progress: [1, 2, 3],
        done: "done",
        late: "ToolTimeout",
        stopped: "ToolCancelled",
      });
    });
  });
});

describe("servers that misbehave towards pages", () => {
  test("a session that is hidden: the error names the header", async () => {
    const { "access-control-expose-headers": _, ...cors } = OPEN_CORS;
    await using(serveLegacy(cors), async (server) => {
      const { error } = await ask({ url: server.url });
      expect(error).toMatch(/Access-Control-Expose-Headers lacks mcp-session-id/);
    });
  });

  test("a version that is not known, said with 400: initialize follows", async () => {
    await using(serveLegacy(), (legacy) =>
      using(
        serveWeb(async (request, body) => {
          if (request.headers.get("mcp-protocol-version") === "2026-07-28") {
            return new Response("Bad Request: Unsupported protocol version", { status: 400 });
          }
          const kept = [...request.headers].filter(([name]) =>
            /^(accept|content-type|mcp-)/.test(name),
          );
          const init = { method: request.method, headers: Object.fromEntries(kept) };
          const answer = await fetch(
            legacy.url,
            request.method === "POST" ? { ...init, body: JSON.stringify(body) } : init,
          );
          const shown = ["content-type", "mcp-session-id"].flatMap((name) =>
            answer.headers.has(name) ? [[name, answer.headers.get(name) as string]] : [],
          );
          return new Response(answer.body, {
            status: answer.status,
            headers: Object.fromEntries(shown) as Record<string, string>,
          });
        }),
        async (server) => {
          const { results, error } = await ask({
            url: server.url,
            calls: [["add", { a: 1, b: 2 }]],
          });
          expect(error).toBeUndefined();
          expect(results).toMatchObject([{ result: { sum: 3 } }]);
        },
      ),
    );
  });

  test.each([
    [
      "headers that are not allowed",
      { ...OPEN_CORS, "access-control-allow-headers": "content-type" },
      /Access-Control-Allow-Headers lacks .*mcp-protocol-version/,
    ],
    [
      "nothing allowed",
      { "access-control-allow-origin": "*" },
      /Access-Control-Allow-Headers lacks .*content-type/,
    ],
    [
      "another origin",
      { ...OPEN_CORS, "access-control-allow-origin": "https://example.org" },
      /Access-Control-Allow-Origin has to be http:\/\/localhost/,
    ],
    ["no CORS", {}, /Access-Control-Allow-Origin/],
  ])("%s: the error names the header", async (_what, cors, message) => {
    await using(serveBothEras({ modern: true, cors }), async (server) => {
      const { error, ms } = await ask({ url: server.url, options: { headers: { "x-team": "a" } } });
      expect(error).toMatch(message);
      expect(ms).toBeLessThan(10_000);
    });
  });

  test("a header of the caller's that is not allowed is named", async () => {
    await using(serveBothEras({ modern: true }), async (server) => {
      const { error } = await ask({ url: server.url, options: { headers: { "x-team": "a" } } });
      expect(error).toMatch(/lacks x-team$/);
    });
  });

  test("nobody there", async () => {
    const { error } = await ask({ url: "http://127.0.0.1:9/mcp" });
    expect(error).toMatch(/cannot be reached from this page/);
  });
});

describe.each([
  ["streamableHttp", "mcp", {}],
  ["sse", "sse", { transport: "sse" }],
] as const)("npm's server-everything over %s", (mode, path, options) => {
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    const main = `${root}node_modules/@modelcontextprotocol/server-everything/dist/index.js`;
    child = spawn(process.execPath, [main, mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      child.stderr?.on(
        "data",
        (text: Buffer) => /listening|running/i.test(String(text)) && resolve(),
      );
      child.on("exit", () => reject(new Error("server-everything ended")));
    });
    url = `http://127.0.0.1:${port}/${path}`;
  }, 30_000);
  afterAll(() => void child?.kill());

  test("lists, calls, shows images and structure, tells progress", async () => {
    const { names, results, error } = await ask({
      url,
      options,
      calls: [
        ["echo", { message: "hello" }],
        ["get-sum", { a: 2, b: 3 }],
        ["get-sum", { a: "2", b: 3 }],
        ["get-tiny-image", {}],
        ["get-structured-content", { location: "New York" }],
        ["get-resource-links", { count: 2 }],
        ["trigger-long-running-operation", { duration: 0.3, steps: 3 }],
      ],
    });
    expect(error).toBeUndefined();
    expect(names.length).toBeGreaterThan(8);
    expect(results[0]).toMatchObject({ status: "ok", result: expect.stringMatching("hello") });
    expect(results[1]).toMatchObject({ status: "ok", result: expect.stringMatching("5") });
    expect(results[2]).toMatchObject({ type: "ToolArgumentError" });
    expect(results[3]?.content?.some(({ type }) => type === "image")).toBe(true);
    expect(results[4]).toMatchObject({
      status: "ok",
      structured_content: { temperature: expect.any(Number) },
    });
    expect(results[5]?.content?.filter(({ type }) => type === "resource_link")).toHaveLength(2);
    expect(results[6]).toMatchObject({ status: "ok" });
  });
});

test("the page's policy had nothing to report", () => {
  expect(problems).toEqual([]);
  expect(site.reports).toEqual([]);
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
