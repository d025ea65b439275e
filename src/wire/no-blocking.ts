// The rung below the ladder: no way to block. Guests that never have to run all the same; worker.

import { refuseToWait } from "./blocking-call.ts";
import type { BlockingCaller, BlockingEntry, PlainImport, RunHooks } from "./blocking-call.ts";

/** A caller whose imports work until one would have to wait; that ends the run as `unsupported`. */
export class NoBlockingCaller implements BlockingCaller {
  readonly transport = "none";
  private readonly hooks: RunHooks;

  constructor(hooks: RunHooks) {
    this.hooks = hooks;
  }

  /** Without shared memory and without suspension nobody can reach a running guest; it is terminated instead. */
  stopped(): boolean {
    return false;
  }

  renew(): boolean {
    return true;
  }

  enter(_name: string, call: PlainImport): unknown {
    return call();
  }

  wrap(entries: Readonly<Record<string, BlockingEntry>>): Record<string, PlainImport> {
    return Object.fromEntries(
      Object.entries(entries).map(([name, { run }]) => [
        name,
        (...args) => {
          const step = run(...args);
          return typeof step === "number" ? step : refuseToWait(step, this.hooks);
        },
      ]),
    );
  }
}
