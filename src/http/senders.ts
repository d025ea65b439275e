// The two ways out: fetch, whose redirects a page cannot see, and the embedder's transport; page, worker and Node.

import { HTTP_ANSWER_HEADER_BYTES, HTTP_REDIRECTS } from "../limits.ts";
import type { Deadline } from "./deadline.ts";
import { admitLocation, type Hop, isRedirectStatus, tooManyRedirects } from "./hop.ts";
import { HttpFailure, isHttpErrorKind } from "./http-failure.ts";
import type {
  HttpTransport,
  HttpTransportRequest,
  HttpTransportResponse,
} from "./http-transport.ts";
import type { NetworkPolicy } from "./network-policy.ts";
import { isBrowserHeader } from "./request-headers.ts";

/** What came back from one hop, its headers read. */
export interface Received {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly body: ReadableStream<Uint8Array> | null;
  /** Redirects that were followed below us. */
  readonly redirects: number;
}

/** Sends one dressed hop. `secret`: credentials are in it. `follow`: the guest wants redirects followed. */
export interface Sending {
  readonly hop: Hop;
  readonly request: HttpTransportRequest;
  readonly secret: boolean;
  readonly follow: boolean;
  readonly deadline: Deadline;
}

/** A way out. `showsRedirects`: a redirect comes back as it is, and the door goes on from there. */
export interface Sender {
  readonly showsRedirects: boolean;
  send(sending: Sending): Promise<Received>;
}

/** Sends through fetch: nothing stored, no cookies, no referrer; redirects only for hosts trusted with them. */
export function fetchSender(fetch: typeof globalThis.fetch, policy: NetworkPolicy): Sender {
  return {
    showsRedirects: false,
    async send(sending) {
      const { hop, request, deadline } = sending;
      // A browser resends every header it follows with, the page's credentials among them.
      const trusted = hop.destination.trustedRedirects && !sending.secret && sending.follow;
      const response = await exchange(hop, deadline, fetchHint, () =>
        fetch(request.url, {
          method: request.method,
          headers: request.headers
            .filter(([name]) => !isBrowserHeader(name))
            .map(([...pair]) => pair),
          ...(request.body && { body: request.body }),
          redirect: trusted ? "follow" : "manual",
          credentials: "omit",
          referrerPolicy: "no-referrer",
          cache: "no-store",
          signal: deadline.signal,
        }),
      );
      try {
        judge(response, sending, policy);
        const headers = readHeaders(response.headers, ["set-cookie", "set-cookie2"]);
        const { status, body } = response;
        return { status, headers, body, redirects: response.redirected ? 1 : 0 };
      } catch (error) {
        dropBody(response.body);
        throw error;
      }
    },
  };
}

/** Refuses redirects that nobody could check, and followed ones that ended at a host that is not listed. */
function judge(response: Response, { hop, secret, follow }: Sending, policy: NetworkPolicy): void {
  const { url, trustedRedirects } = hop.destination;
  const hidden = response.type === "opaqueredirect";
  const shown = isRedirectStatus(response.status) && response.headers.has("location");
  if (hidden || (shown && follow)) {
    const why =
      trustedRedirects && secret
        ? "a redirect is not followed with the page's credential, which the browser would pass on"
        : "redirects cannot be checked from a page; ask for the final URL";
    throw new HttpFailure("too_many_redirects", `${url.host} answered with a redirect: ${why}`);
  }
  if (response.redirected) admitLocation(response.url, url, policy);
}

/** Sends through the embedder's transport. */
export function transportSender(transport: HttpTransport, policy: NetworkPolicy): Sender {
  return {
    showsRedirects: true,
    async send({ hop, request, deadline }) {
      const response = await exchange(hop, deadline, "", () => transport(request, deadline.signal));
      try {
        const { status, headers, body, hops = [] } = response;
        if (!Number.isInteger(status) || status < 100 || status > 999) throw brokenTransport();
        if (hops.length > HTTP_REDIRECTS) throw tooManyRedirects(hop.destination.url);
        let from = hop.destination.url;
        for (const url of hops) from = admitLocation(url, from, policy).url;
        return { status, headers: readHeaders(headers, []), body, redirects: hops.length };
      } catch (error) {
        dropBody(response?.body);
        throw error instanceof HttpFailure ? error : brokenTransport();
      }
    },
  };
}

const fetchHint =
  "; a browser does not say why: the server may be unreachable, or it does not allow this page (CORS: it has to answer with access-control-allow-origin, and allow the method and the headers)";

/** Waits for the head of the response. Whatever fails there is one kind: nobody tells a page more. */
async function exchange<T extends Pick<HttpTransportResponse, "body">>(
  hop: Hop,
  deadline: Deadline,
  hint: string,
  work: () => Promise<T>,
): Promise<T> {
  const response = (async () => work())();
  try {
    return await deadline.race(response);
  } catch (error) {
    // One that comes after all, from a way out that does not heed the signal.
    response.then(
      (late) => dropBody(late.body),
      () => {},
    );
    if (error instanceof HttpFailure) throw error;
    const { kind, message } = Object(error);
    if (isHttpErrorKind(kind)) throw new HttpFailure(kind, String(message));
    throw new HttpFailure(
      "connection",
      `the exchange with ${hop.destination.url.host} failed${hint}`,
    );
  }
}

function readHeaders(
  given: Iterable<readonly [string, string]>,
  hidden: readonly string[],
): Map<string, string> {
  const headers = new Map<string, string>();
  let bytes = 0;
  for (const [name, value] of given) {
    const lower = name.toLowerCase();
    if (hidden.includes(lower)) continue;
    bytes += name.length + value.length;
    if (bytes > HTTP_ANSWER_HEADER_BYTES) {
      throw new HttpFailure(
        "too_large",
        `the answer's headers are over ${HTTP_ANSWER_HEADER_BYTES} bytes`,
      );
    }
    const before = headers.get(lower);
    headers.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

function brokenTransport(): HttpFailure {
  return new HttpFailure("abi", "the host's transport gave no response of the agreed shape");
}

/** Lets go of a body that nobody will read, so that its connection ends. */
export function dropBody(body: ReadableStream<Uint8Array> | null | undefined): void {
  (async () => body?.cancel())().catch(() => {});
}
