// Turns the problems that an inspection found into an error; anywhere.

import { SandboxError } from "../errors.ts";
import { inspectModule } from "./inspect-module.ts";

/** Throws what `inspectModule` found, if anything. */
export async function refuseProblems(module: Uint8Array<ArrayBuffer>): Promise<void> {
  const { problems } = await inspectModule(module);
  const [first] = problems;
  if (!first) return;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more problems)` : "";
  throw new SandboxError(
    "bad_package",
    `the module is no function package: ${first.message}${more}`,
    {
      data: { problems },
    },
  );
}
