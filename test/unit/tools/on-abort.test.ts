// Any number of listeners behind one of the signal's own; Node.

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../../src/tools/on-abort.ts";

const count = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;

test("a signal has one listener while anybody waits, and none after", () => {
  const { signal } = new AbortController();
  const leave = Array.from({ length: 50 }, () => onAbort(signal, () => {}));
  expect(count(signal)).toBe(1);
  for (const each of leave.slice(1)) each();
  leave[1]!(); // twice is once
  expect(count(signal)).toBe(1);
  leave[0]!();
  expect(count(signal)).toBe(0);
  onAbort(signal, () => {})();
  expect(count(signal)).toBe(0);
});

test("all who are still there are told, once, in order", () => {
  const controller = new AbortController();
  const told: number[] = [];
  const leave = [0, 1, 2, 3].map((each) => onAbort(controller.signal, () => told.push(each)));
  leave[1]!();
  controller.abort();
  controller.abort();
  expect(told).toEqual([0, 2, 3]);
});

test("who leaves while the others are told is not told", () => {
  const controller = new AbortController();
  const told: string[] = [];
  onAbort(controller.signal, () => {
    told.push("first");
    leave();
  });
  const leave = onAbort(controller.signal, () => told.push("second"));
  controller.abort();
  expect(told).toEqual(["first"]);
});
