// Entry `sallyport/mcp`: remote MCP servers, where they are configured, and registries served to others; page and Node.

export { mcpTools } from "./mcp/mcp-tools.ts";
export type { McpToolsOptions } from "./mcp/mcp-options.ts";
export type { HeadersOption } from "./mcp/http-observer.ts";
