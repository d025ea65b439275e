// The page's watch on the guest's own time: paused while the page is asked, re-armed only when it fires; page and Node.

/** What setTimeout can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls `expired` once the guest's own time passes the limit. A pause costs no timer, so a door call stays cheap. */
export class GuestTimer {
  private readonly limitMs: number;
  private readonly expired: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private startedAt: number | undefined;
  private pausedMs = 0;
  private pausedAt: number | undefined;
  /** The timer fired during a pause and has to be set again after it. */
  private due = false;

  constructor(limitMs: number, expired: () => void) {
    this.limitMs = limitMs;
    this.expired = expired;
  }

  start(): void {
    if (this.startedAt !== undefined) return;
    this.startedAt = performance.now();
    this.arm();
  }

  pause(): void {
    this.pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.pausedAt === undefined) return;
    this.pausedMs += performance.now() - this.pausedAt;
    this.pausedAt = undefined;
    if (this.due) this.arm();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due = false;
  }

  /** Milliseconds of the guest's own time so far. */
  elapsedMs(): number {
    if (this.startedAt === undefined) return 0;
    return (this.pausedAt ?? performance.now()) - this.startedAt - this.pausedMs;
  }

  private arm(): void {
    this.due = false;
    if (this.limitMs === Infinity) return;
    const left = Math.max(0, this.limitMs - this.elapsedMs());
    this.timer = setTimeout(() => this.fire(), Math.min(left, LONGEST_MS));
  }

  private fire(): void {
    if (this.elapsedMs() >= this.limitMs) this.expired();
    else if (this.pausedAt === undefined) this.arm();
    else this.due = true;
  }
}
