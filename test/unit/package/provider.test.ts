// A package's tools and results in the contract's words; Node.

import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { encodeBase64 } from "../../../src/package/base64.ts";
import { withImages, type CallToolResult } from "../../../src/package/call-result.ts";
import { PackageCrash } from "../../../src/package/package-crash.ts";
import { failureEnvelope, resultEnvelope, toolEntries } from "../../../src/package/provider.ts";
import { readTools } from "../../../src/package/tool-listing.ts";
import { PNG } from "./images.ts";

const files: Record<string, Uint8Array> = { "tmp/chart.png": PNG };
const envelopeOf = (result: CallToolResult) =>
  resultEnvelope(withImages(result, (names) => files[names.join("/")]));
const text = (value: string) => ({ type: "text", text: value });
const INLINE = { result_mode: "inline", execution_mode: "sync" };

describe("entries", () => {
  test("parameters are the input schema; what is not set is not there; output schemas stay with people", () => {
    const schema = { type: "object", properties: { a: {} } };
    const tools = readTools([
      { name: "plain", inputSchema: schema },
      {
        name: "full",
        title: "Full",
        description: "Everything",
        inputSchema: schema,
        outputSchema: { type: "object" },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: true,
        },
        icons: [{ src: "data:," }],
        _meta: { a: 1 },
      },
      { name: "same", inputSchema: schema, annotations: { idempotentHint: true } },
    ]);
    expect(toolEntries(tools)).toEqual([
      { name: "plain", description: "", parameters: schema },
      {
        name: "full",
        title: "Full",
        description: "Everything",
        parameters: schema,
        read_only: true,
        destructive: false,
        open_world: true,
        annotations: tools[1]!.annotations,
        icons: [{ src: "data:," }],
        meta: { a: 1 },
      },
      {
        name: "same",
        description: "",
        parameters: schema,
        idempotent: true,
        annotations: { idempotentHint: true },
      },
    ]);
    expect(JSON.stringify(toolEntries(tools))).not.toContain("output");
  });
});

describe("results", () => {
  test.each<[string, CallToolResult, object]>([
    [
      "text, joined",
      { content: [text("a"), text("b")] },
      { status: "ok", result: "ab", is_error: false },
    ],
    ["nothing", { content: [] }, { status: "ok", result: "", is_error: false }],
    [
      "a structured value wins",
      { content: [text("a")], structuredContent: { b: 1 } },
      { status: "ok", result: { b: 1 }, structured_content: { b: 1 }, is_error: false },
    ],
    [
      "null is no structured value",
      { content: [text("a")], structuredContent: null },
      { status: "ok", result: "a", is_error: false },
    ],
    [
      "a failure",
      { content: [text("no")], isError: true },
      { status: "error", result: "no", is_error: true },
    ],
    [
      "meta",
      { content: [], _meta: { a: 1 } },
      { status: "ok", result: "", is_error: false, meta: { a: 1 } },
    ],
    [
      "what is left out is a note",
      { content: [{ type: "audio" }] },
      { status: "ok", result: "[audio content was left out]", is_error: false },
    ],
  ])("%s", (_, result, envelope) => {
    expect(envelopeOf(result)).toEqual({ ...INLINE, ...envelope });
  });

  test("images are blocks beside the text, linked ones with their bytes", () => {
    const block = { type: "image", mimeType: "image/png", data: encodeBase64(PNG) };
    const linked = { type: "resource_link", uri: "volume:///tmp/chart.png", name: "chart" };
    expect(envelopeOf({ content: [text("look"), linked] })).toEqual({
      ...INLINE,
      status: "ok",
      is_error: false,
      result: "look",
      content: [text("look"), block],
    });
    expect(envelopeOf({ content: [block] })).toMatchObject({ result: block, content: [block] });
    expect(envelopeOf({ content: [block, linked] })).toMatchObject({ result: [block, block] });
  });
});

describe("failures", () => {
  test("a crash says so, and ends with the last of stderr", () => {
    const crash = new PackageCrash("trapped", "the function crashed: it trapped", {
      stderr: "oh no",
    });
    expect(failureEnvelope(crash, "greet")).toEqual({
      ...INLINE,
      status: "error",
      is_error: true,
      type: "PackageCrash",
      tool: "greet",
      error: "the function crashed: it trapped\n\nThe last of its stderr:\noh no",
    });
    const silent = new PackageCrash("timeout", "the function crashed: late", { stderr: "" });
    expect(failureEnvelope(silent, "greet").error).toBe("the function crashed: late");
  });

  test("anything else is told as it is", () => {
    const aborted = failureEnvelope(new SandboxError("aborted", "the call was aborted"), "greet");
    expect(aborted).toMatchObject({ is_error: true, error: "the call was aborted", tool: "greet" });
  });
});
