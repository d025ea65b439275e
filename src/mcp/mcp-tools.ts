// mcpTools(): a remote MCP server as a provider of the contract; page and Node.

import type { ToolProvider } from "../tools/provider.ts";
import { checkMcpOptions, type McpToolsOptions } from "./mcp-options.ts";
import { RemoteServer } from "./remote-server.ts";

/** A remote server as a provider. */
export interface McpToolProvider extends ToolProvider {
  /**
   * Ends an interactive authorization that `authProvider` began: gives the query of the address that the authorization
   * server sent the person back to. Then call again.
   *
   * @throws SandboxError `bad_option` without url and authProvider; the SDK's errors
   */
  finishAuth(callback: URLSearchParams, user?: string): Promise<void>;
}

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
export function mcpTools(options: McpToolsOptions): McpToolProvider {
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
    finishAuth: (callback, user) => server.finishAuth(callback, user),
  };
}

function hostOf(url: string | URL): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  return new URL(url, base).host;
}
