// A real HTTPS server on loopback that answers for every host name, and a fetch that finds it; Node, tests.

import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { endpoints } from "./endpoints.ts";
import { selfSigned } from "./self-signed.ts";

/** A request as the server saw it. */
export interface SeenRequest {
  /** The name asked for in the TLS handshake. */
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The server and what it saw. */
export interface TestServer {
  readonly port: number;
  readonly ca: string;
  /** Requests in the order of their arrival. */
  readonly seen: SeenRequest[];
  /** Hosts (and ports, when not 443) that a connection was opened to, whether or not a request followed. */
  readonly connected: string[];
  /** Names of all TLS handshakes since the last reset. */
  readonly handshakes: ReadonlySet<string>;
  /** Requests whose connection ended before their answer did, by path. */
  readonly cut: string[];
  /** The real fetch, with every connection led to this server, whatever host and port it was meant for. */
  readonly fetch: typeof globalThis.fetch;
  reset(): void;
  close(): Promise<void>;
}

/**
 * Starts it on a free port. `cors`: every answer but those below /nocors/ allows any page, and preflights are answered
 * without being counted as seen.
 */
export async function startTestServer(options: { cors?: boolean } = {}): Promise<TestServer> {
  const { key, cert } = selfSigned(["*.example.com", "example.com"]);
  const seen: SeenRequest[] = [];
  const connected: string[] = [];
  const handshakes = new Set<string>();
  const cut: string[] = [];
  const server = createServer({ key, cert, maxHeaderSize: 256 * 1024 }, (request, response) => {
    const socket = request.socket as TLSSocket;
    const host = (socket as { servername?: string | false }).servername || "";
    const { method = "", url: path = "", headers } = request;
    if (options.cors && !path.startsWith("/nocors/") && allowPages(request, response)) return;
    seen.push({ host, method, path, headers });
    response.on("close", () => {
      if (!response.writableFinished) cut.push(path);
    });
    void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.on("secureConnection", (socket: TLSSocket) => {
    handshakes.add((socket as { servername?: string | false }).servername || "");
  });
  const { port } = server.address() as AddressInfo;
  const agent = await agentTo(port, cert, connected);
  return {
    port,
    ca: cert,
    seen,
    connected,
    handshakes,
    cut,
    // `dispatcher` is how Node's fetch takes an agent; the DOM's types do not know it.
    fetch: (input, init) => fetch(input, { ...init, dispatcher: agent.agent } as RequestInit),
    reset() {
      seen.length = connected.length = cut.length = 0;
      handshakes.clear();
    },
    async close() {
      agent.agent.destroy().catch(() => {});
      await closeServer(server);
    },
  };
}

/** Says yes to every page; true when that was all that was asked. */
function allowPages(request: IncomingMessage, response: ServerResponse): boolean {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", "x-upper, x-mirror, x-json");
  const method = request.headers["access-control-request-method"];
  if (request.method !== "OPTIONS" || method === undefined) return false;
  response.setHeader("access-control-allow-methods", method);
  response.setHeader(
    "access-control-allow-headers",
    request.headers["access-control-request-headers"] ?? "",
  );
  response.writeHead(204).end();
  return true;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "https://server.example.com");
  const [, name = "", ...rest] = url.pathname.replace(/^\/nocors/, "").split("/");
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
  try {
    if (endpoint) await endpoint({ request, response, rest, query: url.searchParams });
    else response.writeHead(404).end("no such endpoint");
  } catch (error) {
    response.destroy(error as Error);
  }
}

interface Agent {
  destroy(): Promise<void>;
}

type Connected = (error: Error | null, socket?: TLSSocket) => void;

/**
 * Node's fetch brings its own agent class, and shows it once it has been used. It keeps connections: without them it
 * takes a torn answer for a whole one.
 */
async function agentTo(port: number, ca: string, connected: string[]): Promise<{ agent: Agent }> {
  await fetch("data:,").then((response) => response.text());
  const current = (globalThis as Record<symbol, unknown>)[Symbol.for("undici.globalDispatcher.1")];
  const AgentClass = (current as object).constructor as new (options: unknown) => Agent;
  const open = (
    to: { hostname: string; port: string; protocol: string },
    callback: Connected,
  ): void => {
    const { hostname, protocol } = to;
    const target = Number(to.port || (protocol === "https:" ? 443 : 80));
    connected.push(protocol === "https:" && target === 443 ? hostname : `${hostname}:${target}`);
    if (protocol !== "https:") return callback(new Error("plain http"));
    const socket = connect({
      host: "127.0.0.1",
      port,
      ca,
      servername: /^[0-9.[]/.test(hostname) ? "" : hostname,
      // The one certificate stands for every name; the chain is checked all the same.
      checkServerIdentity: () => undefined,
    });
    socket.once("secureConnect", () => callback(null, socket));
    socket.once("error", (error) => callback(error));
  };
  return { agent: new AgentClass({ connect: open }) };
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
