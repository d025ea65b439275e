// Each format of agents: types of the real SDKs, calls of every kind, images, names, and loops that run; Node.

import type Anthropic from "@anthropic-ai/sdk";
import { generateText, stepCountIs, type ToolSet } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import { aiSdkTools } from "../../../src/agents/ai-sdk-tools.ts";
import { anthropicTools } from "../../../src/agents/anthropic-tools.ts";
import { mcpFormat } from "../../../src/agents/mcp-format.ts";
import { openAIResponsesTools, openAITools } from "../../../src/agents/openai-tools.ts";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import { contractTool } from "../../../src/tools/contract-tool.ts";
import { envelope } from "../../../src/tools/envelope.ts";
import { tool } from "../../../src/tools/tool.ts";
import { serveScript, type ScriptedOpenAI } from "../../agents/scripted-openai.ts";

const png = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };

function registryOf() {
  return toolRegistry([
    localTools(
      tool({
        name: "add",
        description: "Adds",
        inputSchema: {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" }, note: { type: "string" } },
          required: ["a", "b"],
        },
        execute: (args) => ({ sum: args.a + args.b, keys: Object.keys(args) }),
      }),
      contractTool({
        name: "web.search",
        title: "Search",
        readOnly: true,
        parameters: {
          $schema: "https://json-schema.org/draft/2020-12/schema",
          type: "object",
          additionalProperties: true,
        },
        execute: (args) => args as object,
      }),
      contractTool({
        name: "draw",
        execute: () =>
          envelope.inline("a dot", { content: [{ type: "text", text: "a dot" }, png] }),
      }),
      contractTool({
        name: "fails",
        execute: () => {
          throw new Error("no luck");
        },
      }),
    ),
  ]);
}

