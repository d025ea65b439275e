// The thirteen ways in which a guest's HTTP request can fail, and the exception that carries one; page, worker and Node.

import { ECHO_CHARACTERS, MESSAGE_CHARACTERS } from "../limits.ts";

/** Every kind of failure, in the order of ABI 1. */
export const HTTP_ERROR_KINDS = [
  "invalid_request", // the document, its method, URL or a header is impossible: nothing was sent
  "host_not_allowed", // the page's policy does not list this host and port
  "forbidden_destination", // plain http, an IP address, or a name of a private network: no policy can list it
  "credential_header", // the guest set a header that the page sets for this origin
  "credential_unavailable", // the page has no single usable value for a credential of this origin
  "too_many_redirects", // more than ten hops, or a redirect that cannot be checked here
  "timeout", // the whole exchange took longer than timeout_ms, or than the page allows
  "too_large", // a body or its headers are over what may cross
  "not_text", // an inline body is not UTF-8
  "write_budget", // the output file does not fit what the run may write
  "bad_path", // a body or output path is no usable file
  "connection", // the exchange failed or broke off
  "abi", // the host's own half failed: not the guest's fault, and not the server's
] as const;

/** What went wrong, for the guest's program. */
export type HttpErrorKind = (typeof HTTP_ERROR_KINDS)[number];

/** True for one of the thirteen kinds. */
export function isHttpErrorKind(value: unknown): value is HttpErrorKind {
  return (HTTP_ERROR_KINDS as readonly unknown[]).includes(value);
}

/** Ends a request with a kind and a message that tells the guest's author what to change. Never leaves this room. */
export class HttpFailure extends Error {
  override readonly name = "HttpFailure";
  readonly kind: HttpErrorKind;

  constructor(kind: HttpErrorKind, message: string) {
    super(cut(message, MESSAGE_CHARACTERS));
    this.kind = kind;
  }
}

/** A piece of the guest's text as a message may repeat it: at most 64 characters, quoted. */
export function echo(text: string): string {
  return JSON.stringify(cut(text, ECHO_CHARACTERS));
}

/** The first `characters` code points; never half of a surrogate pair. */
export function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const points = Array.from(text.slice(0, characters * 2)).slice(0, characters);
  return points.join("");
}
