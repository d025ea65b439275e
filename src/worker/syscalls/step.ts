// Going on after a wait; worker.

import type { CallAnswer, Step } from "../../wire/blocking-call.ts";

/** Applies `done` to the number in which a step ends, now or after its waits. */
export function settle(step: Step, done: (value: number) => number): Step {
  if (typeof step === "number") return done(step);
  if (step.wait === "sleep") return { ...step, resume: () => settle(step.resume(), done) };
  if (step.wait === "call") {
    return { ...step, resume: (answer: CallAnswer) => settle(step.resume(answer), done) };
  }
  return {
    ...step,
    resume: (value: unknown) => settle(step.resume(value), done),
    failed: (error: unknown) => settle(step.failed(error), done),
  };
}
