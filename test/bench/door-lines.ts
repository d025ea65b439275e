// Lines of whole door calls: a real guest, an async tool, strict parse, schema check and answer, 100 bytes each way; Node.

import { benchLine, type BenchLine } from "./bench-line.ts";
import type { BenchRun } from "./run-bench.ts";

/** Calls of a batch: many for the clock of a page that is not isolated, which steps by 100 µs. */
const CALLS = { isolated: 50, plain: 200 };

/** Both rungs beside their floors, and the ten-thousandth call beside the tenth. */
export async function doorLines({ browser, quick }: BenchRun): Promise<BenchLine[]> {
  const rounds = quick ? 60 : 150;
  const turns = { rounds, calls: CALLS.isolated };
  const shared = await browser.measure("coi", "sharedDoorCalls", turns);
  const suspending = await browser.measure("plain", "suspendingDoorCalls", {
    rounds: rounds / 2,
    calls: CALLS.plain,
  });
  const late = await browser.measure("coi", "lateDoorCalls", quick ? 7 : 21);
  const name = "door call, 100 bytes each way";
  const unit = "us";
  return [
    benchLine(
      { name, unit, goal: 0.9, peer: "bare SharedArrayBuffer, postMessage, Atomics.wait" },
      shared.ours,
      shared.postMessage,
    ),
    benchLine(
      {
        name,
        unit,
        goal: { above: 6 },
        peer: "bare SharedArrayBuffer, Atomics.waitAsync, Atomics.wait",
      },
      shared.ours,
      shared.waitAsync,
    ),
    benchLine(
      { name: `${name}, suspending`, unit, goal: 1.3, peer: "bare JSPI and postMessage" },
      suspending.ours,
      suspending.floor,
    ),
    benchLine(
      { name: "door call, after 10,000", unit, goal: 1.1, peer: "door call, after 10, same guest" },
      late.late,
      late.early,
    ),
  ];
}
