// A registry's tools as MCP has them, for whoever speaks MCP's shapes without a connection; page and Node.

import { mcpResultOfEnvelope, mcpToolOfEntry } from "../tools/mcp-shapes.ts";
import type { CallOptions, ToolLister } from "../tools/provider.ts";
import { refusal } from "../tools/provider-failure.ts";
import { type AgentOptions, callWhole, chosenTools } from "./agent-parts.ts";

/** A value of JSON, as the SDK's types want it. */
export type McpJson = string | number | boolean | null | McpJson[] | { [key: string]: McpJson };

/** A tool, assignable to the `Tool` of the official SDK. */
export interface McpFormatTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: {
    type: "object";
    properties?: { [name: string]: McpJson };
    required?: string[];
    [keyword: string]: unknown;
  };
  outputSchema?: { $schema?: string; [keyword: string]: unknown };
  annotations?: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" }[];
  _meta?: { [key: string]: unknown };
}

/** A part of a result, assignable to the `ContentBlock` of the official SDK. */
export type McpFormatBlock =
  | { type: "text"; text: string; _meta?: { [key: string]: unknown } }
  | { type: "image" | "audio"; data: string; mimeType: string; _meta?: { [key: string]: unknown } }
  | { type: "resource_link"; uri: string; name: string; mimeType?: string; description?: string }
  | {
      type: "resource";
      resource:
        | { uri: string; text: string; mimeType?: string }
        | { uri: string; blob: string; mimeType?: string };
    };

/**
 * A result, assignable to the `CallToolResult` of the official SDK. With `allowInputRequired` it may be what a server
 * wants to know instead: `resultType` says so.
 */
export interface McpFormatResult {
  content: McpFormatBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  resultType?: string;
  inputRequests?: { readonly [key: string]: unknown };
  requestState?: string;
  _meta?: { [key: string]: unknown };
  [key: string]: unknown;
}

/** Tools and calls in MCP's shapes. */
export interface McpFormat {
  /** As `tools/list` answers them. */
  readonly tools: McpFormatTool[];
  /** Takes the parameters of `tools/call`, gives a CallToolResult. Never rejects. */
  readonly call: (
    params: { readonly name: string; readonly arguments?: unknown },
    options?: CallOptions,
  ) => Promise<McpFormatResult>;
}

/**
 * MCP's tools and results of a registry.
 *
 * @example
 * const { tools, call } = await mcpFormat(registry);
 * const { content, structuredContent, isError } = await call({ name: "greet", arguments: { name: "Ada" } });
 */
export async function mcpFormat(
  registry: ToolLister,
  options: AgentOptions = {},
): Promise<McpFormat> {
  const entries = await chosenTools(registry, options);
  const offered = new Set(entries.map(({ name }) => name));
  return {
    tools: entries.map((entry) => mcpToolOfEntry(entry) as McpFormatTool),
    call: async ({ name, arguments: args = {} }, more = {}) =>
      mcpResultOfEnvelope(
        offered.has(name)
          ? await callWhole(registry, name, args, { ...options.call, ...more })
          : refusal("unknown_tool", `there is no tool ${name}`, name),
      ) as McpFormatResult,
  };
}
