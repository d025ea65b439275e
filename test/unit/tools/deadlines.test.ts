// One timer for all deadlines: what it calls, when, and what it leaves behind; Node.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Deadlines } from "../../../src/tools/deadlines.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("deadlines pass in their own time, whatever order they came in", async () => {
  const deadlines = new Deadlines();
  const passed: string[] = [];
  const add = (ms: number) =>
    deadlines.add(performance.now(), ms, () =>
      passed.push(`${ms} at ${performance.now() - start}`),
    );
  const start = performance.now();
  for (const ms of [30_000, 2, 700, 60]) add(ms);
  await vi.advanceTimersByTimeAsync(50);
  add(1);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(passed).toEqual(["2 at 2", "1 at 51", "60 at 60", "700 at 700", "30000 at 30000"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a thousand short calls set one timer, and it is gone a moment later", async () => {
  const deadlines = new Deadlines();
  const set = vi.spyOn(globalThis, "setTimeout");
  const passed = vi.fn();
  for (let n = 0; n < 1_000; n++)
    deadlines.delete(deadlines.add(performance.now(), 30_000, passed));
  expect(set).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(5);
  expect(vi.getTimerCount()).toBe(0);
  expect(passed).not.toHaveBeenCalled();
});

test("a deadline deleted after the moment takes its timer along; one that is left keeps it", async () => {
  const deadlines = new Deadlines();
  const passed = vi.fn();
  const first = deadlines.add(performance.now(), 1_000, passed);
  const second = deadlines.add(performance.now(), 2_000, passed);
  await vi.advanceTimersByTimeAsync(100);
  deadlines.delete(first);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(passed).not.toHaveBeenCalled();
  deadlines.delete(second);
  expect(vi.getTimerCount()).toBe(0);
  const third = deadlines.add(performance.now(), 3, passed);
  await vi.advanceTimersByTimeAsync(3);
  expect(passed).toHaveBeenCalledTimes(1);
  deadlines.delete(third);
});
