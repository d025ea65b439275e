// The host of a worker's last run, kept for one of the same kind, with an instance made while nothing is to be done; worker.
//
// A run that comes soon after another is likely to be followed by a third. Its instance is made then, ahead of it: as
// fresh as one made later, since nothing ran in it. Where the page has read the module's code, and found that memory and
// globals are all that a run can change, the instance of the last run is put back instead: that is quicker, and a memory
// that lives on is none that the engine has to free.

import type { PreopenSpec } from "../files/preopens.ts";
import type { BlockingCaller, RunHooks } from "../wire/blocking-call.ts";
import type { RunChannel, RunInit, RunOutcome } from "../wire/messages.ts";
import { GuestHost } from "./guest-host.ts";
import { IDLE_MS } from "./held-memories.ts";
import { hostKind } from "./host-kind.ts";
import type { DeferredCode } from "./load-code.ts";
import { importMemory } from "./run.ts";

/** A worker whose run has ended waits so long in place for the next. It hears nothing else then, unless the page lets it go. */
export const PARK_MS = 20;

/** After so many runs without its event loop what else there is to do gets its turn: timers, the engine's own work. */
const IN_A_ROW = 32;

/** What a caller depends on. */
export interface CallerKind {
  readonly transport: RunChannel["transport"];
  readonly ring: boolean;
}

/** Makes the rung's worker half; `of.run` is the run that it speaks for, another one each time. */
export type MakeCaller = (
  kind: CallerKind,
  of: { readonly run: number },
  hooks: RunHooks,
) => BlockingCaller;

/** A host and what it was made for. */
interface Made {
  readonly host: GuestHost;
  readonly key: string;
  readonly of: { run: number };
}

/** Hands out the host of each run. */
export class KeptHost {
  readonly #makeCaller: MakeCaller;
  readonly #code: DeferredCode;
  #module: WebAssembly.Module | undefined;
  #mayMakeAhead = false;
  #inPlace = false;
  #made: Made | undefined;
  /** When the last run ended, and whether another had ended shortly before: a third is likely then. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #soon = false;
  /** Runs that were waited for in place, one after the other. */
  #inARow = 0;

  constructor(makeCaller: MakeCaller, code: DeferredCode) {
    this.#makeCaller = makeCaller;
    this.#code = code;
  }

  /** Hosts are made of this module from now on; `mayMakeAhead`: instances, too, before their run is known. */
  use(module: WebAssembly.Module, mayMakeAhead = false): void {
    this.#module = module;
    this.#mayMakeAhead = mayMakeAhead;
    this.#inPlace = false;
    this.#made = undefined;
  }

  /** From now on instances may be put back. */
  allowInPlace(): void {
    this.#inPlace = true;
  }

  /** The host of a run that begins. Throws SandboxError `resource_exhausted`. */
  take(init: RunInit<PreopenSpec>, { run, transport, ring }: RunChannel): GuestHost {
    const kind = { ...hostKind(init), transport, ring: ring === true };
    const key = Object.values(kind).join();
    const known = this.#made;
    if (known && !init.importedMemory && known.key === key) {
      known.of.run = run;
      return known.host;
    }
    const of = { run };
    const makeCaller = (hooks: RunHooks): BlockingCaller => this.#makeCaller(kind, of, hooks);
    const host = new GuestHost(this.#module!, kind, makeCaller, {
      code: this.#code,
      memory: importMemory(init),
    });
    this.#made = { host, key, of };
    return host;
  }

  /** A run ends. Whether the next is to be waited for in place, if nothing is in the way of that (`may`). */
  ends(may: boolean): boolean {
    const now = performance.now();
    this.#soon = now - this.#endedAt < IDLE_MS;
    this.#endedAt = now;
    const waits = may && this.#soon && this.#inARow++ < IN_A_ROW;
    if (!waits) this.#inARow = 0;
    return waits;
  }

  /**
   * The run is over. What did not end by itself takes its host along; else the next instance is made, if one is likely to
   * be wanted, and its memory given when it is a new one.
   */
  left(outcome: RunOutcome | undefined): WebAssembly.Memory | undefined {
    const host = this.#made?.host;
    if (host?.end() !== true || outcome?.end !== "exited") {
      this.#made = undefined;
      return undefined;
    }
    if (!this.#mayMakeAhead) return undefined;
    if (!this.#soon) {
      host.dropAhead();
      return undefined;
    }
    try {
      return host.makeAhead(this.#inPlace);
    } catch {
      return undefined; // the run that comes says why
    }
  }

  /** Nobody came: lets go of the instance that was made ahead, and gives the bytes of its memory. */
  drop(): number {
    return this.#made?.host.dropAhead() ?? 0;
  }
}
