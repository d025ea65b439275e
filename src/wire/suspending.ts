// Rung 2 of the ladder: JSPI in the worker, answers by message, on any page; the worker's half, compiled for both realms.
//
// An import wrapped in WebAssembly.Suspending always suspends, even for an answer it has at hand. So each import that may
// block is split by a small adapter module: it calls the plain half, and only when that says BLOCKED the suspending one,
// which goes on with the Pending that the plain half left behind.

import { adapterModule, BLOCKED } from "./suspending-adapter.ts";
import { refuseToWait, RunStopped } from "./blocking-call.ts";
import type {
  BlockingCaller,
  BlockingEntry,
  CallAnswer,
  Pending,
  PlainImport,
  RunHooks,
  Step,
} from "./blocking-call.ts";
import {
  bodyOf,
  bytesOf,
  handedOver,
  type Body,
  type CallMessage,
  type Post,
  type ReplyMessage,
} from "./suspending-messages.ts";

/** setTimeout counts milliseconds in 31 bits, and takes more for none; nobody waits for that long. */
const LONGEST_MS = 2 ** 31 - 1;

type Enter = (...args: readonly unknown[]) => Promise<unknown>;

/** JSPI, as far as it is used here; not in every TypeScript library yet. */
interface Jspi {
  Suspending: new (call: () => Promise<number>) => PlainImport;
  promising(call: PlainImport): Enter;
}

/** JSPI where this realm has it. */
export function jspi(): Jspi | undefined {
  return "Suspending" in WebAssembly && "promising" in WebAssembly
    ? (WebAssembly as unknown as Jspi)
    : undefined;
}

/** The worker's half: puts the guest's stack aside until the page's message comes. */
export class SuspendingCaller implements BlockingCaller {
  readonly transport = "suspending";
  #run: number;
  readonly #post: Post<CallMessage>;
  readonly #hooks: RunHooks;
  readonly #jspi: Jspi;
  #pending: Pending | undefined;
  #entered: { readonly call: PlainImport; readonly enter: Enter } | undefined;
  /** Only what an export leads to can be put aside; the start function runs before any is entered. */
  #inside = false;
  #over = false;
  #calls = 0;
  /** Whatever the guest waits for; each is left by an answer, by its timer, or by the stop. */
  readonly #waiting = new Map<number, (answer?: Body) => void>();

  constructor(run: number, post: Post<CallMessage>, hooks: RunHooks) {
    const found = jspi();
    if (!found) throw new Error("no JSPI");
    this.#run = run;
    this.#post = post;
    this.#hooks = hooks;
    this.#jspi = found;
  }

  stopped(): boolean {
    return this.#over;
  }

  /** A guest that still waits, or was told to stop, may yet come back. */
  renew(): boolean {
    this.#entered = undefined;
    this.#inside = false;
    return !this.#over && this.#waiting.size === 0 && this.#pending === undefined;
  }

  /** The number of the next run. */
  use(run: number): void {
    this.#run = run;
  }

