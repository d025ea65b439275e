// mcpTools against servers of the official SDK in both eras, and against servers that misbehave; Node.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { toolRegistry } from "../../../src/compose/tool-registry.ts";
import { stubs } from "../../../src/door/stubs.ts";
import { mcpTools } from "../../../src/mcp/mcp-tools.ts";
import type { McpToolsOptions } from "../../../src/mcp/mcp-options.ts";
import type { ToolProvider } from "../../../src/tools/provider.ts";
import type { ToolRegistry } from "../../../src/tools/registry.ts";
import { serveBothEras, serveLegacy, serveWeb, type TestServer } from "../../mcp/sdk-server.ts";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

function registryOf(url: string, options: Partial<McpToolsOptions> = {}): ToolRegistry {
  const registry = toolRegistry([mcpTools({ url, ...options })]);
  opened.push(registry);
  return registry;
}

function remote(url: string, options: Partial<McpToolsOptions> = {}): ToolProvider {
  const provider = mcpTools({ url, ...options });
  opened.push(provider as { close(): unknown });
  return provider;
}

async function started<T extends TestServer>(server: Promise<T>): Promise<T> {
  const made = await server;
  opened.push(made);
  return made;
}

describe.each([
  ["stateless", () => serveBothEras({ modern: true }), {}],
  ["both eras, the older one", () => serveBothEras(), { protocol: "2025-11-25" }],
  ["sessions", () => serveLegacy(), {}],
] as const)("a server that speaks %s", (era, serve, options) => {
  let server: TestServer;
  beforeAll(async () => void (server = await serve()));
  afterAll(() => server.close());
  const modern = era === "stateless";

  test("lists what the contract lists", async () => {
    const entries = await registryOf(server.url, options).listTools();
    expect(entries.map(({ name }) => name)).toEqual([
      "add",
      "in-region",
      "picture",
      "fails",
      "slow",
      "asks",
    ]);
    expect(entries[0]).toMatchObject({
      name: "add",
      title: "Add",
      description: "Adds two numbers",
      parameters: { type: "object", required: ["a", "b"] },
      output_schema: { type: "object" },
      read_only: true,
      idempotent: true,
      annotations: { readOnlyHint: true, idempotentHint: true },
    });
    expect(entries[2]).not.toHaveProperty("title");
    expect(server.requests.at(-1)?.headers["mcp-method"]).toBe(modern ? "tools/list" : undefined);
  });

  test("calls, and puts results into envelopes", async () => {
    const registry = registryOf(server.url, options);
    expect(await registry.callTool("add", { a: 1, b: 2 })).toMatchObject({
      status: "ok",
      result: { sum: 3 },
      structured_content: { sum: 3 },
      is_error: false,
      result_mode: "inline",
      execution_mode: "sync",
    });
    const picture = await registry.callTool("picture", {});
    expect(picture.result).toBe("a dot");
    expect(picture.content).toHaveLength(2);
    expect(await registry.callTool("fails", {})).toMatchObject({
      status: "error",
      is_error: true,
      result: "no luck",
      tool: "fails",
    });
    expect(await registry.callTool("add", { a: "1", b: 2 })).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(server.requests.filter(({ body }) => JSON.stringify(body).includes('"a":"1"'))).toEqual(
      [],
    );
  });

  test("tells progress, and ends calls in time or when told", async () => {
    const registry = registryOf(server.url, options);
    const seen: number[] = [];
    const onProgress = ({ progress }: { progress: number }) => void seen.push(progress);
    expect((await registry.callTool("slow", { steps: 3 }, { onProgress })).result).toBe("done");
    expect(seen).toEqual([1, 2, 3]);
    expect(await registry.callTool("slow", { steps: 500 }, { timeoutMs: 100 })).toMatchObject({
      type: "ToolTimeout",
    });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await registry.callTool("slow", { steps: 500 }, { signal: stop.signal })).toMatchObject({
      type: "ToolCancelled",
    });
  });
});

