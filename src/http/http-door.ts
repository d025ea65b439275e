// subako_http without a guest: one JSON request in, one JSON answer out, never an exception; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { HTTP_TIMEOUT_MS } from "../limits.ts";
import type { HttpServer } from "./answer-request.ts";
import type { HttpFiles } from "./http-files.ts";
import type { HttpTransport } from "./http-transport.ts";
import { createNetworkPolicy, type NetworkOptions } from "./network-policy.ts";
import type { HttpRequestRecord, RecordListeners } from "./request-record.ts";

/** What a door may reach, and what it works with. */
export interface HttpDoorOptions extends RecordListeners {
  /** Closed by default: what is not listed here is not sent. */
  readonly network: NetworkOptions;
  /** Instead of the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
  /** Instead of fetch, with full semantics: redirects, all headers. */
  readonly transport?: HttpTransport;
  /** File bodies and file output; without it they are `bad_path`. */
  readonly files?: HttpFiles;
  /** The run's: an exchange ends with it. */
  readonly signal?: AbortSignal;
  /** Milliseconds an exchange may take, whatever the guest's `timeout_ms` says. Default 30,000. */
  readonly timeoutMs?: number;
}

const NOT_LOADED =
  '{"error":{"kind":"abi","message":"the host failed inside: its code for HTTP could not be loaded"}}';

/** A door for one run. */
export interface HttpDoor {
  /** Answers one request document with one answer document. Never rejects. */
  call(request: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
  /** The requests so far, refused ones too, the last 1,000. */
  readonly requests: readonly HttpRequestRecord[];
}

/**
 * Makes the HTTP door of a run. Throws {@link SandboxError} `bad_option` for a policy that cannot be.
 *
 * @example
 * const door = createHttpDoor({ network: { allow: ["api.example.com"] } });
 * const request = { url: "https://api.example.com/orders" };
 * const answer = await door.call(new TextEncoder().encode(JSON.stringify(request)));
 * // {"ok":{"status":200,"headers":{…},"body":{"type":"inline","text":"…"}}}, or {"error":{"kind":…,"message":…}}
 */
export function createHttpDoor(options: HttpDoorOptions): HttpDoor {
  const { timeoutMs = HTTP_TIMEOUT_MS } = options;
  if (!(timeoutMs > 0)) throw new SandboxError("bad_option", "timeoutMs is a number above 0");
  const policy = createNetworkPolicy(options.network);
  const requests: HttpRequestRecord[] = [];
  let loading: Promise<HttpServer> | undefined;
  /** The code of an exchange is loaded by the first request. */
  const load = async (): Promise<HttpServer> => {
    const { HttpServer: Room } = await import("./answer-request.ts");
    return new Room({ ...options, policy, timeoutMs }, requests);
  };
  return {
    requests,
    async call(request) {
      const own = request.slice();
      try {
        return await (await (loading ??= load())).answer(own);
      } catch {
        loading = undefined; // the next request tries again
        return new TextEncoder().encode(NOT_LOADED);
      }
    },
  };
}
