// Every case of the common suite, by name; page and Node.

import type { Case } from "./case.ts";
import broken from "./break.cases.ts";
import deferredCode from "./deferred-code.cases.ts";
import doctor from "./doctor.cases.ts";
import door from "./door.cases.ts";
import early from "./early.cases.ts";
import files from "./files.cases.ts";
import folder from "./folder.cases.ts";
import load from "./load.cases.ts";
import packageContent from "./package-content.cases.ts";
import packageLimits from "./package-limits.cases.ts";
import packageLoad from "./package-load.cases.ts";
import packageVolume from "./package-volume.cases.ts";
import packages from "./package.cases.ts";
import parked from "./parked.cases.ts";
import python from "./python.cases.ts";
import run from "./run.cases.ts";
import stop from "./stop.cases.ts";

export const ALL: ReadonlyMap<string, Case> = new Map(
  [
    ...load,
    ...deferredCode,
    ...early,
    ...broken,
    ...doctor,
    ...run,
    ...files,
    ...door,
    ...stop,
    ...python,
    ...folder,
    ...packageContent,
    ...packageLimits,
    ...packageLoad,
    ...packages,
    ...packageVolume,
    ...parked,
  ].map((entry) => [entry.name, entry]),
);

/**
 * How often a case may be tried again: those that hold a promise about time (within 250 ms) may meet a machine that was
 * busy elsewhere for as long; a promise that is broken stays broken.
 */
export function retriesOf(name: string): number {
  return /^(stop|health|break):|sleep|seconds/.test(name) ? 2 : 0;
}
