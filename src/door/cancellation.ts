// One listener on a run's signal for all calls in flight; page, worker and Node.

/** Calls that want to hear of a cancelled run. */
export class Cancellation {
  readonly #signal: AbortSignal | undefined;
  readonly #isOwn: boolean;
  #listening = false;
  readonly #listeners = new Set<() => void>();
  readonly #onAbort = () => {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  };

  /** `isOwn`: the signal is gone when the run is, so the listener may stay on it. */
  constructor(signal: AbortSignal | undefined, isOwn: boolean) {
    this.#signal = signal;
    this.#isOwn = isOwn;
  }

  get cancelled(): boolean {
    return this.#signal?.aborted === true;
  }

  /** Calls the listener when the run is cancelled: at once if it is already. */
  add(listener: () => void): void {
    if (this.#signal === undefined) return;
    if (this.#signal.aborted) {
      listener();
      return;
    }
    this.#listeners.add(listener);
    if (this.#listening) return;
    this.#signal.addEventListener("abort", this.#onAbort);
    this.#listening = true;
  }

  delete(listener: () => void): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0 || this.#isOwn) return;
    // A page's signal may outlive many runs, so no listener stays on it without need.
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#listening = false;
  }
}
