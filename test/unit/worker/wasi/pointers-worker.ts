// The pointer checks in a worker of a browser, one memory for all: what a test bundles and starts; worker.

import { CASES } from "./pointer-cases.ts";
import { checkEnds, checkHigh, checkImport, checkVectors, makeGuest } from "./pointer-checks.ts";

/** What came of it. */
export interface PointersReport {
  /** Why the browser gave no memory. */
  readonly refused?: string;
  readonly imports: number;
  readonly problems: readonly string[];
}

/** Pages of 64 KiB past which there are pointers that are negative as WebAssembly passes them. */
const HALF = 32_768;

function check(pages: number): PointersReport {
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial: pages });
  } catch (error) {
    return { refused: String(error), imports: 0, problems: [] };
  }
  const names = Object.keys(CASES);
  const problems = [
    ...names.flatMap((name) => checkImport(makeGuest(memory), name)),
    ...checkEnds(makeGuest(memory)),
    ...checkVectors(makeGuest(memory)),
    ...(pages > HALF ? checkHigh(memory) : []),
  ];
  return { imports: names.length, problems };
}

addEventListener("message", ({ data }: MessageEvent<number>) => postMessage(check(data)));
