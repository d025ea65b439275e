// A small HTTP server with the header modes that the tests need, for tests and benchmarks; Node.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { Readable } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/**
 * Headers of a page: `coi` is cross-origin isolated by COOP and COEP, `dip` by Document-Isolation-Policy, `plain` has
 * none, `csp` has a strict Content-Security-Policy, `csp-tt` that and required Trusted Types. Joined by "+" they add up.
 */
export type HeaderMode = "coi" | "dip" | "plain" | "csp" | "csp-tt" | `${string}+${string}`;

/** Answers one request instead of a file. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
) => void | Promise<void>;

export interface StaticServerOptions {
  /** Folders by the URL path they appear under, such as `{ "/": site, "/dist": dist }`; the longest path wins. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Files that are on no disk, by URL path; they win over folders. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Own answers, by URL path; they win over everything. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** The mode of this port; a path that starts with `/@coi/` (or another mode) has that one instead. */
  readonly mode?: HeaderMode;
  /** Sent with every answer, after those of the mode. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Allows other origins to read (CORS) and embed (CORP) the answers. */
  readonly cors?: boolean;
}

export interface StaticServer {
  /** Such as `http://localhost:40123`; another server is another origin. */
  readonly origin: string;
  /** Every request so far, as `GET /path?query` (without the mode). */
  readonly requests: readonly string[];
  /** Bodies of the CSP reports that have arrived. */
  readonly reports: readonly string[];
  /** The URL of a path in a mode; without one, in the mode of the port. */
  url(path: string, mode?: HeaderMode): string;
  close(): Promise<void>;
}

const reportPath = "/@report";

const strictPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'";

const modeHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  plain: {},
  coi: {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
  },
  dip: { "document-isolation-policy": "isolate-and-require-corp" },
  csp: { "content-security-policy": `${strictPolicy}; report-uri ${reportPath}` },
  "csp-tt": {
    "content-security-policy": `${strictPolicy}; require-trusted-types-for 'script'; report-uri ${reportPath}`,
  },
};

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".gz": "application/gzip",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".zip": "application/zip",
};

/**
 * Serves folders and files on a free port of localhost.
 *
 * A query changes one answer: `?status=404`, `?type=text/plain`, `?delay=200` (milliseconds before the headers),
 * `?cut=100` (the connection breaks after that many bytes), `?trickle=50` (milliseconds between pieces of 64 KiB).
 *
 * @example
 * const server = await serveStatic({ folders: { "/dist": "dist" }, files: { "/": "<!doctype html>" } });
 * await page.goto(server.url("/", "coi"));
 * await server.close();
 */
export async function serveStatic(options: StaticServerOptions): Promise<StaticServer> {
  const requests: string[] = [];
  const reports: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response, options, requests, reports).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "localhost", resolve);
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    reports,
    url: (path, mode) => `${origin}${mode === undefined ? "" : `/@${mode}`}${path}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: StaticServerOptions,
  requests: string[],
  reports: string[],
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  if (url.pathname === reportPath) {
    reports.push(await readText(request));
    response.writeHead(204).end();
    return;
  }
  const [, named, rest] = /^\/@([a-z+-]+)(\/.*)$/.exec(url.pathname) ?? [];
  if (rest !== undefined) url.pathname = rest;
  const mode = named ?? options.mode ?? "plain";
  requests.push(`${request.method} ${url.pathname}${url.search}`);

  const delay = Number(url.searchParams.get("delay") ?? 0);
  if (delay > 0) await sleep(delay);
  for (const [name, value] of headersOf(mode, options)) response.setHeader(name, value);
  const handler = options.handlers?.[url.pathname];
  if (handler) return handler(request, response, url);
  if (request.method === "OPTIONS") {
    response.writeHead(204).end();
    return;
  }
  await sendFile(response, url, options, request.method === "HEAD");
}

function headersOf(mode: string, options: StaticServerOptions): [string, string][] {
  const headers: Record<string, string> = { "cache-control": "no-store" };
  for (const part of mode.split("+")) {
    const wanted = modeHeaders[part];
    if (wanted === undefined) throw new Error(`no header mode is called ${part}`);
    Object.assign(headers, wanted);
  }
  if (options.cors) {
    headers["access-control-allow-origin"] = "*";
    headers["access-control-allow-headers"] = "*";
    headers["cross-origin-resource-policy"] = "cross-origin";
  }
  return Object.entries({ ...headers, ...options.headers });
}

async function sendFile(
  response: ServerResponse,
  url: URL,
  options: StaticServerOptions,
  headOnly: boolean,
): Promise<void> {
  const query = url.searchParams;
  const found = await open(decodeURIComponent(url.pathname), options);
  const status = Number(query.get("status") ?? (found === null ? 404 : 200));
  const body = found ?? { name: ".txt", size: 0, stream: () => Readable.from([]) };
  const headers: OutgoingHttpHeaders = {
    "content-type":
      query.get("type") ?? contentTypes[extname(body.name)] ?? "application/octet-stream",
    "content-length": body.size,
  };
  response.writeHead(status, headers);
  if (headOnly) {
    response.end();
    return;
  }
  const cut = Number(query.get("cut") ?? Infinity);
  const trickle = Number(query.get("trickle") ?? 0);
  let sent = 0;
  for await (const chunk of body.stream()) {
    const piece = (chunk as Uint8Array).subarray(0, cut - sent);
    sent += piece.length;
    if (!response.write(piece)) await drained(response);
    // A system that takes all at once must not keep other requests waiting until it has.
    await nextTurn();
    if (sent >= cut) {
      await sleep(20); // what was written has to leave before the connection breaks
      response.destroy();
      return;
    }
    if (trickle > 0) await sleep(trickle);
    if (response.destroyed) return;
  }
  response.end();
}

interface Body {
  readonly name: string;
  readonly size: number;
  readonly stream: () => Readable;
}

async function open(path: string, options: StaticServerOptions): Promise<Body | null> {
  const held = options.files?.[path];
  if (held !== undefined) {
    // A view: to copy 26 MB first would hold up everything else that is asked for.
    const bytes =
      typeof held === "string"
        ? Buffer.from(held)
        : Buffer.from(held.buffer, held.byteOffset, held.byteLength);
    const name = path.endsWith("/") ? `${path}index.html` : path;
    return { name, size: bytes.length, stream: () => Readable.from(pieces(bytes)) };
  }
  const prefixes = Object.keys(options.folders ?? {}).sort((a, b) => b.length - a.length);
  const prefix = prefixes.find((one) => path === one || path.startsWith(one.replace(/\/?$/, "/")));
  const folder = prefix === undefined ? undefined : options.folders?.[prefix];
  if (prefix === undefined || folder === undefined) return null;
  const rest = path.slice(prefix.length);
  const file = normalize(
    join(folder, rest.endsWith("/") || rest === "" ? `${rest}/index.html` : rest),
  );
  if (!file.startsWith(normalize(folder + sep))) return null;
  const info = await stat(file).catch(() => null);
  if (info === null || !info.isFile()) return null;
  return { name: file, size: info.size, stream: () => createReadStream(file) };
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