describe("the stateless protocol", () => {
  test("arguments that a server wants as headers are sent as headers", async () => {
    const server = await started(serveBothEras({ modern: true }));
    const registry = registryOf(server.url);
    for (const region of ["eu-1", " München"]) {
      expect((await registry.callTool("in-region", { region })).result).toBe(region);
    }
    const headers = server.requests
      .filter(({ method }) => method === "tools/call")
      .map((one) => one.headers["mcp-param-region"]);
    expect(headers).toEqual(["eu-1", "=?base64?IE3DvG5jaGVu?="]);
    const silent = registryOf(server.url, { argumentHeaders: false });
    expect((await silent.callTool("in-region", { region: "eu-1" })).is_error).toBe(false);
  });

  test("what a server wants to know comes back raw when the caller takes it, and is answered by the next call", async () => {
    const server = await started(serveBothEras({ modern: true }));
    const capabilities = { elicitation: { form: {} } };
    const registry = registryOf(server.url, { capabilities });
    const asked = await registry.callTool("asks", {}, { allowInputRequired: true });
    expect(asked).toMatchObject({
      result_type: "input_required",
      request_state: "state-1",
      input_requests: { who: { method: "elicitation/create" } },
    });
    const answered = await registry.callTool(
      "asks",
      {},
      {
        inputResponses: { who: { action: "accept", content: { name: "Ada" } } },
        requestState: asked.request_state as string,
      },
    );
    expect(answered.result).toBe("hello Ada");
    expect((await registry.callTool("asks", {})).is_error).toBe(true);
  });

  test("or a handler of the page answers inside the call", async () => {
    const server = await started(serveBothEras({ modern: true }));
    const registry = registryOf(server.url, {
      capabilities: { elicitation: { form: {} } },
      configure: (client) =>
        client.setRequestHandler("elicitation/create", async () => ({
          action: "accept",
          content: { name: "Grace" },
        })),
    });
    expect((await registry.callTool("asks", {})).result).toBe("hello Grace");
  });

  test("meta and headers reach the server, users have their own", async () => {
    const server = await started(serveBothEras({ modern: true }));
    const registry = registryOf(server.url, {
      headers: async ({ user }) => ({ authorization: `Bearer ${user}` }),
    });
    await registry.callTool(
      "add",
      { a: 1, b: 1 },
      { user: "ada", meta: { "example.org/trace": "t1" } },
    );
    await registry.callTool("add", { a: 1, b: 1 }, { user: "bob" });
    const calls = server.requests.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer ada", "Bearer bob"]);
    expect(calls[0]?.body).toMatchObject({ params: { _meta: { "example.org/trace": "t1" } } });
  });
});

describe("tokens", () => {
  test("an expired token is renewed by the SDK's hook, and the call goes through", async () => {
    const good = await started(serveBothEras({ modern: true }));
    let token = "old";
    const server = await started(
      serveWeb(async (request, body) => {
        if (request.headers.get("authorization") !== "Bearer new") {
          return new Response("no", { status: 401, headers: { "www-authenticate": "Bearer" } });
        }
        return fetch(good.url, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...mcpHeaders(request),
          },
          body: JSON.stringify(body),
        });
      }),
    );
    const registry = registryOf(server.url, {
      authProvider: {
        token: async () => token,
        onUnauthorized: async () => {
          token = "new";
        },
      },
    });
    expect((await registry.callTool("add", { a: 1, b: 2 })).result).toEqual({ sum: 3 });
    const refused = registryOf(server.url, { authProvider: { token: async () => "wrong" } });
    expect(await refused.callTool("add", { a: 1, b: 2 })).toMatchObject({ is_error: true });
  });
});

describe("guests that call remote tools", () => {
  test("bytes and long integers cross as JSON can carry them, and headers are sent too", async () => {
    const server = await started(serveBothEras({ modern: true }));
    const registry = registryOf(server.url);
    const { tools, names } = await registry.doorTools();
    expect(names.get("in_region")).toBe("in-region");
    const byName = (name: string) => tools.find((tool) => tool.name === name);
    const context = { name: "", signal: new AbortController().signal };
    const region = await byName("in_region")?.execute(
      { region: new Uint8Array([1, 2, 3]) },
      context,
    );
    expect(region).toBe("AQID");
    expect(await byName("add")?.execute({ a: 2n ** 60n, b: 1 }, context)).toEqual({
      sum: 2 ** 60 + 1,
    });
    await expect(byName("add")?.execute({ a: "1", b: 1 }, context)).rejects.toMatchObject({
      kind: "invalid_arguments",
    });
    await expect(byName("fails")?.execute({}, context)).rejects.toMatchObject({
      message: "no luck",
      kind: "tool_error",
    });
    expect(stubs(tools)).toContain("def in_region(region: str");
  });
});