  /** A message of the page; those for another run are late. */
  receive([run, call, answer]: ReplyMessage): void {
    if (run !== this.#run) return;
    if (call === undefined) return this.#stop();
    this.#waiting.get(call)?.(answer);
  }

  enter(_name: string, call: PlainImport): Promise<unknown> {
    this.#inside = true;
    return this.#jspi.promising(call)();
  }

  wrap(entries: Readonly<Record<string, BlockingEntry>>): Record<string, PlainImport> {
    const names = Object.keys(entries);
    if (names.length === 0) return {};
    const imports: Record<string, Record<string, PlainImport>> = { plain: {}, blocked: {} };
    for (const name of names) {
      imports["plain"]![name] = this.#plainHalf(entries[name]!);
      imports["blocked"]![name] = new this.#jspi.Suspending(() => this.#finish());
    }
    const parameters = names.map((name): [string, string] => [name, entries[name]!.parameters]);
    const adapter = new WebAssembly.Instance(adapterModule(parameters), imports);
    return { ...adapter.exports } as Record<string, PlainImport>;
  }

  #plainHalf({ run, parameters }: BlockingEntry): PlainImport {
    const leave = (step: Step): number => {
      if (typeof step === "number") return step;
      if (!this.#inside) refuseToWait(step, this.#hooks);
      this.#pending = step;
      return BLOCKED;
    };
    if (parameters === "iiii") return (a, b, c, d) => leave(run(a, b, c, d));
    return (...args) => leave(run(...args));
  }

  #finish(): Promise<number> {
    const step = this.#pending!;
    this.#pending = undefined;
    return new Promise((resolve, reject) => this.#advance(step, resolve, reject));
  }

  /** Waits for one thing after the other, by callbacks: every promise in between would be a turn of its own. */
  #advance(step: Step, resolve: (value: number) => void, reject: (error: unknown) => void): void {
    if (typeof step === "number") return resolve(step);
    const goOn = (resume: () => Step): void => {
      let next: Step;
      try {
        next = resume();
      } catch (error) {
        return reject(error);
      }
      this.#advance(next, resolve, reject);
    };
    const entered = (error: unknown): void => {
      if (this.#hooks.endsRun(error)) reject(error);
      else goOn(() => (step as Pending & { wait: "export" }).failed(error));
    };
    try {
      if (step.wait === "call") {
        this.#call(step, (answer) => goOn(() => step.resume(answer)), reject);
      } else if (step.wait === "sleep") {
        this.#wait(step.ms, () => goOn(step.resume), reject);
      } else {
        const call = this.#hooks.guestExport(step.name) as PlainImport;
        const returned = this.#promising(call)(...step.arguments);
        returned.then((value) => goOn(() => step.resume(value)), entered);
      }
    } catch (error) {
      if (step.wait === "export") entered(error);
      else reject(error);
    }
  }

  /** The export as a function that may suspend; made once, since it is nearly always `host_alloc`. */
  #promising(call: PlainImport): Enter {
    if (this.#entered?.call !== call) this.#entered = { call, enter: this.#jspi.promising(call) };
    return this.#entered.enter;
  }

  #call(
    { kind, request }: Pending & { wait: "call" },
    answered: (answer: CallAnswer) => void,
    reject: (error: unknown) => void,
  ): void {
    const clockRuns = kind === "poll";
    const owned = bodyOf(request);
    const spent: [number?] = clockRuns ? [] : [this.#hooks.pauseClock()];
    const leave = (answer: Body | undefined): void => {
      if (!clockRuns) this.#hooks.resumeClock();
      answered(answer === undefined ? { ok: false } : { ok: true, bytes: bytesOf(answer) });
    };
    const call = this.#wait(clockRuns ? undefined : Infinity, leave, reject);
    this.#post([this.#run, call, kind, owned, ...spent], handedOver(owned));
  }

  /**
   * Waits for an answer, for `ms` (a sleep), or for the stop; undefined `ms` is an answer under the guest's clock.
   * What passes the guest's time ends the run. Gives the number to answer to.
   */
  #wait(
    ms: number | undefined,
    ended: (answer: Body | undefined) => void,
    reject: (error: unknown) => void,
  ): number {
    if (this.#over) throw new RunStopped();
    const id = ++this.#calls;
    const remaining = ms === Infinity ? Infinity : this.#hooks.remainingMs();
    const patience = Math.min(ms ?? Infinity, remaining);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leave = (answer?: Body): void => {
      if (timer !== undefined) clearTimeout(timer);
      this.#waiting.delete(id);
      if (this.#over) reject(new RunStopped());
      else ended(answer);
    };
    this.#waiting.set(id, leave);
    if (patience <= LONGEST_MS) {
      const passed = ms === undefined || ms > remaining;
      timer = setTimeout(() => {
        if (passed) this.#runOut();
        leave();
      }, patience);
    }
    return id;
  }

  #runOut(): void {
    this.#hooks.ranOut();
    this.#over = true;
  }

  #stop(): void {
    this.#over = true;
    for (const leave of this.#waiting.values()) leave();
  }
}
