// The guest's clocks: the host's, or a fixed one for runs that repeat exactly; worker.

/** Clocks of a run, in milliseconds (with fractions). */
export interface Clock {
  /** Since 1970. */
  realtime(): number;
  /** The same, for files: as cheap as can be, and at most a millisecond behind. */
  fileTime(): number;
  /** Since an arbitrary moment; never goes back. */
  monotonic(): number;
  /** Time spent computing: what the run has taken so far without its sleeps and waits. */
  cpu(): number;
  /** Resolution in nanoseconds. */
  readonly resolution: number;
  /** How long a wait of `ms` really has to be; a fixed clock moves on at once instead. */
  wait(ms: number): number;
  /** A wait is over; `ms` is how long it took, as far as the caller knows. */
  waited(ms: number): void;
}

/** How often the two clocks of the host are compared. */
const COMPARE_MS = 500;

/** The host's clocks. */
export class HostClock implements Clock {
  readonly resolution: number;
  readonly #start = performance.now();
  #offset = performance.timeOrigin;
  #compared = Number.NEGATIVE_INFINITY;
  #tick = 0;
  #tickTime = 0;
  #waited = 0;

  constructor() {
    // Browsers round performance.now() to 5 µs where the page is isolated, to 100 µs elsewhere.
    const isolated = (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated;
    this.resolution = isolated === undefined ? 1_000 : isolated ? 5_000 : 100_000;
  }

  realtime(): number {
    const now = performance.now();
    if (now - this.#compared > COMPARE_MS) {
      this.#compared = now;
      // Date.now() follows the system's clock, performance.now() has the fractions; sleep of the machine parts them.
      const offset = Date.now() - now;
      if (Math.abs(offset - this.#offset) > 20) this.#offset = offset;
    }
    return now + this.#offset;
  }

  fileTime(): number {
    // Date.now() takes a quarter of the time that performance.now() takes in a browser.
    const tick = Date.now();
    if (tick !== this.#tick) {
      this.#tick = tick;
      this.#tickTime = this.realtime();
    }
    return this.#tickTime;
  }

  monotonic(): number {
    return performance.now();
  }

  cpu(): number {
    return Math.max(0, performance.now() - this.#start - this.#waited);
  }

  wait(ms: number): number {
    return ms;
  }

  waited(ms: number): void {
    this.#waited += ms;
  }
}

/** A clock that stands still and moves only by what the guest sleeps. */
export class FixedClock implements Clock {
  readonly resolution = 1_000_000;
  readonly #start: number;
  #slept = 0;

  constructor(timeMs: number) {
    this.#start = timeMs;
  }

  realtime(): number {
    return this.#start + this.#slept;
  }

  fileTime(): number {
    return this.realtime();
  }

  monotonic(): number {
    return this.#slept;
  }

  cpu(): number {
    return 0;
  }

  wait(ms: number): number {
    // A microsecond more, as real sleeps have it: rounding must not leave the guest short of its deadline.
    this.#slept += ms + 0.001;
    return 0;
  }

  waited(): void {}
}
