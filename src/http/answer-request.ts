// One request document answered, whatever happens; loaded with the first request; page, worker and Node.

import { type Deadline, startDeadline } from "./deadline.ts";
import { type ExchangeContext, performExchange, type Success } from "./exchange.ts";
import { type HttpErrorKind, HttpFailure } from "./http-failure.ts";
import type { HttpDoorOptions } from "./http-door.ts";
import type { NetworkPolicy } from "./network-policy.ts";
import { readRequestDocument, type RequestDocument } from "./request-document.ts";
import { type HttpRequestRecord, keepRecord, RecordDraft, recordedUrl } from "./request-record.ts";
import { SecretMask } from "./secret-mask.ts";
import { fetchSender, transportSender } from "./senders.ts";

/** A door's options, checked. */
export type CheckedHttpOptions = HttpDoorOptions & {
  readonly policy: NetworkPolicy;
  readonly timeoutMs: number;
};

/** The serving half of one door. */
export class HttpServer {
  private readonly options: CheckedHttpOptions;
  private readonly context: Context;
  private readonly records: HttpRequestRecord[];

  constructor(options: CheckedHttpOptions, records: HttpRequestRecord[]) {
    const { policy, transport, files, signal: run, timeoutMs } = options;
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    const sender = transport ? transportSender(transport, policy) : fetchSender(fetch, policy);
    this.options = options;
    this.records = records;
    this.context = { policy, sender, mask: new SecretMask(), files, run, timeoutMs };
  }

  async answer(request: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    const draft = new RecordDraft(this.options);
    const answer = await answerTo(request, this.context, draft);
    const record = draft.finish("error" in answer ? answer.error.kind : undefined);
    keepRecord(this.records, record, this.options);
    return new TextEncoder().encode(JSON.stringify(answer));
  }
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
