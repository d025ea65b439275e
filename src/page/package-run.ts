// What function packages need of a run besides its public options, and of its result; page and Node.

import type { PreopenSpec } from "../files/preopens.ts";
import type { LeftTree } from "../wire/messages.ts";

/** The key of {@link PackageRun} in the options of a run, and of {@link PackageEnd} in its result. Not for callers. */
export const PACKAGE_RUN: unique symbol = Symbol("sallyport.packageRun");

/** A run by ABI 1. */
export interface PackageRun {
  /** Request lines: each comes once the one before was answered. */
  readonly lines: readonly Uint8Array[];
  /** `run.stdin` goes on where the lines end; without it stdin ends once all are answered. */
  readonly more: boolean;
  /** All that the guest sees, in this order; none for no files at all. */
  readonly preopens: readonly PreopenSpec[];
  /** Told what the guest writes, as it comes; must not throw. 1 is stdout, 2 is stderr. Nothing is kept for the result. */
  readonly hear: (stream: 1 | 2, bytes: Uint8Array) => void;
}

/** What such a run left. */
export interface PackageEnd {
  /** The writable trees; only of a guest that ended by itself with code 0. */
  readonly trees: readonly LeftTree[] | undefined;
  /** Bytes of the guest's memory at its end; undefined when it could not be asked. */
  readonly memoryBytes: number | undefined;
}
