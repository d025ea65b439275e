// A relay for guests' HTTP on the page's own server: one hop per request, checked again, nothing private; Node.
//
// What a page's fetch cannot give (redirects as they are, all headers, no CORS, a look at the address behind a name) a
// server can. The door in the page still judges every hop; this relay trusts nobody and judges it once more.
//
//   request:  POST, content-type application/x-sallyport-relay
//             4 bytes length, JSON {"method","url","headers":[[name,value]…]}, then the body's bytes
//   answer:   200, 4 bytes length, JSON {"status","headers":[[name,value]…]} or {"error":{"kind","message"}}, then bytes
import { lookup } from "node:dns/promises";
import { request as httpsRequest } from "node:https";
import { pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { createAllowlist, RelayError } from "./allowlist.mjs";
import { isPublicAddress } from "./public-address.mjs";

const CONTENT_TYPE = "application/x-sallyport-relay";
const HEAD_BYTES = 64 * 1024;
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Said by whoever opens the connection. */
const DROPPED =
  /^(connection|content-length|expect|host|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
const DECODERS = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * @typedef {object} RelayOptions
 * @property {readonly string[]} allow hosts: `api.example.com`, `*.example.com`, `api.example.com:8443`
 * @property {readonly string[]} origins pages that may use the relay, such as `https://app.example`
 * @property {number} [timeoutMs] longest exchange; default 60,000
 * @property {number} [bodyBytes] longest request body; default 256 MiB
 * @property {(host: string) => Promise<readonly string[]>} [resolve] addresses of a name; default: the system's resolver
 * @property {(address: string) => boolean} [permits] default: public addresses only
 * @property {string} [ca] certificates to trust instead of the system's
 */

/**
 * Makes a request handler for `node:http`: `createServer((request, response) => relay(request, response))`.
 *
 * @param {RelayOptions} options
 * @returns {(request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse) => Promise<void>}
 */
export function createRelay(options) {
  const context = {
    timeoutMs: 60_000,
    bodyBytes: 256 * 2 ** 20,
    resolve: resolveAll,
    permits: isPublicAddress,
    ...options,
    allows: createAllowlist(options.allow),
  };
  return async (request, response) => {
    const refusal = refuse(request, context);
    if (refusal) {
      response.writeHead(refusal).end();
      return;
    }
    try {
      await relay(request, response, context);
    } catch (error) {
      const known = error instanceof RelayError;
      if (response.headersSent) {
        response.destroy();
        return;
      }
      const kind = known ? error.kind : "connection";
      answer(response, { error: { kind, message: known ? error.message : "the relay failed" } });
      response.end();
    }
  };
}

/** Only the page's own scripts: others' pages cannot send this content type without being asked for CORS, which fails. */
function refuse(request, { origins, bodyBytes }) {
  const { origin, "content-type": type, "content-length": length } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (request.method !== "POST") return 405;
  if (!origins.includes(origin) || (site !== undefined && site !== "same-origin")) return 403;
  if (type !== CONTENT_TYPE) return 415;
  return Number(length ?? 0) > bodyBytes + HEAD_BYTES + 4 ? 413 : undefined;
}

async function relay(request, response, context) {
  const { head, rest } = await readHead(request);
  const { method, url, headers } = checkHead(head, context);
  const addresses = await addressesOf(url, context);
  const body = method === "GET" || method === "HEAD" ? undefined : rest;
  const upstream = httpsRequest(url, {
    method,
    headers: headersOf(headers),
    // The addresses that were checked are the ones connected to, whatever the name says a moment later.
    lookup: pinned(addresses),
    agent: false,
    ca: context.ca,
    maxHeaderSize: HEAD_BYTES,
    signal: AbortSignal.timeout(context.timeoutMs),
  });
  response.once("close", () => upstream.destroy());
  const arrived = new Promise((resolve, reject) => {
    upstream.once("response", resolve);
    upstream.on("error", reject);
  });
  if (body) pipeline(limited(body, context.bodyBytes), upstream, () => {});
  else upstream.end();
  const incoming = await arrived.catch((error) => {
    if (error instanceof RelayError) throw error;
    const timeout = error.name === "TimeoutError" || error.code === "ABORT_ERR";
    throw timeout
      ? new RelayError("timeout", "the server did not answer in time")
      : new RelayError("connection", `the exchange with ${url.host} failed`);
  });
  const { stream, shown } = decoded(incoming, method);
  answer(response, { status: incoming.statusCode, headers: shown });
  await new Promise((resolve) => {
    // A torn answer must not look whole: the page sees its connection end.
    pipeline(stream, response, (error) => {
      if (error) response.destroy();
      resolve(undefined);
    });
  });
}

function checkHead(head, { allows }) {
  const { method, url: text, headers } = head;
  if (!METHODS.includes(method) || !Array.isArray(headers) || typeof text !== "string") {
    throw new RelayError("invalid_request", "not a request of the relay");
  }
  return { method, headers, url: allows(text) };
}

async function addressesOf(url, { resolve, permits }) {
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0) {
    throw new RelayError("connection", `${url.hostname} has no address`);
  }
  if (!addresses.every((address) => permits(address))) {
    throw new RelayError("forbidden_destination", `${url.hostname} leads to a private address`);
  }
  return addresses;
}

async function resolveAll(host) {
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

function pinned(addresses) {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, callback) =>
    options.all ? callback(null, all) : callback(null, all[0].address, all[0].family);
}

/** As Node takes them: a list, so that nothing is merged. */
function headersOf(pairs) {
  const headers = { "accept-encoding": "gzip, br" };
  for (const [name, value] of pairs) {
    if (!DROPPED.test(String(name).toLowerCase()))
      headers[String(name).toLowerCase()] = String(value);
  }
  return headers;
}

/** The body with its codings undone, and the headers that are still true of it. */
function decoded(incoming, method) {
  const { rawHeaders } = incoming;
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 ? [] : [[name.toLowerCase(), rawHeaders[at + 1]]],
  );
  const codings = (incoming.headers["content-encoding"] ?? "").split(",").map((one) => one.trim());
  const decoders = codings.filter((one) => one !== "" && one !== "identity").reverse();
  const empty = method === "HEAD" || incoming.statusCode === 204 || incoming.statusCode === 304;
  if (decoders.length === 0 || empty || !decoders.every((one) => Object.hasOwn(DECODERS, one))) {
    return { stream: incoming, shown: pairs };
  }
  const shown = pairs.filter(([name]) => name !== "content-encoding" && name !== "content-length");
  let stream = incoming;
  for (const coding of decoders.slice(0, 3))
    stream = pipeline(stream, DECODERS[coding](), () => {});
  return { stream, shown };
}