const servers: ScriptedOpenAI[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

describe("OpenAI chat completions", () => {
  test("tools have the types of the SDK, strict where the schema allows it", async () => {
    const { tools } = await openAITools(registryOf());
    const typed: OpenAI.Chat.ChatCompletionFunctionTool[] = tools;
    expect(typed.map(({ function: { name, strict } }) => [name, strict])).toEqual([
      ["add", true],
      ["web_search", false],
      ["draw", true],
      ["fails", true],
    ]);
    expect(tools[0]?.function.parameters).toEqual({
      type: "object",
      properties: {
        a: { type: "integer" },
        b: { type: "integer" },
        note: { type: ["string", "null"] },
      },
      required: ["a", "b", "note"],
      additionalProperties: false,
    });
    expect(tools[1]?.function.parameters).toEqual({
      type: "object",
      properties: {},
      additionalProperties: true,
    });
    const loose = await openAITools(registryOf(), { strict: false });
    expect(loose.tools.every(({ function: { strict } }) => !strict)).toBe(true);
  });

  test("the SDK's own client runs a loop: several calls at once, images, failures, nulls taken out", async () => {
    const server = await serveScript([
      () => [
        { name: "add", args: { a: 1, b: 2, note: null } },
        { name: "draw", args: {} },
        { name: "fails", args: {} },
      ],
      () => [
        { name: "web_search", args: { q: "x" } },
        { name: "none", args: {} },
        { name: "add", args: "{broken" },
      ],
      (messages) => `done after ${messages.length}`,
    ]);
    servers.push(server);
    const client = new OpenAI({
      baseURL: server.baseURL,
      apiKey: "test",
      dangerouslyAllowBrowser: true,
    });
    const { tools, answer } = await openAITools(registryOf());
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: "user", content: "go" }];
    let said: string | null = null;
    for (let turn = 0; turn < 5 && said === null; turn++) {
      const { choices } = await client.chat.completions.create({
        model: "scripted",
        messages,
        tools,
      });
      const message = choices[0]?.message as OpenAI.Chat.ChatCompletionMessage;
      messages.push(message);
      if (message.tool_calls?.length) messages.push(...(await answer(message.tool_calls)));
      else said = message.content;
    }
    expect(said).toMatch(/^done/);
    const answers = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(answers).toEqual([
      '{"sum":3,"keys":["a","b"]}',
      "a dot",
      "no luck",
      '{"q":"x"}',
      "there is no tool none",
      expect.stringMatching(/no JSON/),
    ]);
    expect(messages.find(({ role, content }) => role === "user" && Array.isArray(content))).toEqual(
      {
        role: "user",
        content: [
          { type: "text", text: "Images from draw:" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    );
  });
});

test("OpenAI responses: tools and outputs have the types of the SDK", async () => {
  const { tools, answer } = await openAIResponsesTools(registryOf());
  const typed: OpenAI.Responses.FunctionTool[] = tools;
  expect(typed[0]).toMatchObject({ type: "function", name: "add", strict: true });
  const items = [
    { type: "message" },
    { type: "function_call", call_id: "c1", name: "add", arguments: '{"a":1,"b":2,"note":null}' },
    { type: "function_call", call_id: "c2", name: "draw", arguments: "" },
  ];
  const output: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[] = await answer(items);
  expect(output).toEqual([
    { type: "function_call_output", call_id: "c1", output: '{"sum":3,"keys":["a","b"]}' },
    {
      type: "function_call_output",
      call_id: "c2",
      output: [
        { type: "input_text", text: "a dot" },
        { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=", detail: "auto" },
      ],
    },
  ]);
});

test("Anthropic: tools and results have the types of the SDK", async () => {
  const { tools, answer } = await anthropicTools(registryOf());
  const typed: Anthropic.Tool[] = tools;
  expect(typed.map(({ name }) => name)).toEqual(["add", "web_search", "draw", "fails"]);
  expect(typed[1]?.input_schema).toEqual({ type: "object", additionalProperties: true });
  const content: Anthropic.ToolResultBlockParam[] = await answer([
    { type: "text" },
    { type: "tool_use", id: "t1", name: "web_search", input: { q: 1 } },
    { type: "tool_use", id: "t2", name: "draw", input: {} },
    { type: "tool_use", id: "t3", name: "add", input: { a: "1" } },
    { type: "tool_use", id: "t4", name: "none", input: {} },
  ]);
  expect(content).toEqual([
    { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: '{"q":1}' }] },
    {
      type: "tool_result",
      tool_use_id: "t2",
      content: [
        { type: "text", text: "a dot" },
        {
          type: "image",
          source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
        },
      ],
    },
    {
      type: "tool_result",
      tool_use_id: "t3",
      is_error: true,
      content: [{ type: "text", text: expect.stringMatching("a") }],
    },
    {
      type: "tool_result",
      tool_use_id: "t4",
      is_error: true,
      content: [{ type: "text", text: "there is no tool none" }],
    },
  ]);
});

test("AI SDK: its own loop calls the tools, and shows the model their results", async () => {
  const tools: ToolSet = await aiSdkTools(registryOf());
  expect(Object.keys(tools)).toEqual(["add", "web_search", "draw", "fails"]);
  const prompts: { prompt: unknown; tools: unknown }[] = [];
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => {
      prompts.push({ prompt: options.prompt, tools: options.tools });
      const call = (toolName: string, input: object, index: number) => ({
        type: "tool-call" as const,
        toolCallId: `c${index}`,
        toolName,
        input: JSON.stringify(input),
      });
      const content =
        prompts.length === 1
          ? [
              call("add", { a: 1, b: 2 }, 0),
              call("draw", {}, 1),
              call("fails", {}, 2),
              call("add", { a: "1" }, 3),
            ]
          : [{ type: "text" as const, text: "done" }];
      const unified = prompts.length === 1 ? ("tool-calls" as const) : ("stop" as const);
      return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
    },
  });
  const { text } = await generateText({ model, prompt: "go", tools, stopWhen: stepCountIs(3) });
  expect(text).toBe("done");
  expect(prompts[0]?.tools).toMatchObject([
    { name: "add", inputSchema: { type: "object", required: ["a", "b"] } },
    { name: "web_search", inputSchema: { type: "object", additionalProperties: true } },
    { name: "draw" },
    { name: "fails" },
  ]);
  const results = (
    (prompts[1]?.prompt ?? []) as { role: string; content: { output: unknown }[] }[]
  ).find(({ role }) => role === "tool");
  expect(results?.content.map(({ output }) => output)).toMatchObject([
    { type: "text", value: '{"sum":3,"keys":["a","b"]}' },
    {
      type: "content",
      value: [
        { type: "text", text: "a dot" },
        { type: "file", mediaType: "image/png" },
      ],
    },
    { type: "error-text", value: "no luck" },
    { type: "error-text", value: expect.stringMatching("a") },
  ]);
});

