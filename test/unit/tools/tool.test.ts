// tool(): what it takes, what it refuses, and what a tool is afterwards; Node.

import { describe, expect, expectTypeOf, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import type { ArgumentsOf } from "../../../src/tools/arguments-of.ts";
import { tool, toolParts, type ToolDefinition } from "../../../src/tools/tool.ts";

const base = { name: "t", description: "", execute: () => null };

function refusal(definition: unknown): SandboxError {
  try {
    tool(definition as ToolDefinition);
  } catch (error) {
    expect(error).toBeInstanceOf(SandboxError);
    expect((error as SandboxError).code).toBe("bad_tool");
    return error as SandboxError;
  }
  throw new Error("the tool was not refused");
}

describe("a tool", () => {
  test("is frozen, to the bottom of its schema, and the author's object is left alone", () => {
    const inputSchema = { type: "object", properties: { a: { enum: [1, [2]] } } };
    const made = tool({ ...base, inputSchema, annotations: { readOnlyHint: true } });
    expect(Object.isFrozen(made)).toBe(true);
    const { properties } = made.inputSchema as { properties: { a: { enum: [1, [2]] } } };
    expect(Object.isFrozen(properties.a.enum[1])).toBe(true);
    expect(Object.isFrozen(made.annotations)).toBe(true);
    expect(Object.isFrozen(inputSchema)).toBe(false);
    inputSchema.properties.a.enum.push(3);
    expect(properties.a.enum).toEqual([1, [2]]);
  });

  test("has defaults: no arguments, 30 seconds, nothing unchecked", () => {
    const { inputSchema, timeoutMs, validatesInput, checkOutput } = tool(base);
    expect(inputSchema).toEqual({ type: "object", properties: {} });
    expect([timeoutMs, validatesInput, checkOutput]).toEqual([30_000, false, false]);
  });

  test("carries outputSchema and annotations, in the descriptor too", () => {
    const made = tool({
      ...base,
      outputSchema: { type: "string", pattern: "x" },
      annotations: { title: "T" },
    });
    expect(made.outputSchema).toEqual({ type: "string", pattern: "x" });
    expect(JSON.parse(toolParts(made).descriptor)).toEqual({
      name: "t",
      description: "",
      inputSchema: { type: "object", properties: {} },
      outputSchema: { type: "string", pattern: "x" },
      annotations: { title: "T" },
    });
  });

  test("takes its schema as JSON text, whose numbers keep their spelling", () => {
    const text = '{ "type": "object", "properties": { "a": { "const": 1.0 } } }';
    const made = tool({ ...base, inputSchema: text });
    expect(made.inputSchema).toEqual({ type: "object", properties: { a: { const: 1 } } });
    expect(toolParts(made).descriptor).toContain('{"const":1.0}');
  });

  test("leaves out what is undefined, and takes bigint", () => {
    const made = tool({
      ...base,
      inputSchema: { type: "object", title: undefined, properties: { a: { maximum: 2n ** 64n } } },
    });
    expect(toolParts(made).descriptor).toContain(
      '"inputSchema":{"type":"object","properties":{"a":{"maximum":18446744073709551616}}}',
    );
  });
});

describe("is refused", () => {
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = cyclic;
  test.each([
    ["no object", 5, /takes an object/],
    ["null", null, /takes an object/],
    ["no name", { ...base, name: undefined }, /name must be a string/],
    ["a bad name", { ...base, name: "web-search" }, /"web-search" is not a letter/],
    ["a keyword", { ...base, name: "class" }, /"class" is a Python keyword/],
    ["a description that is no text", { ...base, description: 5 }, /description must be a string/],
    ["no function", { ...base, execute: "x" }, /execute must be a function/],
    ["a timeout of 0", { ...base, timeoutMs: 0 }, /timeoutMs/],
    ["a timeout of NaN", { ...base, timeoutMs: Number.NaN }, /timeoutMs/],
    ["a timeout as text", { ...base, timeoutMs: "5" }, /timeoutMs/],
    ["a flag as text", { ...base, validatesInput: "yes" }, /validatesInput must be true or false/],
    ["checkOutput alone", { ...base, checkOutput: true }, /outputSchema is needed/],
    [
      "an outputSchema outside the subset, to be checked",
      { ...base, checkOutput: true, outputSchema: { pattern: "x" } },
      /outputSchema: the keyword "pattern"/,
    ],
    [
      "an outputSchema that is no object",
      { ...base, outputSchema: [] },
      /outputSchema must be an object/,
    ],
    [
      "annotations that are no object",
      { ...base, annotations: [] },
      /annotations must be an object/,
    ],
    [
      "annotations with a function",
      { ...base, annotations: { a: () => 1 } },
      /annotations\.a is a function/,
    ],
    ["a schema that is a list", { ...base, inputSchema: [] }, /a schema is an object/],
    ["a schema that is true", { ...base, inputSchema: true }, /must be a schema of type "object"/],
    [
      "a schema with a symbol",
      { ...base, inputSchema: { type: "object", default: Symbol("x") } },
      /default is a symbol/,
    ],
    [
      "a schema with NaN",
      { ...base, inputSchema: { type: "object", minProperties: Number.NaN } },
      /minProperties is NaN/,
    ],
    [
      "a schema with a Date",
      { ...base, inputSchema: { type: "object", default: new Date(0) } },
      /default is not a plain object/,
    ],
    ["a schema that holds itself", { ...base, inputSchema: cyclic }, /nested deeper than 128/],
    ["text that is no JSON", { ...base, inputSchema: "{type: object}" }, /inputSchema: not JSON/],
    [
      "text with a repeated key",
      { ...base, inputSchema: '{"type":"object","type":"object"}' },
      /repeated/,
    ],
  ])("for %s", (_, definition, message) => {
    expect(refusal(definition).message).toMatch(message);
  });

  test("with the path and the keyword, for programs too", () => {
    const inputSchema = { type: "object", properties: { a: { items: { pattern: "x" } } } };
    const error = refusal({ ...base, inputSchema });
    expect(error.data).toEqual({ path: "/properties/a/items", keyword: "pattern" });
    expect(error.message).toContain("t: inputSchema at /properties/a/items");
  });

  test("only what tool() made has parts", () => {
    expect(() => toolParts({ ...tool(base) })).toThrow(SandboxError);
    expect(() => toolParts(undefined as never)).toThrow(SandboxError);
  });
});

test("the type of the arguments is read off the schema", () => {
  type Schema = {
    readonly type: "object";
    readonly properties: {
      readonly code: { readonly type: "string" };
      readonly sizes: { readonly type: "array"; readonly items: { readonly type: "integer" } };
      readonly unit: { readonly enum: readonly ["cm", "in"] };
      readonly free: { readonly title: "anything" };
    };
    readonly required: readonly ["code"];
  };
  // oxlint-disable-next-line typescript/no-explicit-any -- that is what is expected
  type Expected = { code: string; sizes?: number[]; unit?: "cm" | "in"; free?: any };
  expectTypeOf<ArgumentsOf<Schema>>().toEqualTypeOf<Expected>();
  // oxlint-disable-next-line typescript/no-explicit-any -- that is what is expected
  expectTypeOf<ArgumentsOf<string>>().toEqualTypeOf<Record<string, any>>();
  tool({
    ...base,
    inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    execute: ({ code }, { signal }) => {
      expectTypeOf(code).toEqualTypeOf<string>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    },
  });
});
