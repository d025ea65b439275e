// Parts of the playground that compute and need no page: a chart's round numbers, values as one line; Node.

import { describe, expect, test } from "vitest";
import { formatCall, formatValue } from "../../demo/format-value.ts";
import { chartTicks } from "../../demo/panels/chart-ticks.ts";

describe("chartTicks", () => {
  test("bars begin at 0, lines where their values are", () => {
    expect(chartTicks([3, 14], { fromZero: true })).toEqual([0, 5, 10, 15]);
    expect(chartTicks([98, 131], { fromZero: false })).toEqual([80, 100, 120, 140]);
    expect(chartTicks([-3, -14], { fromZero: true })).toEqual([-15, -10, -5, 0]);
  });

  test.each([
    [[0]],
    [[7]],
    [[-7]],
    [[0, 5e-324]],
    [[1e-300, 2e-300]],
    [[1e15, -1e15]],
    [[1e15, 1e15 - 0.125]],
    [[0.1 + 0.2, 0.3]],
  ])("%j gets few ticks, in order, around all values", (values) => {
    for (const fromZero of [true, false]) {
      const ticks = chartTicks(values, { fromZero });
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(6);
      for (const [index, tick] of ticks.entries()) {
        expect(tick).toBeGreaterThan(ticks[index - 1] ?? -Infinity);
      }
      expect(ticks[0]).toBeLessThanOrEqual(Math.min(...values));
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(...values));
    }
  });
});

describe("formatValue", () => {
  test("shows values as Python does", () => {
    const value = { a: [1, 2n ** 70n, null], b: true, "c d": "é\n", bytes: new Uint8Array(3) };
    expect(formatValue(value, 200)).toBe(
      '{"a": [1, 1180591620717411303424, None], "b": True, "c d": "é\\n", "bytes": <3 bytes>}',
    );
    expect(formatCall("light", { x: 1, colour: "red" }, 200)).toBe('light(x=1, colour="red")');
    expect(formatCall("clear", {}, 200)).toBe("clear()");
  });

  test("is never longer than asked for, and quick about it", () => {
    const large = Array.from({ length: 1_000_000 }, (_, index) => index);
    const before = performance.now();
    const text = formatValue({ large, text: "x".repeat(10_000_000) }, 50);
    expect(performance.now() - before).toBeLessThan(100);
    expect(text).toHaveLength(50);
    expect(text.endsWith("…")).toBe(true);
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(formatValue(deep, 1_000)).toBe(`${"[".repeat(65)}…${"]".repeat(65)}`);
  });
});
