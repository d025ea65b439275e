// The guest's own time: computing, sleeping, polling; it stands still while the page is asked. Worker.

/** Counts the milliseconds that are the guest's own, against a limit. */
export class GuestClock {
  readonly #limitMs: number;
  readonly #startedAt = performance.now();
  #pausedMs = 0;
  #pausedAt: number | undefined;

  /** `limitMs` may be Infinity. */
  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Gives the milliseconds spent so far. */
  pause(): number {
    this.#pausedAt ??= performance.now();
    return this.#pausedAt - this.#startedAt - this.#pausedMs;
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    this.#pausedMs += performance.now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  /** Milliseconds left, never below zero. */
  remainingMs(): number {
    if (this.#limitMs === Infinity) return Infinity;
    const now = this.#pausedAt ?? performance.now();
    return Math.max(0, this.#limitMs - (now - this.#startedAt - this.#pausedMs));
  }
}
