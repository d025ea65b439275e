// The one clock of an exchange: whatever is waited for ends when it runs out, or when the run is stopped; any realm.

import { HttpFailure } from "./http-failure.ts";

/** Longest delay that timers take. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A running clock. */
export interface Deadline {
  /** Aborts when time is up, or with the run. */
  readonly signal: AbortSignal;
  /** Waits for `work`, but not longer than the clock runs; then throws {@link HttpFailure}. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the clock and lets go of the run's signal. */
  end(): void;
}

/** Starts the clock of one exchange. `limit` says in the message whose limit it was. */
export function startDeadline(ms: number, limit: string, run?: AbortSignal): Deadline {
  const controller = new AbortController();
  let failure: HttpFailure | undefined;
  let fail!: (failure: HttpFailure) => void;
  const aborted = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  aborted.catch(() => {});

  const abort = (reason: HttpFailure): void => {
    failure ??= reason;
    fail(failure);
    controller.abort(failure);
  };
  const stopped = (): void => abort(stopFailure(run?.reason));
  const timer = setTimeout(
    () => abort(new HttpFailure("timeout", `the exchange took longer than ${ms} ms, ${limit}`)),
    Math.min(ms, LONGEST_TIMER_MS),
  );
  run?.addEventListener("abort", stopped, { once: true });
  if (run?.aborted) stopped();

  return {
    signal: controller.signal,
    async race(work) {
      work.catch(() => {}); // It may lose, and fail later with nobody listening.
      try {
        return await Promise.race([work, aborted]);
      } catch (error) {
        // An aborted fetch fails in its own words; ours say why it was aborted.
        throw failure ?? error;
      }
    },
    end() {
      clearTimeout(timer);
      run?.removeEventListener("abort", stopped);
    },
  };
}

/** A run that ended discards the answer; the kind only tells its own time limit from a stop. */
function stopFailure(reason: unknown): HttpFailure {
  const timedOut = reason instanceof Error && reason.name === "TimeoutError";
  return timedOut
    ? new HttpFailure("timeout", "the call ran out of time")
    : new HttpFailure("connection", "the run was stopped during the exchange");
}
