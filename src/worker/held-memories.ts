// How many guests' memories this worker's engine still holds, and a nudge to let go of the dead ones; worker.

/**
 * The same as a number of memories, by their size. An engine looks for them by itself once there are 64 MiB more, and what
 * it does then costs a run less than what it is asked for.
 */
const MUCH_BYTES = 128 * 2 ** 20;

/** A worker without work for so long gives back what it can. */
export const IDLE_MS = 250;

/**
 * As much as makes an engine begin to look for what it could free, bit by bit; never touched, so it costs no memory. Of
 * more it would make one long pause.
 */
const PRESSURE_BYTES = 2 ** 26;

/** What it has begun takes it some runs. It is asked again after so many, until the memories go. */
const AGAIN = 12;

/**
 * A guest's memory lives on until its worker's engine collects, which small guests give it little reason to do. Counting
 * what was really collected lets a worker serve any number of runs.
 */
export class HeldMemories {
  #count = 0;
  /** The count at which the engine is asked next. */
  #next = 0;
  /** Bytes of memories that died since it was asked last. */
  #bytes = 0;
  /** The last run's memory is one that no run had before. */
  #fresh = false;
  #runs = 0;
  #waiting = false;
  readonly #known = new WeakSet<WebAssembly.Memory>();
  readonly #letGo: () => number;
  readonly #registry = new FinalizationRegistry<undefined>(() => this.#count--);

  /** `letGo` is called when there was no work for a while: it drops what it kept, and gives its bytes. */
  constructor(letGo: () => number = () => 0) {
    this.#letGo = letGo;
  }

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

  /**
   * After a run whose guest had so many bytes: makes the engine look for garbage when there is much of it. `many` is the
   * number of memories from which on it is asked to.
   */
  relieve(bytes: number, many: number): void {
    this.#runs++;
    if (this.#count < many) this.#next = many;
    if (this.#fresh) this.#bytes += bytes;
    this.#fresh = false;
    if (this.#count >= this.#next || this.#bytes >= MUCH_BYTES) this.#collect();
    this.#watchIdle();
  }

  #collect(): void {
    this.#next = this.#count + AGAIN;
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
      if (this.#runs !== runs) return this.#watchIdle();
      this.#bytes += this.#letGo();
      if (this.#bytes > 0) this.#collect();
    }, IDLE_MS);
  }
}
