// placeholder until written; Node.
import type { BenchLine } from "./bench-line.ts";
import type { BenchRun } from "./run-bench.ts";
export async function peerLines(_run: BenchRun): Promise<BenchLine[]> {
  return [];
}
