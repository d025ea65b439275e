// Entry `sallyport/mcp`: remote MCP servers, where they are configured, and registries served to others; page and Node.

export { mcpTools } from "./mcp/mcp-tools.ts";
export type { McpToolProvider } from "./mcp/mcp-tools.ts";
export type { McpToolsOptions } from "./mcp/mcp-options.ts";
export type { HeadersOption } from "./mcp/http-observer.ts";
export { toolManifest } from "./mcp/tool-manifest.ts";
export type { ToolManifest } from "./mcp/tool-manifest.ts";
export { toolServers } from "./mcp/tool-servers.ts";
export type { Secrets, ToolServersOptions } from "./mcp/tool-servers.ts";
export type { ConfigSource } from "./mcp/read-config.ts";
export { packageTransport, portTransport } from "./mcp/sdk-transports.ts";
export type { CallablePackage } from "./mcp/sdk-transports.ts";
export { serveTools } from "./mcp/serve-tools.ts";
export type { ServedTools, ServeToolsOptions } from "./mcp/serve-tools.ts";
export type { PortPeer, WindowPeer } from "./mcp/port-channel.ts";
