// A registry served over a port, and a package behind a transport, both driven by the official Client; Node.

import { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import type { RpcMessage } from "../../../src/mcp/mcp-responder.ts";
import { mcpTools } from "../../../src/mcp/mcp-tools.ts";
import {
  packageTransport,
  portTransport,
  type CallablePackage,
} from "../../../src/mcp/sdk-transports.ts";
import { serveTools } from "../../../src/mcp/serve-tools.ts";
import { contractTool } from "../../../src/tools/contract-tool.ts";
import { envelope } from "../../../src/tools/envelope.ts";
import type { ToolRegistry } from "../../../src/tools/registry.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const registryOf = (options: object = {}) =>
  toolRegistry(
    [
      localTools(
        contractTool({
          name: "web-search",
          title: "Search",
          readOnly: true,
          parameters: {
            type: "object",
            properties: { query: { type: "string", pattern: "^\\S" } },
            required: ["query"],
          },
          outputSchema: { type: "object", properties: { found: { type: "string" } } },
          semantics: { concept: "search" },
          execute: ({ query }) => ({ found: query as string }),
        }),
        contractTool({
          name: "list",
          outputSchema: { type: "array" },
          execute: () => envelope.inline([1, 2], { structured_content: [1, 2] }),
        }),
        contractTool({
          name: "picture",
          execute: () =>
            envelope.inline("dot", {
              content: [{ type: "image", data: "iVBORw==", mimeType: "image/png" }],
            }),
        }),
        contractTool({
          name: "fails",
          execute: () => {
            throw new Error("no luck");
          },
        }),
        contractTool({
          name: "stuck",
          execute: (_args, { signal }) =>
            new Promise((resolve) =>
              signal.addEventListener("abort", () => {
                stuckEnded = true;
                resolve(1);
              }),
            ),
        }),
      ),
      {
        name: "progress",
        callOptions: "*",
        listTools: () => [{ name: "steps", description: "", parameters: { type: "object" } }],
        callTool: async (_name, _args, { onProgress, meta } = {}) => {
          for (const progress of [1, 2]) onProgress?.({ progress, total: 2 });
          return { result: { meta } };
        },
      },
    ],
    options,
  );
let stuckEnded = false;

async function connected(
  registry: ToolRegistry,
  mode: "legacy" | "auto",
  options: object = {},
): Promise<Client> {
  const { port1, port2 } = new MessageChannel();
  const served = serveTools(registry, port1, options);
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(portTransport(port2));
  ends.push(
    () => client.close(),
    () => served.close(),
  );
  return client;
}

describe.each(["legacy", "auto"] as const)("the official Client, %s", (mode) => {
  test("lists and calls a served registry", async () => {
    const registry = registryOf();
    const client = await connected(registry, mode);
    expect(client.getProtocolEra()).toBe(mode === "auto" ? "modern" : "legacy");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "web-search",
      "list",
      "picture",
      "fails",
      "stuck",
      "steps",
    ]);
    expect(tools[0]).toMatchObject({
      title: "Search",
      annotations: { readOnlyHint: true },
      inputSchema: { required: ["query"] },
    });
    expect(tools[0]).not.toHaveProperty("semantics");
    expect(
      await client.callTool({ name: "web-search", arguments: { query: "cats" } }),
    ).toMatchObject({
      content: [{ type: "text", text: '{"found":"cats"}' }],
      structuredContent: { found: "cats" },
    });
    expect(await client.callTool({ name: "picture" })).toMatchObject({
      content: [{ type: "image", data: "iVBORw==" }],
    });
    expect(await client.callTool({ name: "fails" })).toMatchObject({
      isError: true,
      content: [{ text: "no luck" }],
    });
    expect(await client.callTool({ name: "web-search", arguments: { query: " " } })).toMatchObject({
      isError: true,
    });
    const list = await client.callTool({ name: "list" });
    expect(list.structuredContent).toEqual(mode === "auto" ? [1, 2] : undefined);
    await expect(client.callTool({ name: "none" })).rejects.toMatchObject({ code: -32602 });
    expect(registry.calls).toHaveLength(5);
  });

  test("hears progress, and cancels", async () => {
    const client = await connected(registryOf(), mode);
    const seen: number[] = [];
    const result = await client.callTool(
      { name: "steps", _meta: { "example.org/a": 1 } },
      { onprogress: ({ progress }) => void seen.push(progress) },
    );
    expect(result).toMatchObject({ structuredContent: { meta: { "example.org/a": 1 } } });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(seen).toEqual([1, 2]);
    stuckEnded = false;
    const stop = new AbortController();
    const call = client.callTool({ name: "stuck" }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    await expect(call).rejects.toThrow();
    await expect.poll(() => stuckEnded).toBe(true);
  });

  test("gets only what it is given, under the registry's policies", async () => {
    const seen: unknown[] = [];
    const registry = registryOf({
      policy: { fails: "deny" },
      preToolCall: ({ options }: { options: { user?: string } }) => void seen.push(options.user),
    });
    const client = await connected(registry, mode, {
      only: ({ name }: { name: string }) => name !== "stuck",
      call: { user: "frame" },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("stuck");
    await expect(client.callTool({ name: "stuck" })).rejects.toMatchObject({ code: -32602 });
    expect(await client.callTool({ name: "fails" })).toMatchObject({
      isError: true,
      content: [{ text: "fails is not allowed here" }],
    });
    await client.callTool({ name: "list" });
    expect(seen).toEqual(["frame"]);
  });

  test("drives a package; a crash is an error of the protocol", async () => {
    const asked: unknown[] = [];
    const pkg: CallablePackage = {
      name: "greeter",
      tools: [{ name: "greet", description: "Greets", inputSchema: { type: "object" } }],
      call: async (name, args, options) => {
        asked.push([name, args, options.meta]);
        if (args["crash"]) throw new Error("the function crashed: it trapped");
        return {
          content: [{ type: "text", text: "Hello, Ada!" }],
          structuredContent: { message: "Hello, Ada!" },
        };
      },
    };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(packageTransport(pkg));
    ends.push(() => client.close());
    expect((await client.listTools()).tools).toMatchObject([
      { name: "greet", description: "Greets" },
    ]);
    const result = await client.callTool({
      name: "greet",
      arguments: { name: "Ada" },
      _meta: { "example.org/a": 1 },
    });
    expect(result).toMatchObject({
      content: [{ text: "Hello, Ada!" }],
      structuredContent: { message: "Hello, Ada!" },
    });
    expect(asked).toEqual([["greet", { name: "Ada" }, { "example.org/a": 1 }]]);
    await expect(client.callTool({ name: "greet", arguments: { crash: true } })).rejects.toThrow(
      /crashed/,
    );
  });
});

test("a served registry is a provider of another registry", async () => {
  const { port1, port2 } = new MessageChannel();
  const served = serveTools(registryOf(), port1);
  const registry = toolRegistry([
    mcpTools({
      url: "http://unused.example",
      name: "frame",
      transport: () => portTransport(port2),
    }),
  ]);
  ends.push(
    () => registry.close(),
    () => served.close(),
  );
  expect((await registry.callTool("web-search", { query: "cats" })).result).toEqual({
    found: "cats",
  });
  expect(await registry.callTool("web-search", {})).toMatchObject({ type: "ToolArgumentError" });
});

describe("messages that a peer should not send", () => {
  test.each([
    ["no version", { method: "tools/list" }, -32602],
    [
      "a version of the future",
      {
        method: "tools/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2030-01-01" } },
      },
      -32022,
    ],
    [
      "no capabilities",
      {
        method: "tools/list",
        params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
      },
      -32602,
    ],
    ["an unknown method", { method: "resources/list", params: modern() }, -32601],
    ["no name", { method: "tools/call", params: modern() }, -32602],
    [
      "arguments that are no object",
      { method: "tools/call", params: { ...modern(), name: "list", arguments: [1] } },
      -32602,
    ],
  ])("%s", async (_what, message, code) => {
    const answer = await exchange([{ jsonrpc: "2.0", id: 1, ...message }]);
    expect(answer).toMatchObject([{ id: 1, error: { code } }]);
  });

  test("what is no message is not answered", async () => {
    const odd = [
      null,
      5,
      "text",
      [],
      {},
      { jsonrpc: "1.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: {}, method: "ping" },
      { jsonrpc: "2.0", id: 1, method: "ping", params: [] },
      { jsonrpc: "2.0", id: 9, result: {} },
    ];
    expect(await exchange([...odd, { jsonrpc: "2.0", id: 2, method: "ping" }])).toEqual([
      { jsonrpc: "2.0", id: 2, result: {} },
    ]);
  });

  test("a flood of calls is bounded", async () => {
    const call = (id: number) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { ...modern(), name: "stuck" },
    });
    const answers = await exchange(
      Array.from({ length: 80 }, (_, id) => call(id)),
      16,
    );
    expect(answers.every((one) => /at once/.test(one.error?.message ?? ""))).toBe(true);
  });

  test("a peer that is no port and no window with origins is refused", () => {
    for (const peer of [
      undefined,
      {},
      { window: globalThis, origins: [] },
      { window: globalThis, origins: ["*"] },
    ]) {
      expect(() => serveTools(registryOf(), peer as never)).toThrow(
        expect.objectContaining({ code: "bad_option" }),
      );
    }
  });
});

function modern() {
  return {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
}

/** Sends raw messages and waits for a number of answers. */
async function exchange(messages: readonly unknown[], wanted = 1): Promise<RpcMessage[]> {
  const { port1, port2 } = new MessageChannel();
  const served = serveTools(registryOf(), port1);
  ends.push(
    () => served.close(),
    () => port2.close(),
  );
  const answers: RpcMessage[] = [];
  port2.addEventListener(
    "message",
    (event) => void answers.push((event as MessageEvent<RpcMessage>).data),
  );
  port2.start();
  for (const message of messages) port2.postMessage(message);
  await expect.poll(() => answers.length).toBeGreaterThanOrEqual(wanted);
  await new Promise((resolve) => setTimeout(resolve, 10));
  return answers;
}
