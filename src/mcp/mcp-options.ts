// What mcpTools() takes, and what is wrong with it; page and Node.

import type {
  AuthProvider,
  Client,
  ClientCapabilities,
  OAuthClientProvider,
  Transport,
} from "@modelcontextprotocol/client";
import { SandboxError } from "../errors.ts";
import type { HeadersOption } from "./http-observer.ts";

/** Options of `mcpTools()`. */
export interface McpToolsOptions {
  /** The server's one address. */
  readonly url: string | URL;
  /** For messages and records; default: the host of the address. */
  readonly name?: string;
  /** Headers of every request, such as `{ authorization: "Bearer …" }`, or a function that gives them. */
  readonly headers?: HeadersOption;
  /** The SDK's hook for tokens: `{ token: async () => "…" }`, or a whole OAuth client. */
  readonly authProvider?: AuthProvider | OAuthClientProvider;
  /** How it is spoken to; `sse` is the transport of 2024. Default `streamable-http`. A function gives one of the SDK's. */
  readonly transport?: "streamable-http" | "http" | "sse" | (() => Transport);
  /** Default `auto`: 2026-07-28, and `initialize` of 2025-11-25 where the server does not know that. */
  readonly protocol?: "auto" | "2026-07-28" | "2025-11-25";
  /** Milliseconds of each request. Default 30,000. */
  readonly timeoutMs?: number;
  /** Ask for all pages of the list. Default true. */
  readonly followPagination?: boolean;
  /**
   * Milliseconds for which the list is kept; 0 keeps nothing. Default: what the server says, else until `invalidate()`.
   */
  readonly cacheTtlMs?: number;
  /** `public`: one list for all users. Default: one for each `user` of the calls. */
  readonly cacheScope?: "public" | "private";
  /** The tools to take, by name, without asking the server for its list. Default `"*"`: all that it lists. */
  readonly tools?: "*" | readonly string[];
  /** With `tools` as a list: ask the server for their descriptions and schemas. Default false. */
  readonly describe?: boolean;
  /** Send arguments as headers where a server wants it (`x-mcp-header`). Default `auto`: where CORS allows it. */
  readonly argumentHeaders?: boolean | "auto";
  readonly fetch?: typeof fetch;
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** What this page offers to the server, such as `{ elicitation: {} }`; handlers are set with `configure`. */
  readonly capabilities?: ClientCapabilities;
  /** Called with the SDK's client before it connects. */
  readonly configure?: (client: Client) => void;
}

/** @throws SandboxError `bad_option` */
export function checkMcpOptions(options: McpToolsOptions): void {
  if (typeof options !== "object" || options === null)
    wrong("options", "an object with at least url");
  const { url, timeoutMs, cacheTtlMs, cacheScope, tools, transport, protocol } = options;
  const base = (globalThis as { location?: { href: string } }).location?.href;
  const parsed =
    typeof url === "string" || url instanceof URL ? URL.parse?.(String(url), base) : null;
  const fits =
    parsed === undefined || parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (!fits && typeof transport !== "function") wrong("url", "an address of http or https");
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    wrong("timeoutMs", "a positive number of milliseconds");
  }
  if (cacheTtlMs !== undefined && !(typeof cacheTtlMs === "number" && cacheTtlMs >= 0)) {
    wrong("cacheTtlMs", "a number of milliseconds, or 0");
  }
  oneOf("cacheScope", cacheScope, ["public", "private"]);
  oneOf("protocol", protocol, ["auto", "2026-07-28", "2025-11-25"]);
  if (typeof transport !== "function")
    oneOf("transport", transport, ["streamable-http", "http", "sse"]);
  const names =
    Array.isArray(tools) && tools.every((name) => typeof name === "string" && name !== "");
  if (tools !== undefined && tools !== "*" && !names) wrong("tools", '"*" or a list of names');
}

function oneOf(name: string, value: unknown, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value as string))
    wrong(name, `one of ${known.join(", ")}`);
}

function wrong(name: string, what: string): never {
  throw new SandboxError("bad_option", `the option ${name} is wrong: it has to be ${what}`, {
    data: { option: name },
  });
}
