// How many guests' memories this worker's engine still holds, and a nudge to let go of the dead ones; worker.

/** Dead memories from which on the engine is asked to collect: a browser process holds at most 125 in all. */
const MANY = 8;

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
    this.#registry.register(memory, undefined);
    this.#count++;
  }

  /** Between two runs: makes the engine look for garbage when there is much of it. */
  relieve(): void {
    if (this.#count < this.#next) return;
    this.#next = this.#count + MANY;
    try {
      new ArrayBuffer(PRESSURE_BYTES);
    } catch {
      // There is no room for it: the engine has looked for some.
    }
  }
}
