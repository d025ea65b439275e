// Carries a Step to its end in plain Node, where the main thread may sleep: the least of all rungs, for tests.

import type { CallAnswer, CallKind, Step } from "../../../src/wire/blocking-call.ts";
import { encodeNumber } from "../../../src/wire/messages.ts";

const idle = new Int32Array(new SharedArrayBuffer(4));

/** Answers every call as a page does that has no input and takes all output at once. */
function emptyPage(kind: CallKind): CallAnswer {
  return { ok: true, bytes: kind === "stdin" ? new Uint8Array(0) : encodeNumber(0) };
}

/** The value of a step, after its waits. */
export function finishStep(
  step: Step,
  answer: (kind: CallKind, request: Uint8Array) => CallAnswer = emptyPage,
): number {
  while (typeof step !== "number") {
    if (step.wait === "call") step = step.resume(answer(step.kind, step.request));
    else if (step.wait === "sleep") {
      Atomics.wait(idle, 0, 0, step.ms);
      step = step.resume();
    } else throw new Error("WASI enters no export");
  }
  return step;
}
