// Rung 1 of the ladder: one growable shared buffer; the worker's half, compiled for both realms.
//
// Header of 64 bytes, then data. The state word alone says whose turn it is, and every change of turn is a
// compare-exchange, so a stop can neither be overwritten nor missed: the page sets STOPPED, and whoever waits on the
// word wakes. A body that does not fit (a buffer that cannot grow) crosses in parts, the turn changing for each.

import { CALL_KINDS, RunStopped } from "./blocking-call.ts";
import type {
  BlockingCaller,
  BlockingEntry,
  CallAnswer,
  CallKind,
  Pending,
  PlainImport,
  RunHooks,
  Step,
} from "./blocking-call.ts";
import {
  FAILED,
  KIND,
  NEXT_PART,
  PAGE_IDLE,
  PAGE_TURN,
  SPENT,
  STATE,
  STOPPED,
  type Channel,
} from "./channel-buffer.ts";
import { eagerWait } from "./eager-wait.ts";

/** Enough for a page that has to wake up first and answers at once. */
const LOOK_MS = 0.025;

/** The worker's half: blocks in place, in `Atomics.wait`. */
export class SharedMemoryCaller implements BlockingCaller {
  readonly transport = "shared-memory";
  #channel: Channel;
  readonly #hooks: RunHooks;
  readonly #ring: (() => void) | undefined;
  readonly #look = eagerWait(LOOK_MS);
  #borrowed: { bytes: Uint8Array } | undefined;

  /** `ring` tells a page that cannot wait on shared memory (no `Atomics.waitAsync`) that a request lies ready. */
  constructor(channel: Channel, hooks: RunHooks, ring?: () => void) {
    this.#channel = channel;
    this.#hooks = hooks;
    this.#ring = ring;
  }

  renew(): boolean {
    this.#borrowed = undefined;
    return true;
  }

  /** The next run may come with another buffer. */
  use(channel: Channel): void {
    this.#channel = channel;
  }

  stopped(): boolean {
    return this.#channel.words[STATE] === STOPPED;
  }

  enter(_name: string, call: PlainImport): unknown {
    return call();
  }

  wrap(entries: Readonly<Record<string, BlockingEntry>>): Record<string, PlainImport> {
    return Object.fromEntries(
      Object.entries(entries).map(([name, entry]) => [name, this.#wrapOne(entry)]),
    );
  }

  #wrapOne({ run, parameters }: BlockingEntry): PlainImport {
    const finish = (step: Step): number => (typeof step === "number" ? step : this.#wait(step));
    // A rest parameter would cost an array per call; four i32 is what the frequent ones take.
    if (parameters === "iiii") return (a, b, c, d) => finish(run(a, b, c, d));
    return (...args) => finish(run(...args));
  }

  #wait(first: Pending): number {
    let step: Step = first;
    while (typeof step !== "number") step = this.#waitOnce(step);
    this.#borrowed = undefined;
    return step;
  }

  #waitOnce(pending: Pending): Step {
    if (pending.wait === "call") return pending.resume(this.#call(pending));
    if (pending.wait === "sleep") {
      this.#sleep(pending.ms);
      return pending.resume();
    }
    let value: unknown;
    try {
      value = (this.#hooks.guestExport(pending.name) as PlainImport)(...pending.arguments);
    } catch (error) {
      if (this.#hooks.endsRun(error)) throw error;
      return pending.failed(error);
    }
    return pending.resume(value);
  }

  #call(pending: Pending & { wait: "call" }): CallAnswer {
    // A borrowed answer that is still in use must not be overwritten by a call made meanwhile (from host_alloc).
    if (this.#borrowed) this.#borrowed.bytes = this.#borrowed.bytes.slice();
    this.#borrowed = undefined;
    const clockRuns = pending.kind === "poll";
    this.#send(pending.kind, pending.request, clockRuns);
    const answer = this.#receive(pending.borrow === true);
    if (!clockRuns) this.#hooks.resumeClock();
    if (answer.ok && pending.borrow) this.#borrowed = answer;
    return answer;
  }

  #send(kind: CallKind, request: Uint8Array, clockRuns: boolean): void {
    const channel = this.#channel;
    let offset = 0;
    do {
      channel.words[KIND] = CALL_KINDS.indexOf(kind);
      offset += channel.put(request, offset);
      this.#yieldTurn(clockRuns);
    } while (offset < request.byteLength);
  }

  #receive(borrow: boolean): CallAnswer {
    const channel = this.#channel;
    if (channel.word(FAILED) === 1) return { ok: false };
    if (borrow && !channel.more()) return { ok: true, bytes: channel.view() };
    let bytes = channel.take(undefined);
    while (channel.more()) {
      channel.words[KIND] = NEXT_PART;
      this.#yieldTurn(false);
      bytes = channel.take(bytes);
    }
    return { ok: true, bytes };
  }

  /** Gives the page its turn and waits for it to end. */
  #yieldTurn(clockRuns: boolean): void {
    const channel = this.#channel;
    const { words } = channel;
    if (Atomics.compareExchange(words, STATE, PAGE_IDLE, PAGE_TURN) === STOPPED) {
      throw new RunStopped();
    }
    Atomics.notify(words, STATE);
    this.#ring?.();
    // Only now, while the page is at work: reading a clock takes a good part of a short call.
    if (!clockRuns) words[SPENT] = this.#hooks.pauseClock();
    const patience = clockRuns ? this.#hooks.remainingMs() : Infinity;
    if (!this.#look(words, PAGE_TURN) && !channel.waitWhile(PAGE_TURN, patience)) this.#runOut();
    if (this.stopped()) throw new RunStopped();
  }

  #sleep(ms: number): void {
    const remaining = this.#hooks.remainingMs();
    this.#channel.waitWhile(PAGE_IDLE, Math.min(ms, remaining));
    if (ms > remaining) this.#runOut();
    if (this.stopped()) throw new RunStopped();
  }

  /** The page's timer may be late (a busy page, a tab in the background); the guest's time is over all the same. */
  #runOut(): void {
    this.#hooks.ranOut();
    Atomics.store(this.#channel.words, STATE, STOPPED);
  }
}
