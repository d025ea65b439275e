// Going on after a wait; worker.

import type { CallAnswer, Pending, Step } from "../../wire/blocking-call.ts";

/** Applies `done` to the number in which a step ends, now or after its waits. */
export function settle(step: Step, done: (value: number) => number): Step {
  if (typeof step === "number") return done(step);
  // WASI waits for answers and for time, and goes on with the one or with nothing; it enters no export.
  const resume = step.resume as (answer?: CallAnswer) => Step;
  return { ...step, resume: (answer?: CallAnswer) => settle(resume(answer), done) } as Pending;
}
