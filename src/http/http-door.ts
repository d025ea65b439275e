// subako_http without a guest: one JSON request in, one JSON answer out, never an exception; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { HTTP_TIMEOUT_MS } from "../limits.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { type ExchangeContext, performExchange, type Success } from "./exchange.ts";
import { type HttpErrorKind, HttpFailure } from "./http-failure.ts";
import type { HttpFiles } from "./http-files.ts";
import type { HttpTransport } from "./http-transport.ts";
import { createNetworkPolicy, type NetworkOptions } from "./network-policy.ts";
import { readRequestDocument, type RequestDocument } from "./request-document.ts";
import {
  type HttpRequestRecord,
  keepRecord,
  RecordDraft,
  type RecordListeners,
  recordedUrl,
} from "./request-record.ts";
import { SecretMask } from "./secret-mask.ts";
import { fetchSender, transportSender } from "./senders.ts";

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
  const { transport, timeoutMs = HTTP_TIMEOUT_MS } = options;
  if (!(timeoutMs > 0)) throw new SandboxError("bad_option", "timeoutMs is a number above 0");
  const policy = createNetworkPolicy(options.network);
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  const sender = transport ? transportSender(transport, policy) : fetchSender(fetch, policy);
  const { files, signal: run } = options;
  const context: Context = { policy, sender, mask: new SecretMask(), files, run, timeoutMs };
  const requests: HttpRequestRecord[] = [];
  return {
    requests,
    async call(request) {
      const draft = new RecordDraft(options);
      const answer = await answerTo(request, context, draft);
      const record = draft.finish("error" in answer ? answer.error.kind : undefined);
      keepRecord(requests, record, options);
      return new TextEncoder().encode(JSON.stringify(answer));
    },
  };
}

interface Context extends ExchangeContext {
  readonly timeoutMs: number;
}

type Answer = { ok: Success } | { error: { kind: HttpErrorKind; message: string } };

async function answerTo(
  request: Uint8Array,
  context: Context,
  draft: RecordDraft,
): Promise<Answer> {
  let deadline: Deadline | undefined;
  try {
    const document = readRequestDocument(request);
    draft.asked(document.method, context.mask.text(recordedUrl(document.url)));
    deadline = clockFor(document, context);
    return { ok: await performExchange({ ...context, document, deadline, draft }) };
  } catch (error) {
    // Anything else is a fault of this room, which a guest can neither cause nor mend.
    const failure =
      error instanceof HttpFailure ? error : new HttpFailure("abi", "the host failed inside");
    return { error: { kind: failure.kind, message: context.mask.text(failure.message) } };
  } finally {
    deadline?.end();
  }
}

function clockFor(document: RequestDocument, { timeoutMs: longest, run }: Context): Deadline {
  const { timeoutMs } = document;
  return timeoutMs !== undefined && timeoutMs <= longest
    ? startDeadline(timeoutMs, "the request's timeout_ms", run)
    : startDeadline(longest, "the longest that the page allows", run);
}
