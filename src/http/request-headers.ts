// Which headers of a guest are sent: names and values checked, connection headers dropped; page, worker and Node.

import { HTTP_HEADER_BYTES, HTTP_HEADERS } from "../limits.ts";
import { echo, HttpFailure } from "./http-failure.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

/** About the connection, not the request: whoever opens it sets them. Dropped, as ABI 1 says. */
const CONNECTION_HEADERS = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What a browser sets itself; it drops a page's value without a word. Dropped here too, so that Node is no different. */
const BROWSER_HEADERS = new Set([
  "accept-charset",
  "accept-encoding",
  "access-control-request-headers",
  "access-control-request-method",
  "cookie",
  "cookie2",
  "date",
  "dnt",
  "origin",
  "permissions-policy",
  "referer",
  "set-cookie",
  "user-agent",
  "via",
]);

/** True for a name of the connection's own headers, in lower case. */
export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADERS.has(name);
}

/** True for a name, in lower case, that fetch does not send for a page. */
export function isBrowserHeader(name: string): boolean {
  return BROWSER_HEADERS.has(name) || name.startsWith("sec-") || name.startsWith("proxy-");
}

/** True for a header name that can be sent, in any case. */
export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** True for a value that arrives as it is: printable ASCII and tabs. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/**
 * The guest's headers as they will be sent, lower case. Throws {@link HttpFailure} `invalid_request` for impossible names
 * and values, upper case, too many, too long, and `cookie`.
 */
export function checkHeaders(given: ReadonlyMap<string, string>): Map<string, string> {
  if (given.size > HTTP_HEADERS) {
    throw invalid(`the request has ${given.size} headers; at most ${HTTP_HEADERS} are sent`);
  }
  let bytes = 0;
  const headers = new Map<string, string>();
  for (const [name, value] of given) {
    bytes += name.length + value.length;
    if (!isHeaderName(name)) throw invalid(`${echo(name)} is not a header name`);
    if (name !== name.toLowerCase()) {
      throw invalid(`header names are lower case: write ${echo(name.toLowerCase())}`);
    }
    if (!isHeaderValue(value)) {
      throw invalid(`header ${echo(name)} holds a character that is not printable ASCII`);
    }
    if (name === "cookie") throw invalid("a cookie header cannot be sent from a page");
    if (!CONNECTION_HEADERS.has(name)) headers.set(name, value.trim());
  }
  if (bytes > HTTP_HEADER_BYTES) {
    throw invalid(`the headers have ${bytes} bytes; at most ${HTTP_HEADER_BYTES} are sent`);
  }
  return headers;
}

function invalid(message: string): HttpFailure {
  return new HttpFailure("invalid_request", message);
}
