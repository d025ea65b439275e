// The stop of one run; page and Node.

/** Told once. Its signal is made for those who want one (tools, a raw door, HTTP, a run that has to wait): it takes longer than all else here. */
export class Stopping {
  private controller: AbortController | undefined;
  private readonly listeners = new Set<() => void>();
  stopped = false;
  /** What the run was stopped with. */
  reason: unknown;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.stopped) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** Only the first counts. */
  stop(reason: unknown): void {
    if (this.stopped) return;
    this.stopped = true;
    this.reason = reason;
    this.controller?.abort(reason);
    for (const listener of this.listeners) listener();
  }

  /** Calls `listener` once it is stopped, now if it is; gives what takes it away again. */
  onStop(listener: () => void): () => void {
    if (this.stopped) listener();
    else this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
