// Rung 2 of the ladder: JSPI in the worker, answers by message, on any page; both halves, compiled for both realms.
//
// An import wrapped in WebAssembly.Suspending always suspends, even for an answer it has at hand. So each import that may
// block is split by a small adapter module: it calls the plain half, and only when that says BLOCKED the suspending one,
// which goes on with the Pending that the plain half left behind.

import { adapterModule, BLOCKED } from "./suspending-adapter.ts";
import { answerCall, RunStopped } from "./blocking-call.ts";
import type {
  BlockingCaller,
  BlockingEntry,
  CallAnswer,
  CallHandler,
  CallKind,
  Pending,
  PlainImport,
  RunHooks,
  Step,
} from "./blocking-call.ts";

/** Worker to page: a blocking call. */
export interface CallMessage {
  readonly call: number;
  readonly kind: CallKind;
  readonly request: Uint8Array<ArrayBuffer>;
  /** Milliseconds of the guest's own time so far, where its clock stands still now. */
  readonly spentMs?: number;
}

/** Page to worker: its answer (`bytes` absent: the host failed), or the stop of the run. */
export type ReplyMessage =
  | { readonly answer: number; readonly bytes?: Uint8Array<ArrayBuffer> }
  | { readonly stop: true };

/** setTimeout counts milliseconds in 31 bits, and takes more for none; nobody waits for that long. */
const LONGEST_MS = 2 ** 31 - 1;

type Post<Message> = (message: Message, transfer: ArrayBuffer[]) => void;

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

/** Handing over a buffer takes longer than copying it where it is small. */
const COPIED_BYTES = 16 * 1024;

/** What to hand over with a message that carries these bytes, which have their buffer to themselves. */
function handedOver(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer[] {
  return bytes.byteLength > COPIED_BYTES ? [bytes.buffer] : [];
}

/** The worker's half: puts the guest's stack aside until the page's message comes. */
export class SuspendingCaller implements BlockingCaller {
  readonly transport = "suspending";
  readonly #post: Post<CallMessage>;
  readonly #hooks: RunHooks;
  readonly #jspi: Jspi;
  #pending: Pending | undefined;
  #entered: { readonly call: PlainImport; readonly enter: Enter } | undefined;
  #over = false;
  #calls = 0;
  /** Whatever the guest waits for; each is left by an answer, by its timer, or by the stop. */
  readonly #waiting = new Map<number, (answer: CallAnswer | undefined) => void>();

  constructor(post: Post<CallMessage>, hooks: RunHooks) {
    const found = jspi();
    if (!found) throw new Error("no JSPI in this worker");
    this.#post = post;
    this.#hooks = hooks;
    this.#jspi = found;
  }

  stopped(): boolean {
    return this.#over;
  }

  /** A message of the page for this run. */
  receive(message: ReplyMessage): void {
    if ("stop" in message) return this.#stop();
    const { answer, bytes } = message;
    this.#waiting.get(answer)?.(bytes ? { ok: true, bytes } : { ok: false });
  }

  enter(_name: string, call: PlainImport): Promise<unknown> {
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
      this.#pending = step;
      return BLOCKED;
    };
    if (parameters === "iiii") return (a, b, c, d) => leave(run(a, b, c, d));
    return (...args) => leave(run(...args));
  }

  async #finish(): Promise<number> {
    let step: Step = this.#pending!;
    this.#pending = undefined;
    while (typeof step !== "number") step = await this.#waitOnce(step);
    return step;
  }

  async #waitOnce(pending: Pending): Promise<Step> {
    if (pending.wait === "call") return pending.resume(await this.#call(pending));
    if (pending.wait === "sleep") {
      await this.#wait(pending.ms);
      return pending.resume();
    }
    let value: unknown;
    try {
      const call = this.#hooks.guestExport(pending.name) as PlainImport;
      value = await this.#promising(call)(...pending.arguments);
    } catch (error) {
      if (this.#hooks.endsRun(error)) throw error;
      return pending.failed(error);
    }
    return pending.resume(value);
  }

  /** The export as a function that may suspend; made once, since it is nearly always `host_alloc`. */
  #promising(call: PlainImport): Enter {
    if (this.#entered?.call !== call) this.#entered = { call, enter: this.#jspi.promising(call) };
    return this.#entered.enter;
  }

  async #call({ kind, request }: Pending & { wait: "call" }): Promise<CallAnswer> {
    const clockRuns = kind === "poll";
    const owned = request.slice();
    const spent = clockRuns ? {} : { spentMs: this.#hooks.pauseClock() };
    const answer = await this.#wait(clockRuns ? undefined : Infinity, (id) =>
      this.#post({ call: id, kind, request: owned, ...spent }, handedOver(owned)),
    );
    if (!clockRuns) this.#hooks.resumeClock();
    return answer ?? { ok: false };
  }

  /**
   * Waits for an answer, for `ms` (a sleep), or for the stop; undefined `ms` is an answer under the guest's clock.
   * What passes the guest's time ends the run.
   */
  #wait(ms: number | undefined, send?: (id: number) => void): Promise<CallAnswer | undefined> {
    if (this.#over) throw new RunStopped();
    const id = ++this.#calls;
    const remaining = ms === Infinity ? Infinity : this.#hooks.remainingMs();
    const patience = Math.min(ms ?? Infinity, remaining);
    return new Promise((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const leave = (answer: CallAnswer | undefined): void => {
        if (timer !== undefined) clearTimeout(timer);
        this.#waiting.delete(id);
        if (this.#over) reject(new RunStopped());
        else resolve(answer);
      };
      this.#waiting.set(id, leave);
      if (patience <= LONGEST_MS) {
        const passed = ms === undefined || ms > remaining;
        timer = setTimeout(() => {
          if (passed) this.#runOut();
          leave(undefined);
        }, patience);
      }
      send?.(id);
    });
  }

  #runOut(): void {
    this.#hooks.ranOut();
    this.#over = true;
  }

  #stop(): void {
    this.#over = true;
    for (const leave of this.#waiting.values()) leave(undefined);
  }
}

/** The page's half of one run. */
export interface SuspendingServer {
  /** A call of the worker. */
  receive(message: CallMessage): void;
  /** Stops the run for good; no answer goes out after. */
  stop(): void;
}

/** Serves one run's blocking calls with `handler` until it is stopped. */
export function serveSuspending(post: Post<ReplyMessage>, handler: CallHandler): SuspendingServer {
  let over = false;
  return {
    receive({ call, kind, request }) {
      const reply = (answer: CallAnswer): void => {
        if (over) return;
        if (!answer.ok) return post({ answer: call }, []);
        // A copy, since the bytes may belong to the page, and a view would take its whole buffer along.
        const bytes = answer.bytes.slice();
        post({ answer: call, bytes }, handedOver(bytes));
      };
      if (over) return;
      void answerCall(handler, kind, request, reply);
    },
    stop() {
      over = true;
      post({ stop: true }, []);
    },
  };
}
