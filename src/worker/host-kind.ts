// What the imports of a run depend on: runs that are alike in it may have the same host; worker.

import type { PreopenSpec } from "../files/preopens.ts";
import type { RunInit } from "../wire/messages.ts";

/** What of a run its imports depend on. All else may differ between runs that have the same host. */
export interface HostKind {
  readonly door: boolean;
  readonly http: boolean;
  readonly abi1: boolean;
  /** A preopen is a granted folder. */
  readonly granted: boolean;
}

/** The kind that a run needs. */
export function hostKind(init: RunInit<PreopenSpec>): HostKind {
  return {
    door: init.door,
    http: init.http,
    abi1: init.abi1 === true,
    granted: init.preopens.some(({ source }) => source.kind === "folder"),
  };
}
