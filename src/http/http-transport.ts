// What carries one request out: the interface for pages that have a server or a shell of their own; any realm.

import type { HttpMethod } from "./request-document.ts";

/** One hop, checked against the policy and with the page's credentials in place. */
export interface HttpTransportRequest {
  readonly method: HttpMethod;
  /** Canonical https URL. */
  readonly url: string;
  /** Lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array<ArrayBuffer> | Blob;
}

/** What came back from one hop. */
export interface HttpTransportResponse {
  readonly status: number;
  /** Such as a `Headers`; a name that repeats is joined with ", ". */
  readonly headers: Iterable<readonly [name: string, value: string]>;
  /** The body with its content coding undone; null for none. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** URLs of redirects that the transport followed on its own, in order. Each is judged, and they count. */
  readonly hops?: readonly string[];
}

/**
 * Carries one hop. A transport hands redirects back instead of following them: the door judges each Location like the
 * first URL, drops or adds credentials, and calls again, ten times at most. It rejects for a failed exchange; an error
 * with a `kind` of the thirteen keeps it and its message.
 *
 * The signal aborts when time is up or the run ends.
 *
 * @example
 * const transport = async ({ method, url, headers, body }, signal) => {
 *   const response = await fetch(url, { method, headers: [...headers], body, signal, redirect: "manual" });
 *   return { status: response.status, headers: response.headers, body: response.body };
 * };  // good where fetch shows redirects, as Node's does; a page's does not
 */
export type HttpTransport = (
  request: HttpTransportRequest,
  signal: AbortSignal,
) => Promise<HttpTransportResponse>;
