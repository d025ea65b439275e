// Two or more things timed in turns inside one run, so that a busy machine hits all of them alike; page.

/** Does its work `calls` times and says how many milliseconds that took. */
export type Batch = (calls: number) => Promise<number>;

/** Samples by the name of what was timed: microseconds per call. */
export type Samples<Name extends string> = Record<Name, number[]>;

/** How much is timed. */
export interface Turns {
  readonly rounds: number;
  /** Calls of one batch. */
  readonly calls: number;
}

const WARM_UPS = 2;

/** How many calls each of `things` makes in all. */
export function callsInTurns({ rounds, calls }: Turns, things: number): number {
  return (WARM_UPS + rounds) * things * calls;
}

/**
 * Takes `rounds` samples of each thing. In a round each makes as many batches as there are things, once in every place of
 * the order: who comes second finds the machine as the first left it.
 */
export async function inTurns<Name extends string>(
  batches: Record<Name, Batch>,
  { rounds, calls }: Turns,
): Promise<Samples<Name>> {
  const names = Object.keys(batches) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Samples<Name>;
  for (let round = -WARM_UPS; round < rounds; round++) {
    const ms = new Map<Name, number>(names.map((name) => [name, 0]));
    for (let shift = 0; shift < names.length; shift++) {
      for (const name of [...names.slice(shift), ...names.slice(0, shift)]) {
        ms.set(name, ms.get(name)! + (await batches[name](calls)));
      }
    }
    if (round < 0) continue;
    for (const name of names) samples[name].push((ms.get(name)! * 1000) / (calls * names.length));
  }
  return samples;
}

/**
 * The page's end of a guest that asks without a pause: lets it make a batch of calls and holds the next one back, so
 * that something else can be timed while it waits.
 */
export class Turnstile {
  private left = 0;
  private arrive: ((at: number) => void) | undefined;
  private open: (() => void) | undefined;
  private readonly first: Promise<unknown>;

  constructor() {
    this.first = new Promise((resolve) => {
      this.arrive = resolve;
    });
  }

  /** Undefined: answer this call at once. Else: answer it when the promise says so. */
  hold(): Promise<void> | undefined {
    if (this.left-- > 0) return undefined;
    const at = performance.now();
    return new Promise((resolve) => {
      this.open = resolve;
      this.arrive!(at);
    });
  }

  /** From the answer to the call that is held back, to the arrival of the one `calls` later. */
  async batch(calls: number): Promise<number> {
    await this.first;
    const arrived = new Promise<number>((resolve) => {
      this.arrive = resolve;
    });
    this.left = calls - 1;
    const started = performance.now();
    this.open!();
    return (await arrived) - started;
  }

  /** Lets every further call pass. */
  async release(): Promise<void> {
    await this.first;
    this.left = Infinity;
    this.open!();
  }
}
