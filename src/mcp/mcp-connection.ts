// One connection to a remote MCP server by the official SDK, loaded when it is needed; page and Node.

import type { Client, ClientOptions, Transport } from "@modelcontextprotocol/client";
import type * as Sdk from "@modelcontextprotocol/client";
import { SandboxError } from "../errors.ts";
import type { JsonSchemaValidator } from "../json-schema/validator.ts";
import { HttpObserver } from "./http-observer.ts";
import type { McpToolsOptions } from "./mcp-options.ts";

/** What was connected. */
export interface McpConnection {
  readonly client: Client;
  readonly observer: HttpObserver;
  /** The server speaks the stateless protocol of 2026-07-28. */
  readonly modern: boolean;
  /** Results of types that the SDK does not know, by the arguments they answer. */
  readonly claimed: WeakMap<object, unknown>;
}

/** Milliseconds that a client waits for the server to say which protocol it speaks. */
const PROBE_MS = 10_000;

/**
 * The SDK's schemas are zod's, which finds out by trying whether the page allows generated code; where it does not, the
 * browser reports that. A page that has set the option itself is left alone.
 */
function keepFromProbing(): void {
  const shared = globalThis as { __zod_globalConfig?: { jitless?: boolean } };
  shared.__zod_globalConfig ??= {};
  shared.__zod_globalConfig.jitless ??= true;
}

/** @throws SandboxError `unsupported` when the SDK is not installed */
export async function loadSdk(): Promise<typeof Sdk> {
  keepFromProbing();
  try {
    return await import("@modelcontextprotocol/client");
  } catch (cause) {
    const text = "@modelcontextprotocol/client is not there: install it beside sallyport";
    throw new SandboxError("unsupported", text, { cause });
  }
}

/**
 * Connects: the stateless protocol first, `initialize` where the server does not know it.
 *
 * @throws SandboxError `server_unreachable` with the cause in words; errors of the SDK
 */
export async function connect(
  options: McpToolsOptions,
  validator: JsonSchemaValidator,
  user: string | undefined,
  onTransport: (transport: Transport) => void = () => {},
): Promise<McpConnection> {
  const { sdk, url, observer } = await openServer(options, user);
  const client = new sdk.Client(options.clientInfo ?? { name: "sallyport", version: "1" }, {
    ...negotiation(options),
    capabilities: options.capabilities ?? {},
    jsonSchemaValidator: sdkValidator(validator),
  });
  options.configure?.(client);
  const transport = transportOf(sdk, url, observer, options);
  onTransport(transport);
  const claimed = new WeakMap<object, unknown>();
  try {
    await client.connect(transport, { timeout: options.timeoutMs ?? PROBE_MS });
  } catch (error) {
    await client.close().catch(() => {});
    throw await explained(error, observer);
  }
  keepClaimed(transport, claimed);
  return { client, observer, modern: client.getProtocolEra() === "modern", claimed };
}

/** The SDK, the server's address, and the fetch that knows why it failed. */
export async function openServer(
  options: McpToolsOptions,
  user: string | undefined,
): Promise<{ readonly sdk: typeof Sdk; readonly url: URL; readonly observer: HttpObserver }> {
  const sdk = await loadSdk();
  const url = new URL(options.url, (globalThis as { location?: { href: string } }).location?.href);
  const observer = new HttpObserver({
    url: url.href,
    headers: options.headers,
    user,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
  });
  return { sdk, url, observer };
}

function negotiation({ protocol = "auto", timeoutMs = PROBE_MS }: McpToolsOptions): ClientOptions {
  if (protocol === "2025-11-25") return { versionNegotiation: { mode: "legacy" } };
  const mode = protocol === "auto" ? protocol : { pin: protocol };
  return { versionNegotiation: { mode, probe: { timeoutMs: Math.min(timeoutMs, PROBE_MS) } } };
}

/** The transport that the options ask for. */
export function transportOf(
  sdk: typeof Sdk,
  url: URL,
  observer: HttpObserver,
  { transport = "streamable-http", authProvider }: McpToolsOptions,
): Transport {
  if (typeof transport === "function") return transport();
  const options = {
    fetch: observer.fetch,
    ...(authProvider === undefined ? {} : { authProvider }),
  };
  return transport === "sse"
    ? new sdk.SSEClientTransport(url, options)
    : new sdk.StreamableHTTPClientTransport(url, options);
}

/** The error with what a browser keeps to itself. */
export async function explained(error: unknown, observer: HttpObserver): Promise<unknown> {
  const cause = await observer.explain();
  return cause === undefined
    ? error
    : new SandboxError("server_unreachable", cause, { cause: error });
}

/** Checks of structured content by the same validator as everything else. */
function sdkValidator(
  validator: JsonSchemaValidator,
): NonNullable<ClientOptions["jsonSchemaValidator"]> {
  return {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the SDK declares it
    getValidator: <T>(schema: unknown) => {
      const check = validator.compile(schema);
      return (value: unknown) => {
        const errorMessage = check(value);
        return errorMessage === undefined
          ? { valid: true as const, data: value as T, errorMessage: undefined }
          : { valid: false as const, data: undefined, errorMessage };
      };
    },
  };
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly arguments?: object };
  readonly result?: { readonly resultType?: unknown };
}

/** The SDK drops results of types that it does not know; callers may ask for them. */
function keepClaimed(transport: Transport, claimed: WeakMap<object, unknown>): void {
  const asked = new Map<string | number, object>();
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const { id, method, params } = message as Message;
    if (method === "tools/call" && id !== undefined && params?.arguments !== undefined)
      asked.set(id, params.arguments);
    return send(message, options);
  };
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport of the SDK is no EventTarget
  transport.onmessage = (message, extra) => {
    const { id, result, method } = message as Message;
    if (id !== undefined && method === undefined) {
      const args = asked.get(id);
      asked.delete(id);
      const type = result?.resultType;
      if (
        args !== undefined &&
        typeof type === "string" &&
        type !== "complete" &&
        type !== "input_required"
      ) {
        claimed.set(args, result);
      }
    }
    onmessage?.(message, extra);
  };
}
