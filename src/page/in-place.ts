// Whether the workers of a sandbox may make instances ahead of their runs, and put them back instead; page and Node.

import { AHEAD_BYTES, IN_PLACE_BYTES, IN_PLACE_RUNS } from "../limits.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import { ModuleWalker } from "../wasm/module-walker.ts";
import type { LoadCode } from "./deferred-code.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { LoadedModule } from "./load-module.ts";

/**
 * Whether workers may instantiate the module before its run is known: nothing of the guest runs then, and what waits is
 * not large.
 */
export function mayMakeAhead(
  { byteLength, start, memory }: ModuleFacts,
  bytes = AHEAD_BYTES,
): boolean {
  if (byteLength === 0 || start !== undefined || !memory || memory.imported) return false;
  return (memory.initial ?? Infinity) * memory.pageBytes <= bytes;
}

/**
 * Says what keeps an instance of this module from being put back by its memory and globals alone; undefined when nothing
 * does. Reads all of its code, and what code it may load.
 */
export async function whyNotInPlace(
  code: Uint8Array,
  deferred?: LoadCode,
): Promise<string | undefined> {
  const [{ WALK_BODIES }, { whyNoReset, whyNoResetWith }] = await Promise.all([
    import("../wasm/deep-walk.ts"),
    import("../wasm/reset-in-place.ts"),
  ]);
  const factsOf = (bytes: Uint8Array): ModuleFacts => {
    const walker = new ModuleWalker({ memoryBytes: "declared", deep: WALK_BODIES }, () => {});
    walker.push(bytes);
    return walker.end();
  };
  const facts = factsOf(code);
  if (facts.memory?.imported) return "it imports its memory";
  return whyNoReset(facts) ?? (deferred && whyNoResetWith(factsOf(await deferred())));
}

/** What a sandbox knows of putting back, which it finds out once that pays. */
export class InPlace {
  #allowed: boolean;
  /** What is yet to be read. */
  #code: Uint8Array | undefined;
  readonly #deferred: LoadCode | undefined;
  /** Runs that are yet to end before it is. */
  #runs: number;
  #workers: GuestWorker[] = [];

  /**
   * `code`, the module as it was compiled, and what is `deferred` of it are read once so many `runs` are over, and may
   * allow it; without it nothing changes.
   */
  constructor(allowed: boolean, code?: Uint8Array, runs = 1, deferred?: LoadCode) {
    this.#allowed = allowed;
    this.#code = code;
    this.#deferred = deferred;
    this.#runs = runs;
  }

  /** Undefined where a new instance costs less, or the code is not at hand. */
  static of({ code, facts }: LoadedModule, deferred?: LoadCode): InPlace | undefined {
    return code && mayMakeAhead(facts, IN_PLACE_BYTES)
      ? new InPlace(false, code, IN_PLACE_RUNS, deferred)
      : undefined;
  }

  get allowed(): boolean {
    return this.#allowed;
  }

  /** A worker that is told once it may. */
  add(worker: GuestWorker): void {
    if (this.#allowed) return worker.allowInPlace();
    this.#workers = this.#workers.filter(({ over }) => !over);
    this.#workers.push(worker);
  }

  /** A run is over: it did not have to wait for this. */
  async runEnded(): Promise<void> {
    const code = this.#code;
    if (!code || --this.#runs > 0) return;
    this.#code = undefined;
    // Whoever waits for the run hears of it first.
    await new Promise((resolve) => setTimeout(resolve));
    // A part of the library, or of the module's code, that does not load leaves runs with new instances.
    this.#allowed = await whyNotInPlace(code, this.#deferred).then(
      (why) => why === undefined,
      () => false,
    );
    if (!this.#allowed) return;
    for (const worker of this.#workers.splice(0)) if (!worker.over) worker.allowInPlace();
  }
}
