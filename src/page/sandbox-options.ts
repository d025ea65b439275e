// What createSandbox takes, checked before anything is loaded; page and Node.

import { SandboxError } from "../errors.ts";
import { MEMORY_BYTES, WASM_PAGE_BYTES } from "../limits.ts";
import type { Transport } from "../wire/messages.ts";
import type { LibraryFiles } from "./library.ts";
import type { ModuleSource } from "./load-module.ts";
import { wrong } from "./run-options.ts";
import { checkSnapshot, type SnapshotOptions } from "./snapshot.ts";

/** What createSandbox takes. */
export interface SandboxOptions {
  /** The guest: a URL, a Response, bytes, or a compiled Module. */
  readonly module: ModuleSource;
  /** A Subresource Integrity value, such as "sha384-…", that the bytes must have. */
  readonly integrity?: string;
  /**
   * Bytes that a guest's memory may grow to; growth past it gives -1. `"declared"` leaves the module as it is.
   * Default 256 MiB.
   */
  readonly memoryBytes?: number | "declared";
  /** Told while the module loads; `total` is unknown when the server packs or does not say. */
  readonly onProgress?: (progress: { loaded: number; total: number | undefined }) => void;
  /** Forces a rung of the ladder; by default the best that the page offers. */
  readonly transport?: Transport;
  /** Guests alive at once; further runs wait. Default 8. */
  readonly maxGuests?: number;
  /** Runs that may wait; beyond it `resource_exhausted`. Default 256. */
  readonly maxQueued?: number;
  /** Starts the worker script another way, for bundlers and policies that want one. */
  readonly worker?: () => Worker;
  /** Lets runs start from the memory of a guest that has been initialized once; see docs/python.md. */
  readonly snapshot?: SnapshotOptions;
  /**
   * Read-only files that every run finds, by absolute path. They are fetched once the first runs are at work; a run that
   * reads one before it is there waits for it.
   */
  readonly library?: LibraryFiles;
  /**
   * A second part of the module's code, for functions that few runs need: it is loaded when the guest first calls
   * `sallyport::load_code`, or soon after the first runs; see docs/deferred-code.md.
   */
  readonly deferredCode?: string | URL | Response | BufferSource;
  /** Ends the loading. */
  readonly signal?: AbortSignal;
}

const KNOWN =
  "module integrity memoryBytes onProgress transport maxGuests maxQueued worker signal snapshot library deferredCode".split(
    " ",
  );

/** The memory limit, once every option has the right type. Throws SandboxError `bad_option`, naming the option. */
export function checkOptions(options: SandboxOptions): number | "declared" {
  if (typeof options !== "object" || options === null) {
    throw new SandboxError("bad_option", "createSandbox takes an object with at least `module`");
  }
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) wrong(name, `unknown; known are ${KNOWN.join(", ")}`);
  }
  if (options.module === undefined || options.module === null) wrong("module", "given");
  const {
    memoryBytes = MEMORY_BYTES,
    maxGuests,
    maxQueued,
    integrity,
    onProgress,
    worker,
    signal,
  } = options;
  if (
    memoryBytes !== "declared" &&
    !(typeof memoryBytes === "number" && memoryBytes >= WASM_PAGE_BYTES && memoryBytes <= 2 ** 32)
  ) {
    wrong("memoryBytes", 'a number of bytes from 65,536 to 4,294,967,296, or "declared"');
  }
  for (const [name, value] of Object.entries({ maxGuests, maxQueued })) {
    const least = name === "maxGuests" ? 1 : 0;
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= 65_536)) {
      wrong(name, `a whole number from ${least} to 65,536`);
    }
  }
  if (integrity !== undefined && typeof integrity !== "string") wrong("integrity", "a string");
  for (const [name, value] of Object.entries({ onProgress, worker })) {
    if (value !== undefined && typeof value !== "function") wrong(name, "a function");
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) wrong("signal", "an AbortSignal");
  if (options.snapshot !== undefined) checkSnapshot(options.snapshot);
  return memoryBytes;
}
