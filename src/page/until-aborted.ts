// Waits for work, but no longer than until a signal aborts; page and Node.

import { onAbort } from "../tools/on-abort.ts";

/** Rejects with the signal's reason as soon as that aborts, whatever is still under way. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return work;
  let leave!: () => void;
  const aborted = new Promise<never>((_, reject) => {
    leave = onAbort(signal, () => reject(signal.reason));
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    leave();
  }
}
