// The workers of one sandbox: how many guests live at once, who waits, which workers are used again; page and Node.

import { SandboxError } from "../errors.ts";
import { TERMINATE_GRACE_MS } from "../limits.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { Stopping } from "./stopping.ts";

/** Idle workers kept for the next runs. */
const SPARE_WORKERS = 2;

/** More of them go once they were not needed for so long: runs that end together are often followed by as many. */
const SPARE_MS = 200;

/**
 * Memories that a worker's engine may hold, dead ones counted: a browser process holds at most 125. A worker sees to it
 * that there are fewer; one whose engine does not collect is replaced.
 */
const MEMORIES_PER_WORKER = 100;

interface Waiter {
  readonly place: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Hands out workers, at most `maxGuests` at once; the rest wait in order. */
export class WorkerPool {
  private readonly makeWorker: () => Promise<GuestWorker>;
  private readonly maxGuests: number;
  private readonly maxQueued: number;
  private readonly idle: GuestWorker[] = [];
  private readonly waiting: Waiter[] = [];
  /** Workers that start though the run that asked for them has gone; the next run takes them. */
  private readonly coming = new Set<Promise<GuestWorker>>();
  /** A worker that has had its runs, kept for a page that cannot load another one: offline, say. */
  private reserve: GuestWorker | undefined;
  private readonly graceTimers = new Set<ReturnType<typeof setTimeout>>();
  /** Ends idle workers; `unused` of them were not needed since it was set. */
  private trimTimer: ReturnType<typeof setTimeout> | undefined;
  private unused = 0;
  private busy = 0;
  private closed = false;

  constructor(makeWorker: () => Promise<GuestWorker>, maxGuests: number, maxQueued: number) {
    this.makeWorker = makeWorker;
    this.maxGuests = maxGuests;
    this.maxQueued = maxQueued;
  }

  /** Puts a worker that is up at the disposal of the next run. */
  add(worker: GuestWorker): void {
    this.idle.push(worker);
  }

  /**
   * A worker for one run. Rejects with SandboxError `resource_exhausted` when too many wait already, `closed` after
   * close(), `worker_failed` when none starts, and with the stop's reason when that comes first.
   */
  async acquire(stopping: Stopping): Promise<GuestWorker> {
    if (this.closed) throw closedError();
    if (this.busy >= this.maxGuests) await this.wait(stopping.signal);
    else this.busy += 1;
    // From here this run holds a place, and gives it back if no worker comes of it.
    try {
      if (stopping.stopped) throw stopping.reason;
      return this.takeIdle() ?? (await this.takeNew(stopping.signal));
    } catch (error) {
      this.freePlace();
      throw error;
    }
  }

  /** Takes a worker back after a run that ended by itself. */
  release(worker: GuestWorker): void {
    this.freePlace();
    this.spare(worker);
  }

  /** Ends the idle workers, so that what their guests left is given back. */
  drain(): void {
    for (const worker of this.idle.splice(0)) worker.terminate();
    this.reserve?.terminate();
    this.reserve = undefined;
  }

  /** Ends a worker. A guest that did not stop may go on computing for a while, and keeps its place as long. */
  discard(worker: GuestWorker, computing: boolean): void {
    if (worker.over || this.closed || !computing) {
      worker.terminate();
      return this.freePlace();
    }
    worker.terminate();
    const timer = setTimeout(() => {
      this.graceTimers.delete(timer);
      this.freePlace();
    }, TERMINATE_GRACE_MS);
    this.graceTimers.add(timer);
    this.holdProcess();
  }

  close(): void {
    this.closed = true;
    this.drain();
    for (const { refuse } of this.waiting.splice(0)) refuse(closedError());
    for (const timer of this.graceTimers) clearTimeout(timer);
    clearTimeout(this.trimTimer);
  }

  /** Keeps a worker for later, if that is worth it. */
  private spare(worker: GuestWorker): void {
    const spent = worker.memories > MEMORIES_PER_WORKER;
    if (this.closed || worker.over) worker.terminate();
    else if (!spent) {
      this.idle.push(worker);
      this.trimLater();
    } else if (this.reserve) worker.terminate();
    else this.reserve = worker;
  }

  private trimLater(): void {
    if (this.trimTimer !== undefined || this.idle.length <= SPARE_WORKERS) return;
    this.unused = this.idle.length;
    this.trimTimer = setTimeout(() => {
      this.trimTimer = undefined;
      const many = Math.max(0, this.unused - SPARE_WORKERS);
      for (const worker of this.idle.splice(0, many)) worker.terminate();
      this.trimLater();
    }, SPARE_MS);
    (this.trimTimer as { unref?: () => void }).unref?.(); // Node may end before
  }

  /** A worker that has never run, or the reserve where none starts. */
  private async makeFresh(): Promise<GuestWorker> {
    try {
      const worker = await this.makeWorker();
      this.reserve?.terminate();
      this.reserve = undefined;
      return worker;
    } catch (error) {
      const worker = this.reserve;
      this.reserve = undefined;
      if (worker && !worker.over) return worker;
      throw error;
    }
  }

  /** A stopped run does not wait for its worker to come up. */
  private takeNew(signal: AbortSignal): Promise<GuestWorker> {
    const [coming] = this.coming;
    const made = coming ?? this.makeFresh();
    this.coming.delete(made);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.coming.add(made);
        const settle = (worker?: GuestWorker): void => {
          if (this.coming.delete(made) && worker) this.spare(worker);
        };
        made.then(settle, () => settle());
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      const arrive = (action: () => void): void => {
        signal.removeEventListener("abort", leave);
        action();
      };
      made.then(
        (worker) => arrive(() => resolve(worker)),
        (error) => arrive(() => reject(error)),
      );
    });
  }

  /** Node: only a run that waits for a place may have the process wait, too. */
  private holdProcess(): void {
    for (const timer of this.graceTimers) {
      const { ref, unref } = timer as { ref?: () => void; unref?: () => void };
      (this.waiting.length > 0 ? ref : unref)?.call(timer);
    }
  }

  private takeIdle(): GuestWorker | undefined {
    for (;;) {
      const worker = this.idle.pop();
      this.unused = Math.min(this.unused, this.idle.length);
      if (!worker || !worker.over) return worker;
    }
  }

  private wait(signal: AbortSignal): Promise<void> {
    if (this.waiting.length >= this.maxQueued) {
      throw new SandboxError(
        "resource_exhausted",
        `${this.maxGuests} guests are alive and ${this.waiting.length} runs wait already; wait for some to end, or ` +
          "raise maxGuests or maxQueued",
        { data: { maxGuests: this.maxGuests, maxQueued: this.maxQueued } },
      );
    }
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal.reason);
      };
      const leave = (): void => signal.removeEventListener("abort", abort);
      const waiter: Waiter = {
        place: () => {
          leave();
          resolve();
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      signal.addEventListener("abort", abort, { once: true });
      this.waiting.push(waiter);
      this.holdProcess();
    });
  }

  /** The place goes to the first who waits, else it is free. */
  private freePlace(): void {
    const next = this.waiting.shift();
    if (next) next.place();
    else this.busy -= 1;
  }
}

/** The error for everything asked of a sandbox after close(). */
export function closedError(): SandboxError {
  return new SandboxError("closed", "the sandbox is closed; create another one");
}
