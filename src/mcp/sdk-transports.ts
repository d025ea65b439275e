// Transports for the official SDK's Client: to a served registry by postMessage, and to a function package; page and Node.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { SandboxError } from "../errors.ts";
import type { McpResult, McpTool } from "../tools/mcp-shapes.ts";
import { McpResponder, type RpcMessage } from "./mcp-responder.ts";
import { openChannel, type PortChannel, type PortPeer } from "./port-channel.ts";

/** What a function package offers; `loadPackage()` gives it. */
export interface CallablePackage {
  readonly tools: readonly McpTool[];
  readonly name?: string;
  readonly version?: string;
  call(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly signal: AbortSignal; readonly meta?: Readonly<Record<string, unknown>> },
  ): Promise<unknown>;
}

/**
 * The other end of `serveTools()`, for the SDK's Client.
 *
 * @throws SandboxError `bad_option`
 * @example
 * const client = new Client({ name: "app", version: "1" }, { versionNegotiation: { mode: "auto" } });
 * await client.connect(portTransport({ window: parent, origins: ["https://host.example"] }));
 */
export function portTransport(peer: PortPeer): Transport {
  let channel: PortChannel | undefined;
  const transport: Transport = {
    start: async () => {
      channel = openChannel(
        peer,
        (message) => transport.onmessage?.(message as JSONRPCMessage),
        () => void transport.close(),
      );
    },
    send: async (message) => {
      if (channel === undefined) throw new SandboxError("closed", "the transport is closed");
      channel.send(message as RpcMessage);
    },
    close: async () => {
      if (channel === undefined) return;
      channel.close();
      channel = undefined;
      transport.onclose?.();
    },
  };
  return transport;
}

/**
 * Lets the SDK's Client drive a function package. Each call is a fresh instance of the package, asked over its stdin and
 * heard over its stdout; what ABI 1 leaves out of an answer and the Client wants is added. A crash is a JSON-RPC error.
 *
 * @example
 * const client = new Client({ name: "app", version: "1" }, { versionNegotiation: { mode: "auto" } });
 * await client.connect(packageTransport(await loadPackage("/greet.tar.gz")));
 * await client.callTool({ name: "greet", arguments: { name: "Ada" } });
 */
export function packageTransport(pkg: CallablePackage): Transport {
  let open = false;
  const responder = new McpResponder(
    {
      name: pkg.name ?? "package",
      version: pkg.version ?? "1",
      listTools: () => pkg.tools,
      callTool: async (name, args, { signal, meta }) => {
        const options = meta === undefined ? { signal } : { signal, meta };
        return (await pkg.call(name, args, options)) as McpResult;
      },
    },
    (message) => {
      if (open) transport.onmessage?.(message as JSONRPCMessage);
    },
  );
  const transport: Transport = {
    start: async () => {
      open = true;
    },
    send: async (message) => {
      if (!open) throw new SandboxError("closed", "the transport is closed");
      void responder.take(message as RpcMessage);
    },
    close: async () => {
      if (!open) return;
      open = false;
      responder.close();
      transport.onclose?.();
    },
  };
  return transport;
}
