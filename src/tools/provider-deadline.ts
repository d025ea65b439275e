// Ends a wait when its time is up or its signal aborts, and tells whoever is waited for; page, worker and Node.

import { onAbort } from "./on-abort.ts";
import { ToolError } from "./tool-error.ts";

/** setTimeout counts milliseconds in 31 bits; a longer limit is no limit that anyone waits for. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** What bounds a call. */
export interface Deadline {
  /** For messages. */
  readonly tool: string;
  /** Milliseconds; Infinity for no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `work` until it settles, the time is up, or the signal aborts; what it comes to later is dropped.
 *
 * @throws ToolError `timeout` or `cancelled`, or whatever the work throws
 */
export async function within<T>(
  { tool, timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const cancelled = () => new ToolError(`the call of ${tool} was cancelled`, "cancelled");
  if (signal?.aborted) throw cancelled();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const end = (error: ToolError): void => {
      reject(error);
      stop.abort(error);
    };
    leave = signal && onAbort(signal, () => end(cancelled()));
    if (timeoutMs === Infinity) return;
    const late = () => end(new ToolError(`${tool} took more than ${timeoutMs} ms`, "timeout"));
    timer = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS));
  });
  try {
    return await Promise.race([ended, (async () => work(stop.signal))()]);
  } finally {
    clearTimeout(timer);
    leave?.();
  }
}