test("MCP's shapes", async () => {
  const { tools, call } = await mcpFormat(registryOf(), { only: ({ name }) => name !== "fails" });
  expect(tools.map(({ name }) => name)).toEqual(["add", "web.search", "draw"]);
  expect(tools[1]).toMatchObject({ title: "Search", annotations: { readOnlyHint: true } });
  expect(await call({ name: "add", arguments: { a: 1, b: 2 } })).toEqual({
    content: [{ type: "text", text: '{"sum":3,"keys":["a","b"]}' }],
    structuredContent: { sum: 3, keys: ["a", "b"] },
  });
  expect(await call({ name: "draw" })).toEqual({ content: [{ type: "text", text: "a dot" }, png] });
  expect(await call({ name: "fails" })).toMatchObject({ isError: true });
});

test("names that an API does not allow are mapped, all different, and back", async () => {
  const names = ["a.b", "a_b", "a b", "é".repeat(80), "x".repeat(65), "x".repeat(66)];
  const registry = toolRegistry([
    localTools(...names.map((name) => contractTool({ name, execute: () => name }))),
  ]);
  const { tools, answer } = await anthropicTools(registry);
  const shown = tools.map(({ name }) => name);
  expect(new Set(shown).size).toBe(names.length);
  for (const [index, name] of shown.entries()) {
    expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    const [result] = await answer([{ type: "tool_use", id: "t", name, input: {} }]);
    expect(result?.content).toEqual([{ type: "text", text: names[index] }]);
  }
});

test("a caller's options and choice of tools hold in every format", async () => {
  const seen: unknown[] = [];
  const registry = toolRegistry([localTools(contractTool({ name: "a", execute: () => 1 }))], {
    preToolCall: ({ options }) => void seen.push(options.user),
  });
  const options = { call: { user: "ada" } };
  await (
    await openAITools(registry, options)
  ).answer([{ id: "1", function: { name: "a", arguments: "{}" } }]);
  await (
    await anthropicTools(registry, options)
  ).answer([{ type: "tool_use", id: "1", name: "a", input: {} }]);
  await (await mcpFormat(registry, options)).call({ name: "a" });
  await (await aiSdkTools(registry, options))["a"]?.execute({});
  expect(seen).toEqual(["ada", "ada", "ada", "ada"]);
  const none = await openAITools(registry, { only: () => false });
  expect(none.tools).toEqual([]);
  expect(await none.answer([{ id: "1", function: { name: "a", arguments: "{}" } }])).toMatchObject([
    { content: "there is no tool a" },
  ]);
  await expect(openAITools({} as never)).rejects.toMatchObject({ code: "bad_option" });
});

test("streams are read to their end, sessions are named, in every format", async () => {
  async function* words() {
    yield { name: "token", payload: "a " };
    yield { name: "token", payload: "b" };
  }
  async function* broken() {
    yield { name: "token", payload: "a" };
    throw new Error("cut off");
  }
  async function* endless() {
    for (;;) yield { name: "token", payload: 1 };
  }
  const registry = toolRegistry([
    localTools(
      contractTool({ name: "words", execute: () => envelope.stream(words()) }),
      contractTool({
        name: "steps",
        execute: () => envelope.stream([{ name: "s", payload: { n: 1 } }]),
      }),
      contractTool({ name: "broken", execute: () => envelope.stream(broken()) }),
      contractTool({ name: "endless", execute: () => envelope.stream(endless()) }),
      contractTool({ name: "session", execute: () => envelope.session("s-1") }),
    ),
  ]);
  const { answer } = await anthropicTools(registry);
  const asked = ["words", "steps", "broken", "endless", "session"].map((name) => ({
    type: "tool_use",
    id: name,
    name,
    input: {},
  }));
  const texts = (await answer(asked)).map(({ content, is_error }) => [
    content.map((one) => ("text" in one ? one.text : "")).join(""),
    is_error ?? false,
  ]);
  expect(texts).toEqual([
    ["a b", false],
    ['[{"n":1}]', false],
    ["cut off", true],
    [expect.stringMatching("too long"), true],
    ['{"session_id":"s-1","session_status":"open"}', false],
  ]);
  expect(await (await mcpFormat(registry)).call({ name: "words" })).toEqual({
    content: [{ type: "text", text: "a b" }],
  });
  const { tools } = await registry.doorTools();
  const context = { name: "", signal: new AbortController().signal };
  expect(await tools[0]?.execute({}, context)).toBe("a b");
});
