// What the test server answers, by the first part of the path: ordinary, slow, hostile and broken; Node, tests.

import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from "node:zlib";

/** A request for an endpoint: `/name/rest…?query`. */
export interface EndpointCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

type Endpoint = (call: EndpointCall) => void | Promise<void>;

const MiB = 2 ** 20;
const TEXT = "one, two, three\n";

const plain: Record<string, Endpoint> = {
  text: ({ response }) => response.setHeader("content-type", "text/plain").end(TEXT) as never,
  json: ({ response }) =>
    send(response, '{"status":"shipped"}', { "content-type": "application/json" }),
  empty: ({ response }) => send(response, ""),
  utf8: ({ response }) => send(response, "grün 東京 🏰"),
  bom: ({ response }) => send(response, "\uFEFFmarked"),
  nul: ({ response }) => send(response, "a\0b"),
  status: ({ response, rest }) => response.writeHead(Number(rest[0])).end() as never,
  teapot: ({ response }) => send(response, "short and stout", {}, 418),
  echo: async ({ request, response }) => {
    const body = await readBody(request);
    const { method, url, headers } = request;
    send(response, JSON.stringify({ method, url, headers, body: body.toString("latin1") }));
  },
  upload: async ({ request, response }) => {
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      hash.update(chunk);
    }
    send(response, JSON.stringify({ bytes, sha256: hash.digest("hex") }));
  },
  close: ({ response }) => send(response, TEXT, { connection: "close" }),
  trailers: ({ response }) => {
    response.writeHead(200, { trailer: "x-sum" });
    response.write(TEXT);
    response.addTrailers({ "x-sum": "1" });
    response.end();
  },
  hints: ({ response }) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    send(response, TEXT);
  },
};

const encoded: Record<string, Endpoint> = {
  latin1: ({ response }) => send(response, Buffer.from("gr\xfcn", "latin1")),
  binary: ({ response }) => send(response, Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
  cutoff: ({ response }) => send(response, Buffer.from("grün").subarray(0, 3)),
  surrogate: ({ response }) => send(response, Buffer.of(0xed, 0xa0, 0x80)),
  utf16: ({ response }) => send(response, Buffer.from("\uFEFFtext", "utf16le")),
  gzip: ({ response }) => send(response, gzipSync(TEXT), { "content-encoding": "gzip" }),
  deflate: ({ response }) => send(response, deflateSync(TEXT), { "content-encoding": "deflate" }),
  brotli: ({ response }) => send(response, brotliCompressSync(TEXT), { "content-encoding": "br" }),
  liar: ({ response }) => send(response, TEXT, { "content-encoding": "gzip" }),
  torn: ({ response }) =>
    send(response, gzipSync(TEXT.repeat(9_999)).subarray(0, 90), { "content-encoding": "gzip" }),
  bomb: ({ response }) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    const gzip = createGzip({ level: 9 });
    gzip.pipe(response);
    const block = Buffer.alloc(MiB, 0x61);
    for (let written = 0; written < 200; written += 1) gzip.write(block);
    gzip.end();
    response.on("close", () => gzip.destroy());
  },
};

const sized: Record<string, Endpoint> = {
  size: ({ response, rest }) => send(response, Buffer.alloc(Number(rest[0]), 0x61)),
  chunked: ({ response, rest }) => {
    response.writeHead(200);
    for (let left = Number(rest[0]); left > 0; left -= 1_000) {
      response.write(Buffer.alloc(Math.min(left, 1_000), 0x62));
    }
    response.end();
  },
  endless: async ({ response }) => {
    response.writeHead(200);
    const block = Buffer.alloc(64 * 1024, 0x63);
    const closed = once(response, "close");
    while (!response.destroyed) {
      if (!response.write(block)) {
        // oxlint-disable-next-line no-await-in-loop
        await Promise.race([once(response, "drain"), closed]);
      }
    }
  },
  /** Claims a gigabyte and sends three bytes, then waits. */
  boaster: ({ response }) => {
    response.writeHead(200, { "content-length": String(1024 * MiB) });
    response.write("abc");
  },
};