function answer(response, head) {
  const json = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.byteLength);
  response.writeHead(200, {
    "content-type": "application/octet-stream",
    "cache-control": "no-store",
  });
  response.write(Buffer.concat([length, json]));
}

/** The JSON at the front of the page's request, and the bytes behind it. */
async function readHead(request) {
  const chunks = request[Symbol.asyncIterator]();
  let bytes = Buffer.alloc(0);
  const need = async (length) => {
    while (bytes.byteLength < length) {
      // oxlint-disable-next-line no-await-in-loop -- a stream is read in order
      const { done, value } = await chunks.next();
      if (done) throw new RelayError("invalid_request", "the relay's request ends early");
      bytes = Buffer.concat([bytes, value]);
    }
  };
  await need(4);
  const length = bytes.readUInt32BE(0);
  if (length > HEAD_BYTES)
    throw new RelayError("invalid_request", "the request's head is too long");
  await need(4 + length);
  let head;
  try {
    head = Object(JSON.parse(bytes.subarray(4, 4 + length).toString("utf8")));
  } catch {
    throw new RelayError("invalid_request", "the request's head is not JSON");
  }
  const first = bytes.subarray(4 + length);
  const rest = (async function* behind() {
    if (first.byteLength > 0) yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  })();
  return { head, rest };
}

/** The body, cut off with an error where a page sends more than it may. */
function limited(body, bytes) {
  return Readable.from(
    (async function* counted() {
      let sent = 0;
      for await (const chunk of body) {
        sent += chunk.byteLength;
        if (sent > bytes)
          throw new RelayError("too_large", "the body is longer than the relay takes");
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
}
