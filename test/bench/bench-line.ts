// One line of the bench: what we took, what stood beside it in the same run, and whether the goal was met; Node and pages.

/** One line of `npm run bench`; docs/performance.md says how to read it. */
export interface BenchLine {
  readonly name: string;
  /** Our samples, in `unit`. */
  readonly median: number;
  readonly min: number;
  readonly unit: string;
  /** The median of what was measured beside us, in `unit`. */
  readonly floor: number;
  /** The median of each of our samples divided by the sample beside it. */
  readonly ratio: number;
  /** The ratio that we want to stay at or below. */
  readonly goal: number;
  readonly met: boolean;
  /** What `floor` measured. */
  readonly peer: string;
}

/** What a line says besides its numbers. */
export interface LineTexts {
  readonly name: string;
  readonly unit: string;
  readonly peer: string;
  /** A ratio; or how many `unit`s above the floor are still good, which makes a ratio of this run's own floor. */
  readonly goal: number | { readonly above: number };
}

/**
 * Makes a line of samples that were taken in turns: `ours[i]` was taken right beside `floors[i]`, so that whatever else
 * the machine did meanwhile hit both.
 *
 * @example
 * benchLine({ name: "door call", unit: "us", peer: "bare ping-pong", goal: 0.9 }, [18, 19], [24, 27]).ratio; // 0.73
 */
export function benchLine(
  { name, unit, peer, goal }: LineTexts,
  ours: readonly number[],
  floors: readonly number[],
): BenchLine {
  if (ours.length === 0 || ours.length !== floors.length) {
    throw new Error(`${name}: ${ours.length} samples beside ${floors.length}`);
  }
  const floor = median(floors);
  const ratio = round(median(ours.map((value, index) => value / floors[index]!)));
  const limit = round(typeof goal === "number" ? goal : (floor + goal.above) / floor);
  return {
    name,
    median: round(median(ours)),
    min: round(Math.min(...ours)),
    unit,
    floor: round(floor),
    ratio,
    goal: limit,
    met: ratio <= limit,
    peer,
  };
}

/** The middle value; the upper of the two in the middle of an even number. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Four digits: more would only be noise. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}
