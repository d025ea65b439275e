// Which modules' instances may be put back, and when a sandbox's workers hear of it; Node.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { GuestWorker } from "../../../src/page/guest-worker.ts";
import { InPlace, whyNotInPlace } from "../../../src/page/in-place.ts";
import { boundModule } from "../../../src/wasm/bound-module.ts";

function codeOf(guest: string): Uint8Array {
  const limits = { memoryBytes: 2 ** 28, exportGlobals: true };
  return boundModule(readFileSync(`test/guests/${guest}.wasm`), limits).bytes;
}

/** A worker that says how often it was told. */
class Worker {
  over = false;
  told = 0;

  allowInPlace(): void {
    this.told += 1;
  }
}

function workers(inPlace: InPlace, count: number): Worker[] {
  const made = Array.from({ length: count }, () => new Worker());
  for (const worker of made) inPlace.add(worker as unknown as GuestWorker);
  return made;
}

const told = (all: readonly Worker[]): number[] => all.map((worker) => worker.told);

test.each(["traces", "packages/greet", "packages/todo", "programs/files-rust"])(
  "%s may be put back",
  async (guest) => {
    expect(await whyNotInPlace(codeOf(guest))).toBe(undefined);
  },
);

test.each([
  ["traces-table", "its code writes tables"],
  ["grow-table", "its code writes tables"],
  ["import-memory", "it imports its memory"],
])("%s may not: %s", async (guest, why) => {
  expect(await whyNotInPlace(codeOf(guest))).toBe(why);
});

test("a module whose globals are hidden may not", async () => {
  const code = readFileSync("test/guests/traces.wasm");
  expect(await whyNotInPlace(code)).toBe("it has a mutable global that it does not export");
});

test("workers are told after so many runs, later ones at once, and each only once", async () => {
  const inPlace = new InPlace(false, codeOf("traces"), 3);
  const first = workers(inPlace, 2);
  await inPlace.runEnded();
  await inPlace.runEnded();
  expect([inPlace.allowed, told(first)]).toEqual([false, [0, 0]]);
  first[1]!.over = true;
  await inPlace.runEnded();
  expect([inPlace.allowed, told(first)]).toEqual([true, [1, 0]]);
  const later = workers(inPlace, 1);
  await inPlace.runEnded();
  expect(told([...first, ...later])).toEqual([1, 0, 1]);
});

test("a module that cannot be put back is read once, and nobody is told", async () => {
  const inPlace = new InPlace(false, codeOf("traces-table"));
  const all = workers(inPlace, 1);
  for (let i = 0; i < 3; i++) await inPlace.runEnded();
  expect([inPlace.allowed, told([...all, ...workers(inPlace, 1)])]).toEqual([false, [0, 0]]);
});
