// A server's whole list of tools: its pages, what it allows to be kept, and tools that a client has to leave out; page and Node.

import type { Client } from "@modelcontextprotocol/client";
import { SandboxError } from "../errors.ts";
import { MCP_CACHE_MS, MCP_PAGES } from "../limits.ts";
import type { McpTool } from "../tools/mcp-shapes.ts";
import { type HeaderArgument, headerArguments } from "./argument-headers.ts";

/** A tool and the headers that its arguments go into. */
export interface ListedTool {
  readonly tool: McpTool;
  readonly headers: readonly HeaderArgument[];
}

/** What a server listed. */
export interface ServerList {
  readonly tools: ReadonlyMap<string, ListedTool>;
  /** `performance.now()` until which it may be kept, by the server; undefined when it said nothing. */
  readonly keptUntil: number | undefined;
}

/** What is asked. */
export interface ListRequest {
  readonly client: Client;
  readonly modern: boolean;
  readonly followPagination: boolean;
  readonly timeoutMs: number;
}

interface Page {
  readonly tools?: readonly McpTool[];
  readonly nextCursor?: string | null;
  readonly ttlMs?: number;
}

/** @throws SandboxError `provider_failed` for a list that does not end; errors of the SDK */
export async function listServerTools(request: ListRequest): Promise<ServerList> {
  const { client, modern, followPagination, timeoutMs } = request;
  if (client.getServerCapabilities()?.tools === undefined)
    return { tools: new Map(), keptUntil: undefined };
  const tools = new Map<string, ListedTool>();
  const cursors = new Set<string>();
  let keptUntil: number | undefined;
  let cursor: string | undefined;
  for (let pages = 1; ; pages++) {
    const asked = performance.now();
    const params = cursor === undefined ? {} : { cursor };
    const page = (await client.request(
      { method: "tools/list", params },
      { timeout: timeoutMs },
    )) as Page;
    for (const tool of page.tools ?? []) {
      const headers = modern ? headerArguments(tool.inputSchema) : [];
      if (typeof headers !== "string" && !tools.has(tool.name))
        tools.set(tool.name, { tool, headers });
    }
    if (typeof page.ttlMs === "number") {
      const until = asked + Math.min(Math.max(page.ttlMs, 0), MCP_CACHE_MS);
      keptUntil = Math.min(keptUntil ?? Infinity, until);
    }
    cursor = page.nextCursor ?? undefined;
    // The empty text is a cursor like any other; one that comes again leads nowhere.
    if (cursor === undefined || !followPagination || cursors.has(cursor))
      return { tools, keptUntil };
    cursors.add(cursor);
    if (pages === MCP_PAGES) {
      throw new SandboxError(
        "provider_failed",
        `the server lists its tools on more than ${MCP_PAGES} pages`,
      );
    }
  }
}
