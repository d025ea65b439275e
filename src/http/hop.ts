// One hop of an exchange: its headers with the page's credentials, and what a redirect makes of it; any realm.

import { HTTP_REDIRECTS } from "../limits.ts";
import { refuseCredentialHeaders, resolveCredentials } from "./credentials.ts";
import { HttpFailure } from "./http-failure.ts";
import type { HttpTransportRequest } from "./http-transport.ts";
import type { Admitted, NetworkPolicy } from "./network-policy.ts";
import type { HttpMethod } from "./request-document.ts";

/** A request to one destination. `headers` are the guest's own, lower case. */
export interface Hop {
  readonly destination: Admitted;
  readonly method: HttpMethod;
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: Uint8Array<ArrayBuffer> | Blob;
}

const REDIRECT_STATUSES = [301, 302, 303, 307, 308];
/** Secrets of the guest that were meant for one origin. */
const OWN_SECRETS = ["authorization", "cookie", "proxy-authorization"];
const BODY_HEADERS = [
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
  "content-md5",
];

/** True for the statuses that redirect. */
export function isRedirectStatus(status: number): boolean {
  return REDIRECT_STATUSES.includes(status);
}

/** What is sent, and the credentials that were added. Throws `credential_header` or `credential_unavailable`. */
export async function dressHop(
  hop: Hop,
  policy: NetworkPolicy,
): Promise<{ request: HttpTransportRequest; secrets: string[] }> {
  const credentials = policy.credentialsFor(hop.destination.url.origin);
  refuseCredentialHeaders(hop.headers.keys(), credentials);
  const values = await resolveCredentials(credentials);
  const { body } = hop;
  const request = {
    method: hop.method,
    url: hop.destination.url.href,
    headers: [...hop.headers, ...values],
    ...(body && { body }),
  };
  return { request, secrets: [...values.values()] };
}

/**
 * The hop that a redirect asks for: its Location judged like the first URL, the method changed as fetch changes it, the
 * guest's own secrets dropped when the origin changes.
 */
export function redirectedHop(
  hop: Hop,
  status: number,
  location: string,
  policy: NetworkPolicy,
): Hop {
  const from = hop.destination.url;
  const destination = admitLocation(location, from, policy);
  const headers = new Map(hop.headers);
  if (destination.url.origin !== from.origin) for (const name of OWN_SECRETS) headers.delete(name);
  const dropsBody =
    status === 303
      ? hop.method !== "GET" && hop.method !== "HEAD"
      : (status === 301 || status === 302) && hop.method === "POST";
  if (!dropsBody) return { ...hop, destination, headers };
  for (const name of BODY_HEADERS) headers.delete(name);
  return { destination, headers, method: "GET" };
}

/** Judges a URL that a server named. A URL that cannot be used is the server's fault, not the guest's. */
export function admitLocation(location: string, from: URL, policy: NetworkPolicy): Admitted {
  try {
    return policy.admit(location, from);
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    const kind = error.kind === "invalid_request" ? "connection" : error.kind;
    throw new HttpFailure(kind, `${from.host} redirects: ${error.message}`);
  }
}

/** The eleventh redirect. */
export function tooManyRedirects(from: URL): HttpFailure {
  return new HttpFailure(
    "too_many_redirects",
    `more than ${HTTP_REDIRECTS} redirects, the last one from ${from.host}`,
  );
}
