// How much a run may ask of its page: frames and request bytes; page, worker and Node.

import { SandboxError } from "../errors.ts";
import { BUDGET_BYTES, BUDGET_FRAMES } from "../limits.ts";

/** The limits of a run's frames; Infinity for no limit. */
export interface BudgetOptions {
  /** Frames, discovery included; 1,000 by default. */
  readonly frames?: number;
  /** Bytes of requests; 16 MiB by default. */
  readonly bytes?: number;
}

/** Counts every frame, also those that are refused. */
export class Budget {
  readonly #frameLimit: number;
  readonly #byteLimit: number;
  #frames = 0;
  #bytes = 0;

  /** @throws SandboxError `bad_option` */
  constructor(options: BudgetOptions = {}) {
    this.#frameLimit = limit("frames", options.frames ?? BUDGET_FRAMES);
    this.#byteLimit = limit("bytes", options.bytes ?? BUDGET_BYTES);
  }

  /** Counts a frame; the bytes of one that was too long to be read do not count. What is used up, if anything is. */
  charge(bytes: number): string | undefined {
    this.#frames++;
    this.#bytes += bytes;
    if (this.#frames > this.#frameLimit) {
      return `the run's budget of ${this.#frameLimit} frames is used up`;
    }
    if (this.#bytes > this.#byteLimit) {
      return `the run's budget of ${this.#byteLimit} request bytes is used up`;
    }
    return undefined;
  }
}

function limit(name: string, value: unknown): number {
  if (value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 0)) {
    return value as number;
  }
  throw new SandboxError(
    "bad_option",
    `budget.${name} must be an integer of at least 0, or Infinity`,
  );
}
