// A registry's tools as MCP has them, for whoever speaks MCP's shapes without a connection; page and Node.

import {
  type McpResult,
  mcpResultOfEnvelope,
  type McpTool,
  mcpToolOfEntry,
} from "../tools/mcp-shapes.ts";
import type { CallOptions, ToolLister } from "../tools/provider.ts";
import { refusal } from "../tools/provider-failure.ts";
import { type AgentOptions, callWhole, chosenTools } from "./agent-parts.ts";

/** Tools and calls in MCP's shapes. */
export interface McpFormat {
  /** As `tools/list` answers them. */
  readonly tools: readonly McpTool[];
  /** Takes the parameters of `tools/call`, gives a CallToolResult. Never rejects. */
  readonly call: (
    params: { readonly name: string; readonly arguments?: unknown },
    options?: CallOptions,
  ) => Promise<McpResult>;
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
    tools: entries.map(mcpToolOfEntry),
    call: async ({ name, arguments: args = {} }, more = {}) =>
      mcpResultOfEnvelope(
        offered.has(name)
          ? await callWhole(registry, name, args, { ...options.call, ...more })
          : refusal("unknown_tool", `there is no tool ${name}`, name),
      ),
  };
}
