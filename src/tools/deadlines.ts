// The time limits of short pieces of work behind one timer; page, worker and Node.

/** Calls that end within it cost no timer of their own. */
const GRACE_MS = 5;

/** What setTimeout can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** One call's limit. */
export interface Deadline {
  readonly at: number;
  readonly passed: () => void;
}

/**
 * Setting and clearing a timer takes as long as all else that a short call does. So one timer first looks a moment later
 * whether any call is still open, and is set for the earliest deadline only then.
 */
export class Deadlines {
  readonly #open = new Set<Deadline>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer fires. */
  #timerAt = Infinity;
  /** The timer is the short one, which need not be cleared. */
  #grace = false;

  /** Calls `passed` once `ms` have passed since `now`, unless the deadline is deleted before. */
  add(now: number, ms: number, passed: () => void): Deadline {
    const deadline = { at: now + ms, passed };
    this.#open.add(deadline);
    if (deadline.at < this.#timerAt && !(this.#grace && ms >= GRACE_MS)) {
      this.#grace = true;
      this.#set(Math.min(ms, GRACE_MS), now);
    }
    return deadline;
  }

  delete(deadline: Deadline): void {
    this.#open.delete(deadline);
    if (this.#open.size > 0 || this.#grace) return;
    clearTimeout(this.#timer);
    this.#timerAt = Infinity;
  }

  #set(ms: number, now: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = now + ms;
    // One that is set too early for its deadline is set again when it fires.
    this.#timer = setTimeout(() => this.#fire(), Math.min(ms, LONGEST_MS));
  }

  #fire(): void {
    this.#grace = false;
    this.#timerAt = Infinity;
    const now = performance.now();
    let next = Infinity;
    for (const deadline of this.#open) {
      if (deadline.at > now) {
        next = Math.min(next, deadline.at);
      } else {
        this.#open.delete(deadline);
        deadline.passed();
      }
    }
    if (next < this.#timerAt) this.#set(next - now, now);
  }
}
