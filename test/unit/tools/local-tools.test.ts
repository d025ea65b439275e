// localTools: entries, envelopes, the check of arguments on both makes of tools, and the same tools at the door; Node.

import { describe, expect, test } from "vitest";
import { localTools, toolRegistry } from "../../../src/compose/tool-registry.ts";
import { createToolDoor } from "../../../src/door/create-tool-door.ts";
import { contractTool } from "../../../src/tools/contract-tool.ts";
import { envelope, envelopeText } from "../../../src/tools/envelope.ts";
import { tool } from "../../../src/tools/tool.ts";
import { ToolDenied } from "../../../src/tools/tool-error.ts";

const lookup = tool({
  name: "lookup_region",
  description: "Region of a code",
  inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
  outputSchema: { type: "string" },
  annotations: {
    title: "Look up",
    readOnlyHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  timeoutMs: 1_500,
  execute: ({ code }) => `region ${code}`,
});
const search = contractTool({
  name: "web-search",
  description: "Searches",
  parameters: {
    type: "object",
    properties: { "max-results": { type: "integer" }, query: { type: "string" } },
  },
  execute: (args, { name }) => ({ args: args as unknown, name }),
});
const pattern = contractTool({
  name: "by_pattern",
  parameters: { type: "object", properties: { q: { type: "string", pattern: "^a" } } },
  execute: () => "found",
});

async function ask(
  door: ReturnType<typeof createToolDoor>,
  frame: object,
): Promise<Record<string, never>> {
  const answer = await door.call(
    new TextEncoder().encode(JSON.stringify({ v: 1, id: 1, ...frame })),
  );
  return JSON.parse(new TextDecoder().decode(answer)) as Record<string, never>;
}

describe("entries", () => {
  test("have the contract's keys, optional ones only when set", () => {
    expect(localTools(lookup, pattern).listTools()).toEqual([
      {
        name: "lookup_region",
        description: "Region of a code",
        parameters: lookup.inputSchema,
        output_schema: { type: "string" },
        title: "Look up",
        read_only: true,
        open_world: false,
        timeout_seconds: 1.5,
        annotations: lookup.annotations,
      },
      { name: "by_pattern", description: "", parameters: pattern.entry.parameters },
    ]);
  });
});

describe("calls", () => {
  test.each([
    ["a value", () => 5, { status: "ok", result: 5 }],
    ["nothing", () => undefined, { status: "ok" }],
    [
      "an envelope",
      () => envelope.session("s-1"),
      {
        result_mode: "session",
        session_id: "s-1",
        session_status: "open",
        execution_mode: "realtime",
      },
    ],
    [
      "an exception",
      () => {
        throw new RangeError("too far");
      },
      { status: "error", error: "too far", type: "RangeError", is_error: true, tool: "t" },
    ],
    [
      "a refusal",
      () => {
        throw new ToolDenied("no");
      },
      { error: "no", type: "ToolDenied" },
    ],
  ])("%s becomes an envelope", async (_what, execute, expected) => {
    for (const made of [
      tool({ name: "t", description: "", execute }),
      contractTool({ name: "t", execute }),
    ]) {
      const result = await localTools(made).callTool("t", {});
      expect(result).toMatchObject(expected);
      expect(Object.keys(result)).toEqual(
        expect.arrayContaining(["status", "is_error", "result_mode", "execution_mode"]),
      );
      if (result.is_error) expect(result).not.toHaveProperty("result");
    }
  });

  test("a stream keeps its events", async () => {
    async function* events() {
      yield { name: "token", payload: "a" };
      yield { name: "token", payload: "b" };
    }
    const made = contractTool({ name: "t", execute: () => envelope.stream(events()) });
    const result = await toolRegistry([localTools(made)]).callTool("t", {});
    expect(result).toMatchObject({ result_mode: "stream", execution_mode: "async" });
    const payloads: unknown[] = [];
    for await (const { payload } of result.events ?? []) payloads.push(payload);
    expect(payloads).toEqual(["a", "b"]);
  });

  test("tools of tool() are judged by the subset, those of the contract by all of JSON Schema", async () => {
    const local = localTools(lookup, pattern);
    expect(await local.callTool("lookup_region", { code: "E", other: 1 })).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(await local.callTool("by_pattern", { q: "b" })).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(await local.callTool("by_pattern", { q: "ab", other: 1 })).toMatchObject({
      result: "found",
    });
    for (const args of [
      undefined,
      null,
      [],
      "x",
      { code: Number.NaN },
      { code: () => {} },
      new Map(),
    ]) {
      expect(await local.callTool("lookup_region", args)).toMatchObject({
        type: "ToolArgumentError",
      });
    }
    let deep: unknown = "x";
    for (let i = 0; i < 10_000; i++) deep = { code: deep };
    expect(await local.callTool("lookup_region", deep)).toMatchObject({
      type: "ToolArgumentError",
    });
    expect(await local.callTool("none", {})).toMatchObject({
      type: "ToolArgumentError",
      error: expect.stringMatching("none"),
    });
  });

  test("a tool gets a copy of its own, and integers keep all their digits", async () => {
    const made = tool({
      name: "t",
      description: "",
      inputSchema: {
        type: "object",
        properties: { n: { type: "integer" }, constructor: { type: "string" } },
      },
      execute: (args) => ({
        same: Object.is(args, given),
        n: String(args.n),
        has: typeof args.constructor,
      }),
    });
    const given = { n: 2 ** 60 };
    expect((await localTools(made).callTool("t", given)).result).toEqual({
      same: false,
      n: String(2n ** 60n),
      has: "undefined",
    });
  });

  test("time is up at the tool's own limit, and its signal says so", async () => {
    let aborted = false;
    const slow = contractTool({
      name: "slow",
      timeoutMs: 20,
      execute: (_args, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (aborted = true))),
    });
    expect(await localTools(slow).callTool("slow", {})).toMatchObject({ type: "ToolTimeout" });
    expect(aborted).toBe(true);
  });

  test("text for a model: the error, the text, or JSON", () => {
    expect(envelopeText(envelope.inline("plain"))).toBe("plain");
    expect(envelopeText(envelope.inline({ n: 2n ** 60n }))).toBe('{"n":"1152921504606846976"}');
    expect(envelopeText(envelope.inline(undefined))).toBe("");
  });
});