describe("lists", () => {
  const tools = (names: readonly string[]) =>
    names.map((name) => ({ name, inputSchema: { type: "object" } }));
  /** A stateless server of a few lines; `page` answers tools/list. */
  const bare = (
    page: (cursor: string | undefined) => object,
    call: () => object = () => ({ content: [] }),
  ) =>
    started(
      serveWeb((_request, body) => {
        const { id, method, params } = body as {
          id?: number;
          method: string;
          params?: { cursor?: string };
        };
        if (method === "server/discover") {
          return Response.json({
            jsonrpc: "2.0",
            id,
            result: {
              resultType: "complete",
              supportedVersions: ["2026-07-28"],
              capabilities: { tools: {} },
              ttlMs: 0,
              cacheScope: "private",
            },
          });
        }
        const result =
          method === "tools/list"
            ? { ttlMs: 0, cacheScope: "private", ...page(params?.cursor) }
            : call();
        return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
      }),
    );
  const lists = (server: TestServer) =>
    server.requests.filter(({ method }) => method === "tools/list").length;

  test("all pages are walked; an empty cursor is one, a repeated one ends the walk", async () => {
    const server = await bare((cursor) =>
      cursor === undefined
        ? { tools: tools(["a"]), nextCursor: "" }
        : cursor === ""
          ? { tools: tools(["b"]), nextCursor: "x" }
          : { tools: tools(["c"]), nextCursor: "x" },
    );
    expect((await remote(server.url).listTools()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(
      (await remote(server.url, { followPagination: false }).listTools()).map(({ name }) => name),
    ).toEqual(["a"]);
  });

  test("a list that never ends is an error", async () => {
    let next = 0;
    const server = await bare(() => ({ tools: tools([`t${next}`]), nextCursor: `${++next}` }));
    await expect(remote(server.url).listTools()).rejects.toMatchObject({ code: "provider_failed" });
  });

  test.each([
    ["the server's hint", {}, 60_000, 1],
    ["the server's hint of nothing", {}, 0, 2],
    ["the caller's wish before the server's", { cacheTtlMs: 60_000 }, 0, 1],
    ["the caller's wish to keep nothing", { cacheTtlMs: 0 }, 60_000, 2],
  ])("are kept by %s", async (_what, options, ttlMs, expected) => {
    const server = await bare(() => ({ tools: tools(["a"]), ttlMs }));
    const provider = remote(server.url, options);
    await provider.listTools();
    await provider.listTools();
    expect(lists(server)).toBe(expected);
    // A call looks at the list that was seen last, and asks for none.
    expect(await provider.callTool("a", {})).toMatchObject({ is_error: false });
    expect(lists(server)).toBe(expected);
    provider.invalidate?.();
    await provider.listTools();
    expect(lists(server)).toBe(expected + 1);
  });

  test("are kept for each user, unless they are public", async () => {
    const server = await bare(() => ({ tools: tools(["a"]), ttlMs: 60_000 }));
    const own = remote(server.url);
    const shared = remote(server.url, { cacheScope: "public" });
    for (const user of ["ada", "bob", "ada"]) await own.listTools({ user });
    expect(lists(server)).toBe(2);
    for (const user of ["ada", "bob", "ada"]) await shared.listTools({ user });
    expect(lists(server)).toBe(3);
  });

  test("tools with headers that cannot be are left out", async () => {
    const property = (schema: object) => ({
      inputSchema: { type: "object", properties: { a: schema } },
    });
    const server = await bare(() => ({
      tools: [
        { name: "good", ...property({ type: "string", "x-mcp-header": "A" }) },
        { name: "space", ...property({ type: "string", "x-mcp-header": "A B" }) },
        { name: "type", ...property({ type: "object", "x-mcp-header": "A" }) },
        { name: "nested", ...property({ anyOf: [{ type: "string", "x-mcp-header": "A" }] }) },
      ],
    }));
    expect((await remote(server.url).listTools()).map(({ name }) => name)).toEqual(["good"]);
  });

  test("names given by the caller are not asked for, unless they are to be described", async () => {
    const server = await bare(() => ({
      tools: [...tools(["a"]), { name: "b", description: "B", inputSchema: { type: "object" } }],
    }));
    const given = registryOf(server.url, { tools: ["b"] });
    expect(await given.listTools()).toEqual([
      { name: "b", description: "", parameters: { type: "object" } },
    ]);
    expect(await given.callTool("a", {})).toMatchObject({ type: "UnclaimedToolError" });
    expect(await given.callTool("b", {})).toMatchObject({ status: "ok" });
    expect(lists(server)).toBe(0);
    const described = registryOf(server.url, { tools: ["b"], describe: true });
    expect((await described.listTools())[0]).toMatchObject({ name: "b", description: "B" });
    const missing = registryOf(server.url, { tools: ["c"], describe: true });
    await expect(missing.listTools()).rejects.toMatchObject({ code: "tool_unavailable" });
  });

  test("structured content that breaks the tool's schema is an error", async () => {
    const outputSchema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
    };
    const server = await bare(
      () => ({ tools: [{ name: "a", inputSchema: { type: "object" }, outputSchema }] }),
      () => ({ content: [], structuredContent: { n: "1" } }),
    );
    expect(await registryOf(server.url).callTool("a", {})).toMatchObject({
      is_error: true,
      error: expect.stringMatching("n: "),
    });
  });

  test("a result of a type that nobody knows is an error, unless the caller takes it", async () => {
    const server = await bare(
      () => ({ tools: tools(["a"]) }),
      () => ({ resultType: "example.org/task", task: "t1" }),
    );
    const registry = registryOf(server.url);
    expect(await registry.callTool("a", {})).toMatchObject({ is_error: true });
    expect(await registry.callTool("a", {}, { allowClaimed: true })).toMatchObject({
      is_error: false,
      result_type: "example.org/task",
      result: { task: "t1" },
    });
  });
});

describe("servers that misbehave", () => {
  test("a stateless version it does not know: 400 leads to initialize", async () => {
    const legacy = await started(serveLegacy());
    const server = await started(
      serveWeb(async (request, body) => {
        if (request.headers.get("mcp-protocol-version") === "2026-07-28") {
          return new Response("Bad Request: Unsupported protocol version", { status: 400 });
        }
        return fetch(legacy.url, {
          method: request.method,
          headers: Object.fromEntries(
            [...request.headers].filter(
              ([name]) => !/^(host|connection|content-length)$/.test(name),
            ),
          ),
          ...(request.method === "POST" ? { body: JSON.stringify(body) } : {}),
        }).then(
          (response) =>
            new Response(response.body, {
              status: response.status,
              headers: pick(response.headers),
            }),
        );
      }),
    );
    expect((await registryOf(server.url).callTool("add", { a: 1, b: 2 })).result).toEqual({
      sum: 3,
    });
  });

  test("a session that is gone is begun anew", async () => {
    const server = await started(serveLegacy());
    const registry = registryOf(server.url);
    expect((await registry.callTool("add", { a: 1, b: 2 })).result).toEqual({ sum: 3 });
    server.forget();
    expect((await registry.callTool("add", { a: 2, b: 2 })).result).toEqual({ sum: 4 });
    server.forget();
    registry.invalidate();
    expect(await registry.listTools()).toHaveLength(6);
  });

  test("nobody there, no JSON, an error page: an error that says so, and the next try works", async () => {
    const nobody = registryOf("http://127.0.0.1:9/mcp");
    expect(await nobody.listTools()).toEqual([]);
    expect(nobody.problems).toMatchObject([{ error: { code: "provider_failed" } }]);
    let broken = true;
    const good = await started(serveBothEras());
    const server = await started(
      serveWeb(async (request, body) =>
        broken
          ? new Response("<h1>502</h1>", { status: 502, headers: { "content-type": "text/html" } })
          : fetch(good.url, {
              method: "POST",
              headers: {
                "content-type": "application/json",
                accept: "application/json, text/event-stream",
                ...mcpHeaders(request),
              },
              body: JSON.stringify(body),
            }),
      ),
    );
    const registry = registryOf(server.url, { timeoutMs: 5_000 });
    expect(await registry.callTool("add", { a: 1, b: 2 })).toMatchObject({ is_error: true });
    broken = false;
    expect((await registry.callTool("add", { a: 1, b: 2 })).result).toEqual({ sum: 3 });
  });

  test("a server that never answers ends at the limit", async () => {
    const server = await started(serveWeb(() => new Promise<Response>(() => {})));
    const registry = registryOf(server.url, { timeoutMs: 200 });
    const before = performance.now();
    expect(await registry.callTool("a", {})).toMatchObject({ is_error: true });
    expect(performance.now() - before).toBeLessThan(5_000);
  });
});

describe("options", () => {
  test.each([
    [{ url: "ftp://example.org" }],
    [{ url: 5 }],
    [{ url: "https://example.org", timeoutMs: -1 }],
    [{ url: "https://example.org", cacheTtlMs: -1 }],
    [{ url: "https://example.org", cacheScope: "mine" }],
    [{ url: "https://example.org", tools: [5] }],
    [{ url: "https://example.org", protocol: "2024-01-01" }],
  ])("that are wrong are named at once: %j", (options) => {
    expect(() => mcpTools(options as never)).toThrow(
      expect.objectContaining({ code: "bad_option" }),
    );
  });
});

function pick(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    ["content-type", "mcp-session-id"].flatMap((name) =>
      headers.has(name) ? [[name, headers.get(name) as string]] : [],
    ),
  );
}

function mcpHeaders(request: Request): Record<string, string> {
  return Object.fromEntries([...request.headers].filter(([name]) => name.startsWith("mcp-")));
}
