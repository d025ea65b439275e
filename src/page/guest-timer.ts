// The page's watch on the guest's own time: paused while the page is asked, re-armed only when it fires; page and Node.

/** What setTimeout can hold. */
const LONGEST_MS = 2 ** 31 - 1;
/** A timer that comes so much later than it should says that the page was busy. */
const LATE_MS = 20;
/** How often a late timer waits a moment for calls that came while the page was busy. */
const SECOND_LOOKS = 3;
const SECOND_LOOK_MS = 10;

/** What the guest's side knows of its time. The page alone cannot tell for how long a call has waited to be heard. */
export interface GuestAccount {
  /** Milliseconds of the guest's own time when it last began to wait for the page. */
  spentMs(): number;
  /** True when a call lies ready that the page has not heard yet. */
  waiting(): boolean;
}

/** Calls `expired` once the guest's own time passes the limit. A pause costs no timer, so a door call stays cheap. */
export class GuestTimer {
  private readonly limitMs: number;
  private readonly expired: () => void;
  private account: GuestAccount = { spentMs: () => 0, waiting: () => false };
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** When the guest began, or was last answered. */
  private since: number | undefined;
  private paused = false;
  /** The timer fired during a pause and has to be set again after it. */
  private due = false;
  private dueAt = 0;
  private looks = 0;

  constructor(limitMs: number, expired: () => void) {
    this.limitMs = limitMs;
    this.expired = expired;
  }

  /** Where to ask for the guest's own count. */
  follow(account: GuestAccount): void {
    this.account = account;
  }

  start(): void {
    if (this.since !== undefined) return;
    this.since = performance.now();
    this.arm();
  }

  pause(): void {
    this.paused = true;
  }

  resume(now = performance.now()): void {
    if (!this.paused) return;
    this.paused = false;
    this.since = now;
    if (this.due) this.arm();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due = false;
  }

  /** Milliseconds of the guest's own time so far. */
  elapsedMs(): number {
    if (this.since === undefined) return 0;
    const spent = this.account.spentMs();
    return this.paused || this.account.waiting() ? spent : spent + performance.now() - this.since;
  }

  private arm(): void {
    this.due = false;
    this.looks = 0;
    if (this.limitMs !== Infinity) this.wait(Math.max(1, this.limitMs - this.elapsedMs()));
  }

  private wait(ms: number): void {
    const wait = Math.min(ms, LONGEST_MS);
    this.dueAt = performance.now() + wait;
    this.timer = setTimeout(() => this.fire(), wait);
  }

  private fire(): void {
    if (this.elapsedMs() < this.limitMs) {
      if (this.paused) this.due = true;
      else this.arm();
    } else if (performance.now() - this.dueAt > LATE_MS && this.looks < SECOND_LOOKS) {
      this.looks += 1;
      this.wait(SECOND_LOOK_MS);
    } else this.expired();
  }
}
