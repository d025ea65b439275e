// What judging one value may cost, whatever the schema: steps counted while a validator works; page, worker and Node.

/** Steps that any value may take, and further ones for each part of it. */
const STEPS = 100_000;
const STEPS_A_PART = 64;
/** Members from which on a list or an object counts each time it is looked through. */
const MANY_MEMBERS = 256;
/** Comparisons that `uniqueItems` may come to: it holds each item against each other. */
const MOST_COMPARISONS = 25_000_000;

/**
 * Counts one schema held against one value as a step. Schemas that lead to the same member twice on each level double
 * the work with every level, so that no bound on the schema's size is a bound on time.
 */
export class Budget {
  readonly #unique: boolean;
  #left = 0;
  #parts = 0;
  #comparisons = 0;

  /** @param unique Whether items are compared with each other somewhere in the schema. */
  constructor(unique: boolean) {
    this.#unique = unique;
  }

  /** A value is about to be copied. */
  reset(): void {
    this.#left = Infinity;
    this.#parts = 0;
    this.#comparisons = 0;
  }

  /** The value is known, its judging starts. @throws RangeError */
  start(): void {
    if (this.#unique && this.#comparisons > MOST_COMPARISONS) throw new RangeError("comparisons");
    this.#left = STEPS + STEPS_A_PART * this.#parts;
  }

  /** @throws RangeError when too much was done */
  readonly step = (): undefined => {
    if (--this.#left < 0) throw new RangeError("steps");
  };

  /** One more part of the value. */
  part(): void {
    this.#parts++;
  }

  /** A list or an object, as validators shall see it: a large one counts whenever its members are gone through. */
  container<T extends object>(copy: T, size: number, partsBefore: number): T {
    if (Array.isArray(copy)) this.#comparisons += size * (this.#parts - partsBefore);
    if (size < MANY_MEMBERS) return copy;
    return new Proxy(copy, {
      get: (target, key) => {
        if (key === "length") this.#take(size);
        return Reflect.get(target, key);
      },
      ownKeys: (target) => {
        this.#take(size);
        return Reflect.ownKeys(target);
      },
    });
  }

  /** Parts so far. */
  get parts(): number {
    return this.#parts;
  }

  #take(steps: number): void {
    this.#left -= steps;
    this.step();
  }
}
