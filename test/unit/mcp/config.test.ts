// Tool server registries and tool manifests: what they come to, and what is said of wrong ones; Node.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generate } from "../../../scripts/generate-config-validators.mjs";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import { toolManifest } from "../../../src/mcp/tool-manifest.ts";
import { toolServers } from "../../../src/mcp/tool-servers.ts";
import { serveBothEras, type TestServer } from "../../mcp/sdk-server.ts";

test("the generated checks are those of today's schemas, and need nothing at run time", async () => {
  const file = new URL("../../../src/mcp/config-validators.generated.ts", import.meta.url);
  const code = readFileSync(file, "utf8");
  expect(code).toBe(await generate());
  expect(code).not.toMatch(/new Function|eval\(|require\(|^import /m);
});

describe("toolServers", () => {
  let server: TestServer;
  beforeAll(async () => void (server = await serveBothEras()));
  afterAll(() => server.close());

  const yaml = () => `
apiVersion: infra/v1
kind: ToolServerRegistry
metadata: { name: test }
spec:
  tool_servers:
    - id: remote
      protocol: mcp
      endpoint: env:ADDRESS|${server.url}
      timeout: 5
      cache_scope: private
      headers:
        authorization: env:TOKEN
        x-unset: env:NOTHING
        x-default: env:NOTHING|fallback
        x-plain: plain
      tools: [add, picture]
    - id: program
      protocol: mcp
      command: npx
      args: [-y, some-server]
    - id: packaged
      protocol: mcp
      transport: stdio
      command: greeter
    - { id: elsewhere, protocol: mcp, usage: deploy, url: "http://127.0.0.1:9/" }
`;
  const packaged = {
    listTools: () => [{ name: "greet", description: "", parameters: {} }],
    callTool: () => ({ result: "hi" }),
  };

  test("gives providers for a registry: secrets resolved, programs explained or replaced", async () => {
    const asked: string[] = [];
    const secrets = async (name: string) => {
      asked.push(name);
      return name === "TOKEN" ? "Bearer t" : undefined;
    };
    const servers = await toolServers(yaml(), { secrets, packages: { packaged } });
    expect(servers.map(({ name }) => name)).toEqual(["remote", "program", "packaged"]);
    const registry = toolRegistry(servers);
    expect((await registry.listTools()).map(({ name }) => name)).toEqual([
      "add",
      "picture",
      "greet",
    ]);
    expect(registry.problems).toMatchObject([
      { provider: "program", error: { message: expect.stringMatching(/do not run in a browser/) } },
    ]);
    expect((await registry.callTool("add", { a: 1, b: 2 })).result).toEqual({ sum: 3 });
    const sent = server.requests.at(-1)?.headers;
    expect(sent).toMatchObject({
      authorization: "Bearer t",
      "x-default": "fallback",
      "x-plain": "plain",
    });
    expect(sent).not.toHaveProperty("x-unset");
    expect(asked).toContain("ADDRESS");
    // A caller of the contract sees what tools are, and nothing of where they live.
    const seen = JSON.stringify([
      await registry.listTools(),
      await registry.callTool("add", { a: 1, b: 2 }),
    ]);
    for (const hidden of [server.url, "Bearer", "fallback", "cursor", "ttl", "cache"])
      expect(seen).not.toContain(hidden);
    await registry.close();
  });

  test("reads JSON and objects alike", async () => {
    const config = {
      apiVersion: "infra/v1",
      kind: "ToolServerRegistry",
      spec: { tool_servers: [{ id: "a", protocol: "mcp", url: "https://example.org/mcp" }] },
    };
    for (const source of [config, JSON.stringify(config)])
      expect(await toolServers(source)).toHaveLength(1);
  });

  const server1 = (more: object) => ({
    apiVersion: "infra/v1",
    kind: "ToolServerRegistry",
    spec: { tool_servers: [{ id: "a", protocol: "mcp", url: "https://example.org", ...more }] },
  });
  test.each([
    ["no YAML", "a: [", ""],
    ["a list", "- a", ""],
    ["another kind", { ...server1({}), kind: "Tool" }, "/kind"],
    ["no id", server1({ id: undefined }), "/spec/tool_servers/0"],
    ["another protocol", server1({ protocol: "http" }), "/spec/tool_servers/0/protocol"],
    ["no address", server1({ url: undefined }), "/spec/tool_servers/0"],
    ["a wrong address", server1({ url: "ftp://example.org" }), "/spec/tool_servers/0"],
    ["an unset address", server1({ url: "env:NONE" }), "/spec/tool_servers/0"],
    ["a number as a header", server1({ headers: { a: 5 } }), "/spec/tool_servers/0/headers/a"],
    ["a negative time", server1({ cache_ttl_ms: -1 }), "/spec/tool_servers/0/cache_ttl_ms"],
    [
      "one id twice",
      {
        ...server1({}),
        spec: {
          tool_servers: [
            { id: "a", protocol: "mcp", url: "https://x.example" },
            { id: "a", protocol: "mcp", url: "https://x.example" },
          ],
        },
      },
      "/spec/tool_servers/1/id",
    ],
    ["too much", "#".repeat(2 ** 21), ""],
    ["aliases that multiply", bomb(), ""],
  ])("says what is wrong: %s", async (_what, source, path) => {
    const given =
      typeof source === "string"
        ? source
        : (JSON.parse(JSON.stringify(source)) as Record<string, unknown>);
    await expect(toolServers(given)).rejects.toMatchObject({ code: "bad_config", data: { path } });
  });
});

describe("toolManifest", () => {
  const yaml = `
apiVersion: mas/v1
kind: Tool
x-canvas: { x: 1 }
metadata: { name: web-search, version: 0.1.0, tags: [search] }
spec:
  description: Searches
  title: Web Search
  parameters:
    - { name: query, type: string, required: true, description: What, examples: [cats] }
    - { name: limit, type: integer, default: 5 }
    - { name: kind, type: string, enum: [news, all] }
  returns: { type: object }
  output_schema: { type: object }
  idempotent: false
  timeout_seconds: 2
  read_only: true
  open_world: false
  task_support: optional
  icons: [{ src: "https://example.org/a.png", mime_type: image/png, theme: dark }]
  meta: { vendor: test }
  semantics: { concept: search }
  impl: { kind: python, module_path: ./web.py }
`;

  test("becomes a tool of the contract", async () => {
    const manifest = await toolManifest(yaml);
    const { entry } = manifest;
    expect(entry).toEqual({
      name: "web-search",
      description: "Searches",
      title: "Web Search",
      parameters: {
        type: "object",
        properties: {
          query: { type: "string", description: "What", examples: ["cats"] },
          limit: { type: "integer", default: 5 },
          kind: { type: "string", enum: ["news", "all"] },
        },
        required: ["query"],
      },
      output_schema: { type: "object" },
      timeout_seconds: 2,
      read_only: true,
      open_world: false,
      task_support: "optional",
      icons: [{ src: "https://example.org/a.png", mimeType: "image/png", theme: "dark" }],
      meta: { vendor: "test" },
      semantics: { concept: "search" },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    const registry = toolRegistry([localTools(manifest.implement((args) => args as object))]);
    expect((await registry.callTool("web-search", { query: "cats" })).result).toEqual({
      query: "cats",
      limit: 5,
    });
    expect(await registry.callTool("web-search", { query: "cats", kind: "old" })).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(await registry.callTool("web-search", { limit: "5", query: "a" })).toMatchObject({
      type: "ToolArgumentError",
    });
  });

  test.each([
    ["an unknown key", yaml.replace("x-canvas", "canvas"), ""],
    ["a bad name", yaml.replace("web-search", "Web Search"), "/metadata/name"],
    ["a bad type", yaml.replace("type: integer", "type: int"), "/spec/parameters/1/type"],
    [
      "too long a time",
      yaml.replace("timeout_seconds: 2", "timeout_seconds: 4000"),
      "/spec/timeout_seconds",
    ],
  ])("says what is wrong: %s", async (_what, source, path) => {
    await expect(toolManifest(source)).rejects.toMatchObject({
      code: "bad_config",
      data: { path },
    });
  });
});

function bomb(): string {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 12; i++)
    lines.push(`a${i}: &a${i} [${Array.from({ length: 10 }, () => `*a${i - 1}`).join(", ")}]`);
  return lines.join("\n");
}
