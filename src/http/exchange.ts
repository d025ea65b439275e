// One request from its document to its answer: judged, opened, sent hop by hop, read; page, worker and Node.

import { HTTP_REDIRECTS } from "../limits.ts";
import { refuseCredentialHeaders } from "./credentials.ts";
import type { Deadline } from "./deadline.ts";
import { FileWriter } from "./file-writer.ts";
import { dressHop, type Hop, isRedirectStatus, redirectedHop, tooManyRedirects } from "./hop.ts";
import {
  discardOutput,
  type HttpFiles,
  type HttpFileSink,
  openOutput,
  readUpload,
} from "./http-files.ts";
import type { NetworkPolicy } from "./network-policy.ts";
import type { RequestDocument } from "./request-document.ts";
import { checkHeaders } from "./request-headers.ts";
import type { RecordDraft } from "./request-record.ts";
import { readInline, saveBody } from "./response-body.ts";
import type { SecretMask } from "./secret-mask.ts";
import { dropBody, type Received, type Sender } from "./senders.ts";

/** What a door has at hand for all its exchanges. */
export interface ExchangeContext {
  readonly policy: NetworkPolicy;
  readonly sender: Sender;
  readonly mask: SecretMask;
  readonly files: HttpFiles | undefined;
  /** The run's signal. */
  readonly run: AbortSignal | undefined;
}

/** One request under way. */
export interface Exchange extends ExchangeContext {
  readonly document: RequestDocument;
  readonly deadline: Deadline;
  readonly draft: RecordDraft;
}

/** The `ok` of an answer document. */
export interface Success {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: SuccessBody;
}

type SuccessBody =
  | { readonly type: "inline"; readonly text: string }
  | { readonly type: "file"; readonly path: string; readonly bytes: number };

/** Everything that can be refused is refused before files are opened, and files are opened before anything is sent. */
export async function performExchange(exchange: Exchange): Promise<Success> {
  const { document, policy, draft, mask } = exchange;
  const destination = policy.admit(document.url);
  draft.asked(document.method, mask.text(destination.url.href));
  refuseCredentialHeaders(document.headers.keys(), policy.credentialsFor(destination.url.origin));
  const headers = checkHeaders(document.headers);
  const path = document.outputPath;
  if (path === undefined) return send(exchange, await firstHop(exchange, destination, headers));

  const sink = await openOutput(exchange.files, path, exchange.deadline);
  try {
    return await send(exchange, await firstHop(exchange, destination, headers), { sink, path });
  } catch (error) {
    await discardOutput(sink, exchange.run);
    throw error;
  }
}

/** The guest's request with its body at hand. */
async function firstHop(
  { document, files, deadline, draft }: Exchange,
  destination: Hop["destination"],
  headers: Map<string, string>,
): Promise<Hop> {
  const { method, body } = document;
  if (!body) return { destination, method, headers };
  if (body.type === "file") {
    const blob = await readUpload(files, body.path, deadline);
    draft.sent(blob.size);
    return { destination, method, headers, body: blob };
  }
  const json = body.type === "json";
  const bytes = new TextEncoder().encode(json ? body.source : body.text);
  draft.sent(bytes.byteLength);
  const type = json ? "application/json" : "text/plain; charset=utf-8";
  if (!headers.has("content-type")) headers.set("content-type", type);
  return { destination, method, headers, body: bytes };
}

async function send(
  exchange: Exchange,
  first: Hop,
  output?: { sink: HttpFileSink; path: string },
): Promise<Success> {
  const { deadline, draft, mask } = exchange;
  const { hop, received } = await followHops(exchange, first);
  const body = {
    stream: received.body,
    host: hop.destination.url.host,
    deadline,
    mask: mask.stream(),
    onBytes: (bytes: number) => draft.received(bytes),
  };
  if (output) {
    const { sink, path } = output;
    const bytes = await saveBody(body, new FileWriter(sink, path, deadline));
    return answerOf(received, hop, bytes, mask, { type: "file", path, bytes });
  }
  const { text, bytes } = await readInline(body);
  return answerOf(received, hop, bytes, mask, { type: "inline", text });
}

/** Sends hop after hop until one is no redirect. */
async function followHops(
  { policy, sender, mask, document, deadline, draft }: Exchange,
  first: Hop,
): Promise<{ hop: Hop; received: Received }> {
  const follow = document.followRedirects;
  let hop = first;
  for (;;) {
    /* oxlint-disable no-await-in-loop -- one hop leads to the next */
    const { request, secrets } = await deadline.race(dressHop(hop, policy));
    for (const secret of secrets) mask.add(secret);
    const secret = secrets.length > 0;
    const received = await sender.send({ hop, request, secret, follow, deadline });
    /* oxlint-enable no-await-in-loop */
    draft.answered(received.status, received.headers.get("content-length"));
    draft.record.redirects += received.redirects;
    if (draft.record.redirects > HTTP_REDIRECTS) {
      dropBody(received.body);
      throw tooManyRedirects(hop.destination.url);
    }
    const location = received.headers.get("location");
    const redirects = follow && sender.showsRedirects && isRedirectStatus(received.status);
    if (!redirects || location === undefined) return { hop, received };
    dropBody(received.body);
    if (draft.record.redirects >= HTTP_REDIRECTS) throw tooManyRedirects(hop.destination.url);
    hop = redirectedHop(hop, received.status, location, policy);
    draft.record.redirects += 1;
  }
}

function answerOf(
  { status, headers }: Received,
  hop: Hop,
  bytes: number,
  mask: SecretMask,
  body: SuccessBody,
): Success {
  if (hop.method !== "HEAD") {
    // The coding was undone, so its name and its length would be wrong.
    headers.delete("content-encoding");
    if (headers.get("content-length") !== String(bytes)) headers.delete("content-length");
  }
  const shown = [...headers].map(([name, value]) => [name, mask.text(value)]);
  return { status, headers: Object.fromEntries(shown), body };
}
