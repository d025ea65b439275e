// mcpTools(): a remote MCP server as a provider of the contract; page and Node.

import type { ToolProvider } from "../tools/provider.ts";
import { checkMcpOptions, type McpToolsOptions } from "./mcp-options.ts";
import { RemoteServer } from "./remote-server.ts";

/**
 * The tools of a remote MCP server. Nothing is asked before the first list or call. Callers see names, schemas and
 * results; address, headers, pages and caches stay here.
 *
 * @throws SandboxError `bad_option`; listing rejects with `server_unreachable` (the message names the CORS header that is
 * missing), `unsupported` when the SDK is not installed, or the SDK's own error
 * @example
 * import { mcpTools } from "sallyport/mcp";
 * const registry = toolRegistry([
 *   mcpTools({ url: "https://example.org/mcp", authProvider: { token: async () => session.token } }),
 * ]);
 */
export function mcpTools(options: McpToolsOptions): ToolProvider {
  checkMcpOptions(options);
  const server = new RemoteServer(options);
  return {
    name: options.name ?? (typeof options.transport === "function" ? "mcp" : hostOf(options.url)),
    claims: options.tools ?? "*",
    callOptions: [
      "timeoutMs",
      "signal",
      "onProgress",
      "meta",
      "inputResponses",
      "requestState",
      "allowInputRequired",
      "allowClaimed",
      "user",
      "validator",
    ],
    listTools: (asked) => server.listTools(asked),
    callTool: (name, args, asked) => server.callTool(name, args, asked),
    invalidate: () => server.invalidate(),
    close: () => server.close(),
  };
}

function hostOf(url: string | URL): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  return new URL(url, base).host;
}