const slow: Record<string, Endpoint> = {
  late: async ({ response, rest }) => {
    await sleep(Number(rest[0]));
    send(response, TEXT);
  },
  hang: () => {},
  pause: async ({ response, rest }) => {
    response.writeHead(200).write("first,");
    await sleep(Number(rest[0]));
    response.end("second");
  },
  drip: async ({ response }) => {
    response.writeHead(200);
    while (!response.destroyed) {
      response.write(".");
      // oxlint-disable-next-line no-await-in-loop
      await sleep(20);
    }
  },
};

const broken: Record<string, Endpoint> = {
  reset: ({ request }) => request.socket.destroy() as never,
  halfhead: ({ request }) => raw(request, "HTTP/1.1 200 OK\r\ncontent-ty"),
  halfbody: async ({ response, request }) => {
    response.writeHead(200, { "content-length": "100" }).write("only this");
    await sleep(20);
    request.socket.destroy();
  },
  halfchunk: async ({ response, request }) => {
    response.writeHead(200).write("one chunk of many");
    await sleep(20);
    request.socket.destroy();
  },
  garbage: ({ request }) => raw(request, "220 smtp.example.com ready\r\n"),
  badheader: ({ request }) => raw(request, "HTTP/1.1 200 OK\r\na line of no header\r\n\r\n"),
  badlength: ({ request }) => raw(request, "HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nabc"),
  smuggle: ({ request }) =>
    raw(request, "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 9\r\n\r\nabc"),
  http10: ({ request }) => raw(request, `HTTP/1.0 200 OK\r\n\r\n${TEXT}`),
};

const headed: Record<string, Endpoint> = {
  many: ({ response }) => {
    for (let index = 0; index < 200; index += 1) response.setHeader(`x-${index}`, String(index));
    send(response, "");
  },
  heavy: ({ response }) => send(response, "", { "x-heavy": "h".repeat(60_000) }),
  odd: ({ request }) =>
    raw(
      request,
      "HTTP/1.1 200 OK\r\n__proto__: polluted\r\nconstructor: c\r\nX-UPPER: Case\r\nx-empty:\r\nx-twice: 1\r\nx-twice: 2\r\nx-latin: gr\xfcn\r\ncontent-length: 2\r\n\r\nok",
    ),
  cookies: ({ response }) => {
    response.setHeader("set-cookie", ["session=1; HttpOnly", "theme=dark"]);
    send(response, "baked");
  },
  /** Repeats what it was sent, whole and cut into single bytes. */
  mirror: async ({ request, response, query }) => {
    const value = String(request.headers[query.get("header") ?? "authorization"] ?? "");
    response.writeHead(200, { "x-mirror": value, "x-json": JSON.stringify({ value }) });
    for (const letter of `[${value}] ${JSON.stringify({ value })} ${encodeURIComponent(value)}`) {
      response.write(letter);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(0);
    }
    response.end();
  },
};

const redirects: Record<string, Endpoint> = {
  /** /redirect/302?to=URL */
  redirect: ({ response, rest, query }) => {
    const location = query.get("to");
    response.writeHead(Number(rest[0]), location === null ? {} : { location }).end("moved");
  },
  /** /chain/3 leads to /chain/2, and in the end to /text. */
  chain: ({ response, rest }) => {
    const left = Number(rest[0]);
    const location = left > 1 ? `/chain/${left - 1}` : "/text";
    response.writeHead(302, { location }).end();
  },
  loop: ({ response }) => response.writeHead(307, { location: "/loop" }).end() as never,
};

/** All endpoints by name. */
export const endpoints: Readonly<Record<string, Endpoint>> = {
  ...plain,
  ...encoded,
  ...sized,
  ...slow,
  ...broken,
  ...headed,
  ...redirects,
};

function send(
  response: ServerResponse,
  body: string | Buffer,
  headers: Record<string, string> = {},
  status = 200,
): void {
  const bytes = Buffer.from(body as string);
  response.writeHead(status, { "content-length": bytes.byteLength, ...headers }).end(bytes);
}

/** Writes bytes that no HTTP library would, and ends the connection. A page (which sends its origin) may read them. */
function raw(request: IncomingMessage, text: string): void {
  const allowed = "$&access-control-allow-origin: *\r\naccess-control-expose-headers: *\r\n";
  const answer = request.headers.origin === undefined ? text : text.replace(/^HTTP.*\r\n/, allowed);
  request.socket.end(Buffer.from(answer, "latin1"));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function once(response: ServerResponse, event: string): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
