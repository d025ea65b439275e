// One listener on a run's signal for all calls in flight, there only while some are; page, worker and Node.

/** Calls that want to hear of a cancelled run. */
export class Cancellation {
  readonly #signal: AbortSignal | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #onAbort = () => {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  };

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
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
    // A page's signal may outlive many runs, so no listener stays on it without need.
    if (this.#listeners.size === 0) this.#signal.addEventListener("abort", this.#onAbort);
    this.#listeners.add(listener);
  }

  delete(listener: () => void): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }
}