describe("the door", () => {
  test("offers the same tools, with names that a guest can write, and calls them by their own", async () => {
    const door = await localTools(lookup, search, pattern).door();
    expect(door.tools.map(({ name }) => name)).toEqual(["lookup_region"]);
    expect([...door.problems.keys()]).toEqual(["web-search", "by_pattern"]);
    const plain = contractTool({
      name: "web-search",
      parameters: { type: "object", properties: { q: { type: "string" } } },
      execute: ({ q }, { name }) => `${name} ${q}`,
    });
    const keyword = contractTool({ name: "class", execute: () => "c" });
    const taken = contractTool({ name: "web_search", execute: () => "taken" });
    const offer = await localTools(plain, keyword, taken).door();
    expect(offer.tools.map(({ name }) => name)).toEqual(["web_search_", "class_", "web_search"]);
    expect(offer.names.get("web_search_")).toBe("web-search");
    const served = createToolDoor(offer.tools);
    expect(await ask(served, { op: "call", tool: "web_search_", args: { q: "x" } })).toMatchObject({
      ok: true,
      value: "web-search x",
    });
    expect(await ask(served, { op: "call", tool: "web_search", args: {} })).toMatchObject({
      value: "taken",
    });
  });

  test("a registry's tools go through its checks and policies, properties mapped and back", async () => {
    const registry = toolRegistry([localTools(lookup, search, pattern)], {
      policy: { lookup_region: "deny" },
    });
    const { tools, names } = await registry.doorTools();
    expect([...names]).toEqual([
      ["lookup_region", "lookup_region"],
      ["web_search", "web-search"],
      ["by_pattern", "by_pattern"],
    ]);
    const door = createToolDoor(tools);
    expect(
      await ask(door, { op: "call", tool: "web_search", args: { max_results: 3, query: "q" } }),
    ).toMatchObject({
      value: { args: { "max-results": 3, query: "q" }, name: "web-search" },
    });
    expect(await ask(door, { op: "call", tool: "by_pattern", args: { q: "b" } })).toMatchObject({
      error: { kind: "invalid_arguments" },
    });
    expect(
      await ask(door, { op: "call", tool: "lookup_region", args: { code: "E" } }),
    ).toMatchObject({ error: { kind: "denied" } });
    expect(registry.calls.map(({ status }) => status)).toEqual(["ok", "error", "denied"]);
  });

  test("only what is chosen is offered; a schema that the door cannot read lets the registry judge", async () => {
    const remote = {
      listTools: () => [
        {
          name: "odd",
          description: "",
          parameters: {
            type: "object",
            items: [{}],
            properties: { a: { $ref: "https://example.org/x" } },
          },
        },
        { name: "other", description: "", parameters: { type: "object" } },
      ],
      callTool: (_name: string, args: unknown) => ({ result: args }),
      checksArguments: true,
    };
    const { tools } = await toolRegistry([remote]).doorTools(({ name }) => name === "odd");
    expect(tools).toHaveLength(1);
    expect(
      await ask(createToolDoor(tools), { op: "call", tool: "odd", args: { a: { b: 1 } } }),
    ).toMatchObject({ value: { a: { b: 1 } } });
  });
});
