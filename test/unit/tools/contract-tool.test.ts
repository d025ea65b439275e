// contractTool(): full schemas, the entry of the contract, and when it reaches the door; Node.

import { describe, expect, test } from "vitest";
import { createToolDoor } from "../../../src/door/create-tool-door.ts";
import { SandboxError } from "../../../src/errors.ts";
import { contractTool, doorTool } from "../../../src/tools/contract-tool.ts";
import { tool } from "../../../src/tools/tool.ts";

const execute = (args: unknown) => args;

describe("the entry", () => {
  test("has optional keys only when they were set", () => {
    expect(contractTool({ name: "a", execute }).entry).toEqual({
      name: "a",
      description: "",
      parameters: { type: "object" },
    });
  });

  test("spells its keys as the contract does, with MCP's hints beside them", () => {
    const { entry } = contractTool({
      name: "web-search",
      description: "Searches",
      parameters: { type: "object", properties: { query: { type: "string", pattern: "." } } },
      execute,
      title: "Search",
      outputSchema: { type: "array" },
      idempotent: true,
      readOnly: false,
      openWorld: true,
      icons: [{ src: "data:," }],
      taskSupport: "optional",
      meta: { a: 1 },
      semantics: { concept: "search" },
      timeoutMs: 1_500,
    });
    expect(entry).toEqual({
      name: "web-search",
      description: "Searches",
      parameters: { type: "object", properties: { query: { type: "string", pattern: "." } } },
      title: "Search",
      output_schema: { type: "array" },
      idempotent: true,
      read_only: false,
      open_world: true,
      icons: [{ src: "data:," }],
      task_support: "optional",
      meta: { a: 1 },
      semantics: { concept: "search" },
      timeout_seconds: 1.5,
      annotations: { readOnlyHint: false, idempotentHint: true, openWorldHint: true },
    });
    expect(Object.isFrozen(entry.parameters)).toBe(true);
  });
});

describe("the door", () => {
  test("takes a tool whose name and schema fit the protocol", async () => {
    const parameters = { type: "object", properties: { q: { type: "string" } } };
    const search = contractTool({ name: "search", parameters, execute, timeoutMs: 1_500 });
    expect(search.doorProblem).toBeUndefined();
    expect(search.door?.timeoutMs).toBe(1_500);
    const door = createToolDoor([search]);
    const frame = '{"v":1,"id":1,"op":"call","tool":"search","args":{"q":"x"}}';
    const answer = await door.call(new TextEncoder().encode(frame));
    expect(new TextDecoder().decode(answer)).toBe('{"v":1,"id":1,"ok":true,"value":{"q":"x"}}');
  });

  test.each([
    ["a name that is stricter there", { name: "web-search", execute }, /web-search/],
    [
      "a schema that says more",
      { name: "a", parameters: { type: "object", properties: { q: { pattern: "x" } } }, execute },
      /pattern/,
    ],
  ])("refuses %s, and says why", (_, definition, message) => {
    const made = contractTool(definition);
    expect(made.door).toBeUndefined();
    expect(made.doorProblem?.message).toMatch(message);
    expect(() => createToolDoor([made])).toThrow(message);
    expect(() => doorTool(made)).toThrow(SandboxError);
  });

  test("takes tools of both makes, and no two of one name", () => {
    const one = tool({ name: "a", description: "", execute });
    expect(() => createToolDoor([one, contractTool({ name: "b", execute })])).not.toThrow();
    expect(() => createToolDoor([one, contractTool({ name: "a", execute })])).toThrow(
      /two tools are named "a"/,
    );
  });
});

test.each([
  ["no object", undefined],
  ["no name", { execute }],
  ["an empty name", { name: "", execute }],
  ["no function", { name: "a" }],
  ["parameters that are no object", { name: "a", execute, parameters: [] }],
  ["parameters that are no JSON", { name: "a", execute, parameters: { a: () => 1 } }],
  ["a description that is no text", { name: "a", execute, description: 5 }],
  ["a timeout of 0", { name: "a", execute, timeoutMs: 0 }],
])("%s is refused", (_, definition) => {
  try {
    contractTool(definition as never);
  } catch (error) {
    expect((error as SandboxError).code).toBe("bad_tool");
    return;
  }
  throw new Error("was not refused");
});
