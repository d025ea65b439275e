// The page's record of a run's requests: what was asked, how it went, nothing secret; page, worker and Node.

import {
  ECHO_CHARACTERS,
  HTTP_PROGRESS_BYTES,
  HTTP_RECORDS,
  HTTP_URL_CHARACTERS,
} from "../limits.ts";
import { cut, type HttpErrorKind } from "./http-failure.ts";

/** One request of a guest, whether it was sent or refused. */
export interface HttpRequestRecord {
  /** Absent when the document could not be read. */
  readonly method?: string;
  /** Canonical where it could be parsed, credentials masked. */
  readonly url?: string;
  /** The last response's status; absent when none arrived. */
  readonly status?: number;
  /** Bytes of the body sent, once. */
  readonly requestBytes: number;
  /** Decoded bytes of the body received, so far as it was read. */
  readonly responseBytes: number;
  /** Redirects followed; for `redirects: "trusted"`, 1 for any number. */
  readonly redirects: number;
  /** Milliseconds from the guest's call to its answer. */
  readonly durationMs: number;
  /** How it failed; absent when it did not. */
  readonly kind?: HttpErrorKind;
}

/** How far a large body has come. */
export interface HttpProgress {
  readonly url: string;
  readonly direction: "up" | "down";
  /** Bytes so far; upwards a body is reported when it is handed over whole. */
  readonly bytes: number;
  /** Bytes in all, where the response says so. A content coding makes it smaller than what arrives. */
  readonly total?: number;
}

/** Hears of requests; what it throws is reported and changes nothing. */
export interface RecordListeners {
  readonly onRequest?: ((record: HttpRequestRecord) => void) | undefined;
  readonly onProgress?: ((progress: HttpProgress) => void) | undefined;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** One request while it is under way. */
export class RecordDraft {
  readonly record: Mutable<HttpRequestRecord> = {
    requestBytes: 0,
    responseBytes: 0,
    redirects: 0,
    durationMs: 0,
  };
  private readonly started = performance.now();
  private readonly listeners: RecordListeners;
  private reported = 0;
  private total: number | undefined;

  constructor(listeners: RecordListeners) {
    this.listeners = listeners;
  }

  asked(method: string, url: string): void {
    this.record.method = method;
    this.record.url = cut(url, HTTP_URL_CHARACTERS);
  }

  sent(bytes: number): void {
    this.record.requestBytes = bytes;
    if (bytes >= HTTP_PROGRESS_BYTES) this.report({ direction: "up", bytes, total: bytes });
  }

  answered(status: number, contentLength: string | undefined): void {
    this.record.status = status;
    this.total =
      contentLength !== undefined && /^[0-9]{1,15}$/.test(contentLength)
        ? Number(contentLength)
        : undefined;
  }

  received(bytes: number): void {
    this.record.responseBytes += bytes;
    const { responseBytes } = this.record;
    if (responseBytes - this.reported < HTTP_PROGRESS_BYTES) return;
    this.reported = responseBytes;
    const total = this.total === undefined ? {} : { total: this.total };
    this.report({ direction: "down", bytes: responseBytes, ...total });
  }

  finish(kind?: HttpErrorKind): HttpRequestRecord {
    this.record.durationMs = performance.now() - this.started;
    if (kind) this.record.kind = kind;
    return this.record;
  }

  private report(progress: Omit<HttpProgress, "url">): void {
    const { onProgress } = this.listeners;
    if (onProgress) tell(() => onProgress({ url: this.record.url ?? "", ...progress }));
  }
}

/** A guest's URL as the record shows it before it is judged: without user information, which may be a password. */
export function recordedUrl(text: string): string {
  if (URL.canParse(text)) {
    const url = new URL(text);
    url.username = "";
    url.password = "";
    url.hash = "";
    return url.href;
  }
  const end = text.lastIndexOf("@") + 1;
  return cut(text.slice(end), ECHO_CHARACTERS);
}

/** Adds to the record, lets the oldest go, tells the listener. */
export function keepRecord(
  records: HttpRequestRecord[],
  record: HttpRequestRecord,
  { onRequest }: RecordListeners,
): void {
  records.push(record);
  if (records.length > HTTP_RECORDS) records.shift();
  if (onRequest) tell(() => onRequest(record));
}

/** A listener's exception is the page's bug: it is reported as such, and no guest's request fails for it. */
function tell(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    globalThis.reportError?.(error);
  }
}
