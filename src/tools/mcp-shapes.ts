// MCP's tools and results as the contract has them, and back; page, worker and Node.

import type { ToolEntry } from "./contract-tool.ts";
import { type ContentBlock, envelope, envelopeText, type ToolResultEnvelope } from "./envelope.ts";
import { hintKeys } from "./local-tools.ts";

/** A tool as MCP's `tools/list` has it. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly icons?: unknown;
  readonly execution?: { readonly taskSupport?: string };
  readonly _meta?: unknown;
}

/** A result as MCP's `tools/call` has it. */
export interface McpResult {
  readonly content?: readonly ContentBlock[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
  readonly resultType?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly requestState?: string;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The entry of a tool: a key only where the server set it; the hints also under the contract's own names. */
export function entryOfMcpTool(tool: McpTool): ToolEntry {
  const {
    name,
    title,
    description = "",
    inputSchema,
    outputSchema,
    annotations,
    icons,
    execution,
    _meta,
  } = tool;
  const hints = annotations === undefined ? {} : hintKeys(annotations);
  const taskSupport = execution?.taskSupport;
  return {
    name,
    description,
    parameters: inputSchema,
    ...hints,
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { output_schema: outputSchema }),
    ...(icons === undefined ? {} : { icons }),
    ...(taskSupport === undefined ? {} : { task_support: taskSupport }),
    ...(_meta === undefined ? {} : { meta: _meta }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** MCP's tool of an entry. What the contract alone has (`semantics`, `timeout_seconds`) stays behind. */
export function mcpToolOfEntry(entry: ToolEntry): McpTool {
  const { name, title, description, parameters, output_schema, annotations, icons, meta } = entry;
  const typed = parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
  return {
    name,
    description,
    inputSchema: typed,
    ...(title === undefined ? {} : { title }),
    ...(output_schema === undefined ? {} : { outputSchema: output_schema }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(icons === undefined ? {} : { icons }),
    ...(typeof meta === "object" && meta !== null ? { _meta: meta } : {}),
  };
}

/**
 * The envelope of a result. `result` is the structured content, else the texts joined, else the other blocks; `content`
 * stays when something besides text is there.
 */
export function envelopeOfMcpResult(result: McpResult, tool: string): ToolResultEnvelope {
  const {
    content = [],
    structuredContent,
    isError,
    resultType,
    inputRequests,
    requestState,
    _meta,
  } = result;
  const others = content.filter(({ type }) => type !== "text");
  const texts = content.filter(({ type }) => type === "text");
  const blocks = others.length === 1 ? others[0] : others;
  const text = texts.map((block) => block["text"] as string).join("");
  const value =
    structuredContent ?? (texts.length > 0 ? text : others.length > 0 ? blocks : undefined);
  const failed = isError === true;
  return envelope.inline(value, {
    is_error: failed,
    ...(others.length > 0 ? { content } : {}),
    ...(structuredContent === undefined || structuredContent === null
      ? {}
      : { structured_content: structuredContent }),
    ...(resultType === undefined || resultType === "complete" ? {} : { result_type: resultType }),
    ...(inputRequests === undefined ? {} : { input_requests: inputRequests }),
    ...(requestState === undefined ? {} : { request_state: requestState }),
    ...(_meta === undefined ? {} : { meta: _meta }),
    ...(failed ? { tool } : {}),
  });
}

/** MCP's result of an envelope: its own blocks where it has them, else one text. */
export function mcpResultOfEnvelope(given: ToolResultEnvelope): McpResult {
  const { content, structured_content, result, is_error, result_type, meta } = given;
  const plain =
    typeof result === "object" &&
    result !== null &&
    !Array.isArray(result) &&
    content === undefined;
  const structured = structured_content ?? (plain && !is_error ? jsonValue(result) : undefined);
  return {
    content: content ?? [{ type: "text", text: envelopeText(given) }],
    ...(structured === undefined ? {} : { structuredContent: structured }),
    ...(is_error ? { isError: true } : {}),
    ...(result_type === undefined ? {} : { resultType: result_type }),
    ...(given.input_requests === undefined ? {} : { inputRequests: given.input_requests }),
    ...(given.request_state === undefined ? {} : { requestState: given.request_state }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** A copy through JSON, so that what crosses is what was promised; undefined for what is no JSON. */
function jsonValue(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch {
    return undefined;
  }
}
