// How many guests' memories this worker's engine still holds, and a nudge to let go of the dead ones; worker.

/** Dead memories from which on the engine is asked to collect: a browser process holds at most 125 in all. */
const MANY = 24;

/** The same by their size: an engine is in no hurry to give back what guests have touched. */
const MUCH_BYTES = 64 * 2 ** 20;

/** A worker without work for so long gives back what it can. */
const IDLE_MS = 250;

/** More than an engine takes without a look at what it could free; never touched, so it costs no memory. */
const PRESSURE_BYTES = 2 ** 28;

/**
 * A guest's memory lives on until its worker's engine collects, which small guests give it little reason to do. Counting
 * what was really collected lets a worker serve any number of runs.
 */
export class HeldMemories {
  #count = 0;
  /** The count at which the engine is asked next. */
  #next = MANY;
  /** Bytes of memories that died since it was asked last. */
  #bytes = 0;
  /** The last run's memory is one that no run had before. */
  #fresh = false;
  #runs = 0;
  #waiting = false;
  readonly #known = new WeakSet<WebAssembly.Memory>();
  readonly #registry = new FinalizationRegistry<undefined>(() => {
    this.#count--;
    this.#next = Math.max(MANY, Math.min(this.#next, this.#count + MANY));
  });

  /** Memories of guests, living or dead, that are not collected yet. */
  get count(): number {
    return this.#count;
  }

  add(memory: WebAssembly.Memory): void {
    if (this.#known.has(memory)) return;
    this.#known.add(memory);
    this.#fresh = true;
    this.#registry.register(memory, undefined);
    this.#count++;
  }

  /** After a run whose guest had so many bytes: makes the engine look for garbage when there is much of it. */
  relieve(bytes: number): void {
    this.#runs++;
    if (this.#fresh) this.#bytes += bytes;
    this.#fresh = false;
    if (this.#count >= this.#next || this.#bytes >= MUCH_BYTES) this.#collect();
    this.#watchIdle();
  }

  #collect(): void {
    this.#next = this.#count + MANY;
    this.#bytes = 0;
    try {
      new ArrayBuffer(PRESSURE_BYTES);
    } catch {
      // There is no room for it: the engine has looked for some.
    }
  }

  /** One timer at a time, whatever the number of runs. */
  #watchIdle(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const runs = this.#runs;
    setTimeout(() => {
      this.#waiting = false;
      if (this.#runs !== runs) this.#watchIdle();
      else if (this.#bytes > 0) this.#collect();
    }, IDLE_MS);
  }
}
