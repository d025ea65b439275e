// The server's side of MCP for tools, both eras, one message at a time, whatever carries them; page and Node.

import { MCP_SERVED_CALLS } from "../limits.ts";
import type { McpResult, McpTool } from "../tools/mcp-shapes.ts";
import type { ToolProgress } from "../tools/provider.ts";

/** What answers. */
export interface ToolSource {
  readonly name: string;
  readonly version: string;
  listTools(): readonly McpTool[] | Promise<readonly McpTool[]>;
  /** A rejection becomes a JSON-RPC error; a failure that a model should read is a result with `isError`. */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: ServedCall,
  ): Promise<McpResult>;
}

/** What comes with a call. */
export interface ServedCall {
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
}

/** A JSON-RPC message of MCP. */
export interface RpcMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const MODERN = "2026-07-28";
const LEGACY = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const META = "io.modelcontextprotocol/";

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const UNSUPPORTED_VERSION = -32022;

class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Whether something that arrived can be a message of MCP at all. */
export function isRpcMessage(value: unknown): value is RpcMessage {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { jsonrpc, id, method, params } = value as Record<string, unknown>;
  const known = id === undefined || typeof id === "string" || typeof id === "number";
  const named = method === undefined || typeof method === "string";
  return jsonrpc === "2.0" && known && named && (params === undefined || isObject(params));
}

/** Answers one peer. */
export class McpResponder {
  readonly #source: ToolSource;
  readonly #send: (message: RpcMessage) => void;
  readonly #calls = new Map<string | number, AbortController>();
  #initialized = false;

  constructor(source: ToolSource, send: (message: RpcMessage) => void) {
    this.#source = source;
    this.#send = send;
  }

  /** Takes a message; answers follow through `send`. Never throws. */
  async take(message: RpcMessage): Promise<void> {
    const { id, method, params = {} } = message;
    if (method === undefined) return;
    if (id === undefined) {
      if (method === "notifications/cancelled")
        this.#calls.get(params["requestId"] as string)?.abort();
      return;
    }
    try {
      const modern = this.#isModern(method, params);
      const result = await this.#answer(id, method, params, modern);
      this.#send({ jsonrpc: "2.0", id, result: plain(result) });
    } catch (error) {
      this.#send({ jsonrpc: "2.0", id, error: errorOf(error) });
    }
  }

  /** Ends every call in flight. */
  close(): void {
    for (const call of this.#calls.values()) call.abort();
    this.#calls.clear();
  }

  /** A request of the stateless protocol says so itself; others need `initialize` before. */
  #isModern(method: string, { _meta }: Readonly<Record<string, unknown>>): boolean {
    const meta = isObject(_meta) ? _meta : {};
    const version = meta[`${META}protocolVersion`];
    if (version === undefined) {
      if (method === "initialize" || method === "ping" || this.#initialized) return false;
      throw new RpcError(INVALID_PARAMS, `_meta has to have ${META}protocolVersion`);
    }
    if (version !== MODERN) {
      const data = { supported: [MODERN], requested: version };
      throw new RpcError(UNSUPPORTED_VERSION, `only ${MODERN} is spoken here`, data);
    }
    if (!isObject(meta[`${META}clientCapabilities`])) {
      throw new RpcError(INVALID_PARAMS, `_meta has to have ${META}clientCapabilities`);
    }
    return true;
  }

  async #answer(
    id: string | number,
    method: string,
    params: Readonly<Record<string, unknown>>,
    modern: boolean,
  ): Promise<object> {
    const { name, version } = this.#source;
    const serverInfo = { name, version };
    const about = modern
      ? { resultType: "complete", _meta: { [`${META}serverInfo`]: serverInfo } }
      : {};
    // What is listed may change with the next registration, so that nobody should keep it.
    const unkept = modern ? { ttlMs: 0, cacheScope: "private" } : {};
    switch (method) {
      case "server/discover":
        return { ...about, ...unkept, supportedVersions: [MODERN], capabilities: { tools: {} } };
      case "initialize":
        this.#initialized = true;
        return { protocolVersion: legacyVersion(params), capabilities: { tools: {} }, serverInfo };
      case "ping":
        return {};
      case "tools/list": {
        const tools = await this.#source.listTools();
        return { ...about, ...unkept, tools: modern ? tools : tools.map(legacyTool) };
      }
      case "tools/call":
        return { ...about, ...(await this.#call(id, params, modern)) };
      default:
        throw new RpcError(METHOD_NOT_FOUND, `there is no method ${method.slice(0, 100)}`);
    }
  }

  async #call(
    id: string | number,
    params: Readonly<Record<string, unknown>>,
    modern: boolean,
  ): Promise<McpResult> {
    const { name, arguments: args = {}, _meta } = params;
    if (typeof name !== "string") throw new RpcError(INVALID_PARAMS, "name has to be a text");
    if (!isObject(args)) throw new RpcError(INVALID_PARAMS, "arguments have to be an object");
    if (this.#calls.has(id)) throw new RpcError(INVALID_REQUEST, "the id is in use");
    if (this.#calls.size >= MCP_SERVED_CALLS) {
      throw new RpcError(INTERNAL_ERROR, `more than ${MCP_SERVED_CALLS} calls at once`);
    }
    const known = await this.#source.listTools();
    if (!known.some((tool) => tool.name === name)) {
      throw new RpcError(INVALID_PARAMS, `there is no tool ${JSON.stringify(name.slice(0, 100))}`);
    }
    const stop = new AbortController();
    this.#calls.set(id, stop);
    try {
      const meta = isObject(_meta) ? _meta : {};
      const onProgress = this.#progressOf(meta["progressToken"]);
      const own = Object.entries(meta).filter(
        ([key]) => key !== "progressToken" && !key.startsWith(META),
      );
      const given = own.length === 0 ? undefined : Object.fromEntries(own);
      const result = await this.#source.callTool(name, args, {
        signal: stop.signal,
        onProgress,
        meta: given,
      });
      return modern ? result : legacyResult(result);
    } finally {
      this.#calls.delete(id);
    }
  }

  #progressOf(progressToken: unknown): ServedCall["onProgress"] {
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return undefined;
    return (progress) => {
      const params = { progressToken, ...progress };
      this.#send({ jsonrpc: "2.0", method: "notifications/progress", params });
    };
  }
}

function legacyVersion({ protocolVersion }: Readonly<Record<string, unknown>>): string {
  return LEGACY.includes(protocolVersion as string)
    ? (protocolVersion as string)
    : (LEGACY[0] as string);
}

/** Before 2026-07-28 a schema of results, and what fits it, had to be an object. */
function legacyTool({ outputSchema, ...tool }: McpTool): McpTool {
  return isObject(outputSchema) && outputSchema["type"] === "object"
    ? { ...tool, outputSchema }
    : tool;
}

function legacyResult({ structuredContent, resultType, ...result }: McpResult): McpResult {
  if (resultType !== undefined && resultType !== "complete") {
    throw new RpcError(
      INTERNAL_ERROR,
      `a result of the type ${resultType} cannot be told in this version`,
    );
  }
  return isObject(structuredContent) ? { ...result, structuredContent } : result;
}

/** What crosses is JSON and nothing else. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

function errorOf(error: unknown): NonNullable<RpcMessage["error"]> {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  const message = error instanceof Error ? error.message : "the tool failed";
  return { code: INTERNAL_ERROR, message };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
