// The round numbers beside a chart; page and Node.

/** Below this share of the values' size a difference is only rounding, and below the second number it is nothing. */
const SMALLEST_SHARE = 1e-9;
const SMALLEST = 1e-100;

/**
 * From two to six round numbers in even steps, the first at most the least value, the last at least the greatest.
 * With `fromZero`, 0 is among them: a bar's length means something only from there.
 *
 * @example
 * chartTicks([3, 14], { fromZero: true }); // [0, 5, 10, 15]
 */
export function chartTicks(
  values: readonly number[],
  { fromZero }: { readonly fromZero: boolean },
): number[] {
  let low = Math.min(...values);
  let high = Math.max(...values);
  const flat = high - low <= Math.max(Math.abs(low), Math.abs(high)) * SMALLEST_SHARE;
  if (fromZero || flat) [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (high - low < SMALLEST) high = low + 1;
  const rough = (high - low) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(high / step) - first);
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
}
