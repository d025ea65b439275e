// Where a request would go: one URL parsed once, and the destinations that no policy can list; page, worker and Node.
//
// Only fields of a parsed URL are compared, never strings: the URL standard turns 0x7f.1, 2130706433 and fullwidth digits
// into 127.0.0.1, and what is sent later is this same parsed URL.

import { HTTP_URL_CHARACTERS } from "../limits.ts";
import { echo, HttpFailure } from "./http-failure.ts";
import { displayHost } from "./display-host.ts";

/** A destination in canonical form. */
export interface Destination {
  /** Without fragment, user information and trailing dot. */
  readonly url: URL;
  /** Lower-case ASCII host name. */
  readonly host: string;
  readonly port: number;
}

const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const HOST_NAME_CHARACTERS = 253;

/**
 * Parses a guest's URL, or a Location against the URL it came from.
 *
 * Throws {@link HttpFailure}: `invalid_request` for what is no usable https URL, `forbidden_destination` for plain http,
 * IP addresses in any spelling, localhost, single labels, `.local` and `.internal`.
 *
 * @example parseDestination("https://API.example.com.:443/a#b").url.href // "https://api.example.com/a"
 */
export function parseDestination(text: string, base?: URL): Destination {
  if (text.length > HTTP_URL_CHARACTERS) {
    throw invalid(`the url has ${text.length} characters; at most ${HTTP_URL_CHARACTERS} are sent`);
  }
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (!url) throw invalid(`${echo(text)} is not an absolute https URL`);
  if (url.protocol === "http:") {
    throw forbidden(`plain http is never sent; use https:// for ${echo(url.hostname)}`);
  }
  if (url.protocol !== "https:")
    throw invalid(`${echo(url.protocol)} URLs are not sent; use https:`);
  if (url.username !== "" || url.password !== "") {
    throw invalid("the url holds a user name or password; send them as a header instead");
  }
  url.hash = "";
  const host = canonicalHost(url);
  return { url, host, port: url.port === "" ? 443 : Number(url.port) };
}

/** Checks the host and takes one trailing dot off, in the URL too, so that name and origin are one thing. */
function canonicalHost(url: URL): string {
  if (isAddress(url.hostname)) {
    throw forbidden(`${echo(url.hostname)} is an IP address; only host names are sent to`);
  }
  const host = url.hostname.endsWith(".") ? url.hostname.slice(0, -1) : url.hostname;
  if (host.length > HOST_NAME_CHARACTERS || !HOST_NAME.test(host)) {
    throw invalid(`${echo(url.hostname)} is not a host name`);
  }
  const reason = privateName(host);
  if (reason) throw forbidden(`${displayHost(host)} ${reason}`);
  if (host !== url.hostname) url.hostname = host;
  if (url.hostname !== host) throw invalid(`${echo(host)} is not a host name`);
  return host;
}

/** The URL standard has brought every spelling of an IPv4 address to four decimal numbers by now. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^[0-9]+(?:\.[0-9]+){3}$/.test(hostname);
}

function privateName(host: string): string | undefined {
  if (host === "localhost" || host.endsWith(".localhost")) return "is this machine itself";
  if (!host.includes(".")) return "has no dot: names of a local network are never sent to";
  if (host.endsWith(".local") || host.endsWith(".internal")) return "is a name of a local network";
  return undefined;
}

function invalid(message: string): HttpFailure {
  return new HttpFailure("invalid_request", message);
}

function forbidden(message: string): HttpFailure {
  return new HttpFailure("forbidden_destination", message);
}
