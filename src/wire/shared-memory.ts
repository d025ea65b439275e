// Rung 1 of the ladder: one growable shared buffer, both halves; compiled for both realms.
//
// Header of 64 bytes, then data. The state word alone says whose turn it is, and every change of turn is a
// compare-exchange, so a stop can neither be overwritten nor missed: the page sets STOPPED, and whoever waits on the
// word wakes. A body that does not fit (a buffer that cannot grow) crosses in parts, the turn changing for each.

import { answerCall, CALL_KINDS, RunStopped } from "./blocking-call.ts";
import type {
  BlockingCaller,
  BlockingEntry,
  CallAnswer,
  CallHandler,
  CallKind,
  HostAnswer,
  Pending,
  PlainImport,
  RunHooks,
  Step,
} from "./blocking-call.ts";
import {
  Channel,
  FAILED,
  KIND,
  NEXT_PART,
  PAGE_IDLE,
  PAGE_TURN,
  SPENT,
  STATE,
  STOPPED,
} from "./channel-buffer.ts";

/** Requests up to this size lie in one array, one after the other: an array each takes longer than all else. */
const SCRATCH_BYTES = 4096;
const NOTHING = new Uint8Array(0);
const POLL = CALL_KINDS.indexOf("poll");

/** Without it the worker rings for every request (`SharedMemoryServer.ring`). */
const CAN_WAIT = "waitAsync" in Atomics;

/** The worker's half: blocks in place, in `Atomics.wait`. */
export class SharedMemoryCaller implements BlockingCaller {
  readonly transport = "shared-memory";
  readonly #channel: Channel;
  readonly #hooks: RunHooks;
  readonly #ring: (() => void) | undefined;
  #borrowed: { bytes: Uint8Array } | undefined;

  /** `ring` tells a page that cannot wait on shared memory (no `Atomics.waitAsync`) that a request lies ready. */
  constructor(buffer: SharedArrayBuffer, hooks: RunHooks, ring?: () => void) {
    this.#channel = new Channel(buffer);
    this.#hooks = hooks;
    this.#ring = ring;
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
    if (!channel.waitWhile(PAGE_TURN, patience)) this.#runOut();
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

/** The page's half of one run. */
export interface SharedMemoryServer {
  /** The worker says that a request lies ready; only needed where `Atomics.waitAsync` is missing. */
  ring(): void;
  /** True when a request that stops the guest's clock lies in the buffer. */
  waiting(): boolean;
  /** Milliseconds of the guest's own time when it last began to wait for the page. */
  spentMs(): number;
  /** Stops the run for good: a waiting guest wakes, a running one stops at its next import. No answer goes out after. */
  stop(): void;
}

/** Serves one run's blocking calls with `handler` until it is stopped; `answered` is told once a guest has its answer. */
export function serveSharedMemory(
  buffer: SharedArrayBuffer,
  handler: CallHandler,
  answered?: () => void,
): SharedMemoryServer {
  const channel = new Channel(buffer);
  const { words } = channel;
  const scratch = new Uint8Array(SCRATCH_BYTES);
  let request: Uint8Array<ArrayBuffer> | undefined;
  let answer: Uint8Array = NOTHING;
  let sent = 0;
  let busy = false;

  const stopped = (): boolean => Atomics.load(words, STATE) === STOPPED;
  const endTurn = (): void => {
    if (Atomics.compareExchange(words, STATE, PAGE_TURN, PAGE_IDLE) !== PAGE_TURN) return;
    Atomics.notify(words, STATE);
  };

  const reply = (bytes: Uint8Array, offset: number): void => {
    sent = offset + channel.put(bytes, offset);
    // The last part is out: a 16 MiB answer must not stay with an idle run.
    answer = sent < bytes.byteLength ? bytes : NOTHING;
    endTurn();
  };

  const finish = (result: HostAnswer): void => {
    if (stopped()) return;
    if (result instanceof Uint8Array) reply(result, 0);
    else {
      if (result === undefined) words[FAILED] = 1;
      else channel.putText(result);
      endTurn();
    }
    answered?.();
  };

  const takeTurn = (): void | Promise<void> => {
    if (words[KIND] === NEXT_PART) return reply(answer, sent);
    request = channel.take(request, scratch);
    if (channel.more()) return endTurn();
    const whole = request;
    request = undefined;
    return answerCall(handler, CALL_KINDS[channel.word(KIND)]!, whole, finish);
  };

  // A loop, not a recursion: a worker may ask again before the page gets to wait.
  const pump = (): void => {
    if (busy) return;
    for (;;) {
      const state = Atomics.load(words, STATE);
      if (state === STOPPED) return;
      if (state === PAGE_TURN) {
        const later = takeTurn();
        if (later) return void resumeAfter(later);
      } else {
        if (!CAN_WAIT) return;
        const waiting = Atomics.waitAsync(words, STATE, PAGE_IDLE);
        if (waiting.async) return void resumeAfter(waiting.value);
      }
    }
  };

  const resumeAfter = (later: Promise<unknown>): void => {
    busy = true;
    void later.then(() => {
      busy = false;
      pump();
    });
  };

  const stop = (): void => {
    Atomics.store(words, STATE, STOPPED);
    Atomics.notify(words, STATE);
  };

  pump();
  const waiting = (): boolean => words[STATE] === PAGE_TURN && words[KIND] !== POLL;
  return { ring: pump, waiting, spentMs: () => channel.word(SPENT), stop };
}
