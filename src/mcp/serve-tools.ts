// serveTools(): a registry as an MCP server for another part of the page, a frame or an extension; page and Node.

import { SandboxError } from "../errors.ts";
import type { ToolEntry } from "../tools/contract-tool.ts";
import { wholeEnvelope } from "../tools/envelope-whole.ts";
import { mcpResultOfEnvelope, mcpToolOfEntry } from "../tools/mcp-shapes.ts";
import type { CallOptions, ToolLister } from "../tools/provider.ts";
import { McpResponder } from "./mcp-responder.ts";
import { openChannel, type PortPeer } from "./port-channel.ts";

/** Options of {@link serveTools}. */
export interface ServeToolsOptions {
  /** Which tools the peer gets; all by default. */
  readonly only?: (entry: ToolEntry) => boolean;
  /** Goes with each call, so that hooks and policies know who asks. */
  readonly call?: Pick<CallOptions, "user" | "ctx" | "timeoutMs">;
  readonly name?: string;
  readonly version?: string;
}

/** A registry that is being served. */
export interface ServedTools {
  /** Ends the calls in flight and hears no more. */
  close(): void;
}

/**
 * Serves a registry's tools to one peer, by MCP in both eras, over postMessage. The registry's hooks and policies hold.
 * Start it before the peer connects: a message that nobody hears is lost.
 *
 * @throws SandboxError `bad_option`
 * @example
 * const { port1, port2 } = new MessageChannel();
 * serveTools(registry, port1, { call: { user: "frame" } });
 * frame.contentWindow.postMessage("tools", "https://app.example", [port2]);
 * // or: serveTools(registry, { window: frame.contentWindow, origins: ["https://app.example"] });
 */
export function serveTools(
  registry: ToolLister,
  peer: PortPeer,
  options: ServeToolsOptions = {},
): ServedTools {
  if (typeof registry?.callTool !== "function") {
    throw new SandboxError("bad_option", "serveTools takes a registry");
  }
  const { only = () => true, call = {}, name = "sallyport", version = "1" } = options;
  const listTools = async () => (await registry.listTools(call)).filter(only).map(mcpToolOfEntry);
  const responder = new McpResponder(
    {
      name,
      version,
      listTools,
      callTool: async (tool, args, { signal, onProgress, meta }) => {
        const more = { ...(onProgress ? { onProgress } : {}), ...(meta ? { meta } : {}) };
        const result = await registry.callTool(tool, args, { ...call, signal, ...more });
        return mcpResultOfEnvelope(await wholeEnvelope(result, tool, signal));
      },
    },
    (message) => channel.send(message),
  );
  const channel = openChannel(
    peer,
    (message) => void responder.take(message),
    () => responder.close(),
  );
  return {
    close: () => {
      responder.close();
      channel.close();
    },
  };
}
