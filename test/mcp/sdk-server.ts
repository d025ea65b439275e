// MCP servers of the official SDK on loopback, for tests: both eras, with a record of what was asked; Node.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import {
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** CORS headers, as a server that wants pages as callers has to send them. */
export const OPEN_CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers":
    "content-type, authorization, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, mcp-param-region, last-event-id",
  "access-control-expose-headers": "mcp-session-id",
};

export interface TestServer {
  readonly url: string;
  /** Each POST: its method, headers and body. */
  readonly requests: {
    readonly headers: IncomingMessage["headers"];
    readonly method: string;
    readonly body: Record<string, unknown>;
  }[];
  close(): Promise<void>;
}

/** Answers a request of the Fetch standard. */
export type WebHandler = (
  request: Request,
  body: Record<string, unknown>,
) => Response | Promise<Response>;

/** Serves a handler at /mcp; `cors` goes with every answer, and preflights get nothing else. */
export async function serveWeb(
  handler: WebHandler,
  cors: Readonly<Record<string, string>> = OPEN_CORS,
): Promise<TestServer> {
  const requests: TestServer["requests"] = [];
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const text = await readText(incoming);
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    if (incoming.method === "POST")
      requests.push({ headers: incoming.headers, method: String(body["method"]), body });
    if (incoming.method === "OPTIONS") {
      outgoing.writeHead(204, cors).end();
      return;
    }
    const stop = new AbortController();
    outgoing.on("close", () => stop.abort());
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: incoming.headers as Record<string, string>,
      signal: stop.signal,
      ...(text === "" ? {} : { body: text }),
    });
    const response = await handler(request, body);
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...cors });
    if (response.body === null) outgoing.end();
    else
      Readable.fromWeb(response.body as NodeReadableStream)
        .on("error", () => outgoing.destroy())
        .pipe(outgoing);
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) outgoing.writeHead(500, cors);
      outgoing.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/** Both eras at one address; `modern` refuses `initialize`. */
export async function serveBothEras(
  options: { modern?: boolean; cors?: Readonly<Record<string, string>> } = {},
): Promise<TestServer> {
  const handler = createMcpHandler(
    () => makeServer(),
    options.modern === true ? { legacy: "reject" } : {},
  );
  return serveWeb((request) => handler.fetch(request), options.cors);
}

/** 2025-11-25 alone, with sessions: what came before the stateless protocol. `forget()` ends them all. */
export async function serveLegacy(
  cors?: Readonly<Record<string, string>>,
): Promise<TestServer & { forget(): void }> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = await serveWeb(async (request, body) => {
    const id = request.headers.get("mcp-session-id");
    if (id !== null)
      return (
        sessions.get(id)?.handleRequest(request) ?? new Response("no such session", { status: 404 })
      );
    if (body["method"] !== "initialize")
      return new Response("Bad Request: no session", { status: 400 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request);
  }, cors);
  return { ...server, forget: () => sessions.clear() };
}

/** A server with a tool for each thing that a client has to get right. */
export function makeServer(): McpServer {
  const server = new McpServer(
    { name: "test", version: "1" },
    { cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "private" } } },
  );
  const object = (properties: object, required: readonly string[] = []) =>
    fromJsonSchema({ type: "object", properties, required } as never);
  server.registerTool(
    "add",
    {
      title: "Add",
      description: "Adds two numbers",
      inputSchema: object({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]),
      outputSchema: object({ sum: { type: "number" } }, ["sum"]),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    (args) => {
      const { a, b } = args as { a: number; b: number };
      return { content: [{ type: "text", text: `${a + b}` }], structuredContent: { sum: a + b } };
    },
  );
  server.registerTool(
    "in-region",
    { inputSchema: object({ region: { type: "string", "x-mcp-header": "Region" } }, ["region"]) },
    (args) => ({ content: [{ type: "text", text: (args as { region: string }).region }] }),
  );
  server.registerTool("picture", {}, () => ({
    content: [
      { type: "text", text: "a dot" },
      { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    ],
  }));
  server.registerTool("fails", {}, () => ({
    content: [{ type: "text", text: "no luck" }],
    isError: true,
  }));
  server.registerTool(
    "slow",
    { inputSchema: object({ steps: { type: "number" } }) },
    async (args, ctx) => {
      const { steps = 1 } = args as { steps?: number };
      for (let step = 1; step <= steps; step++) {
        if (ctx.mcpReq.signal.aborted) break;
        const progressToken = ctx.mcpReq._meta?.progressToken;
        if (progressToken !== undefined) {
          await ctx.mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress: step, total: steps },
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { content: [{ type: "text", text: "done" }] };
    },
  );
  server.registerTool("asks", {}, (ctx) => {
    const answers = ctx.mcpReq.inputResponses as
      | Record<string, { content?: { name?: string } }>
      | undefined;
    const name = answers?.["who"]?.content?.name;
    if (name !== undefined) return { content: [{ type: "text", text: `hello ${name}` }] };
    return inputRequired({
      requestState: "state-1",
      inputRequests: {
        who: inputRequired.elicit({
          message: "Who?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } } as never,
        }),
      },
    });
  });
  return server;
}
