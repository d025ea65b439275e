// Lines of the tool protocol and of module inspection, which need no guest; Node.

import Ajv2020 from "ajv/dist/2020.js";
import type { BenchLine } from "./bench-line.ts";
import { benchFrame, benchHostile, benchValidation } from "./door-frames.ts";
import { benchInspect } from "./inspect-lines.ts";
import type { BenchRun } from "./run-bench.ts";

/** Frames, validation beside ajv, hostile frames, inspection beside WebAssembly.validate. */
export async function protocolLines({ root, quick }: BenchRun): Promise<BenchLine[]> {
  const compile = (schema: object) => new Ajv2020({ strict: false }).compile(schema);
  return [
    await benchFrame(quick ? 25 : 60),
    ...(await benchValidation(compile, quick ? 30 : 80)),
    ...(await benchHostile(quick ? 3 : 9)),
    ...(await benchInspect(root, quick ? 3 : 9, quick ? 5 : 11)),
  ];
}
