// Rung 1 of the ladder on the page: answers what a worker left in the shared buffer; compiled for both realms.

import { answerCall, CALL_KINDS, type CallHandler, type HostAnswer } from "./blocking-call.ts";
import {
  AWAY,
  FAILED,
  KIND,
  NEXT_PART,
  PAGE_IDLE,
  PAGE_TURN,
  PARKED,
  SPENT,
  STATE,
  STOPPED,
  UNUSED,
  stopChannel,
  type Channel,
} from "./channel-buffer.ts";
import { eagerWait } from "./eager-wait.ts";

/** Requests up to this size lie in one array, one after the other: an array each takes longer than all else. */
const SCRATCH_BYTES = 4096;
/** Enough for a guest that is awake and does little between two calls. */
const LOOK_MS = 0.01;
const NOTHING = new Uint8Array(0);
const POLL = CALL_KINDS.indexOf("poll");

/** Without it the worker rings for every request (`SharedMemoryServer.ring`). */
const CAN_WAIT = "waitAsync" in Atomics;

/** How long a guest that asks and asks may keep the page's other tasks waiting. */
const BUSY_MS = 4;

/** The page's event loop gets its turn, however soon the next call comes. */
class Rest {
  /** No call is served before it. */
  due = false;
  #since = 0;

  /** Asked after each answer. */
  isDue(now: number): boolean {
    return (this.due = now - this.#since > BUSY_MS);
  }

  /** The page comes from its event loop. */
  over(): void {
    this.due = false;
    this.#since = performance.now();
  }
}

/** Resolved by the event loop, after the tasks that are there: the cheapest way that every host has. */
function aTask(words: Int32Array): Promise<unknown> {
  const { value } = Atomics.waitAsync(words, UNUSED, 0);
  Atomics.notify(words, UNUSED);
  return value as Promise<unknown>;
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

/**
 * Serves one run's blocking calls with `handler` until it is stopped; `answered` is told once a guest has its answer, and
 * `ended` when the run's end lies there (see run-words.ts).
 */
export function serveSharedMemory(
  channel: Channel,
  handler: CallHandler,
  answered?: (now: number) => void,
  ended?: () => void,
): SharedMemoryServer {
  const { words } = channel;
  const look = eagerWait(LOOK_MS);
  const rest = new Rest();
  const scratch = new Uint8Array(SCRATCH_BYTES);
  let request: Uint8Array<ArrayBuffer> | undefined;
  let answer: Uint8Array = NOTHING;
  let sent = 0;
  let busy = false;
  /** When a call was answered; undefined once the state was looked at since. */
  let answeredAt: number | undefined;

  const stopped = (): boolean => Atomics.load(words, STATE) === STOPPED;
  const endTurn = (): void => {
    if (Atomics.compareExchange(words, STATE, PAGE_TURN, PAGE_IDLE) !== PAGE_TURN) return;
    Atomics.notify(words, STATE);
  };

  const reply = (bytes: Uint8Array, offset: number): void => {
    sent = offset + channel.put(bytes, offset);
    // The last part is out: a 16 MiB answer must not stay with an idle run. Between parts, the page's code could change or
    // detach bytes of its own.
    const last = sent === bytes.byteLength;
    if (last) answer = NOTHING;
    else if (offset === 0) answer = new Uint8Array(bytes);
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
    answeredAt = performance.now();
    answered?.(answeredAt);
  };

  /** True when the answer comes later. */
  const takeTurn = (): boolean => {
    if (words[KIND] === NEXT_PART) reply(answer, sent);
    else {
      request = channel.take(request, scratch);
      if (!channel.more()) {
        const whole = request;
        request = undefined;
        return answerCall(handler, CALL_KINDS[channel.word(KIND)]!, whole, finish, goOn);
      }
      endTurn();
    }
    return false;
  };

  const nextState = (): number => {
    const state = Atomics.load(words, STATE);
    const now = answeredAt;
    if (now === undefined) return state;
    answeredAt = undefined;
    const mayLook = !rest.isDue(now) && state === PAGE_IDLE && CAN_WAIT;
    return mayLook && look(words, state, now) ? Atomics.load(words, STATE) : state;
  };

  // A loop, not a recursion: a worker may ask again before the page gets to wait.
  const pump = (): void => {
    if (busy) return;
    for (;;) {
      const state = nextState();
      if (state === STOPPED) return;
      if (state === PARKED || state === AWAY) return ended?.();
      if (state === PAGE_TURN) {
        if (rest.due) return CAN_WAIT ? waitFor(aTask(words)) : undefined; // else it rings
        busy = takeTurn();
        if (busy) return;
      } else {
        if (!CAN_WAIT) return;
        const waiting = Atomics.waitAsync(words, STATE, state);
        if (waiting.async) return waitFor(waiting.value);
      }
    }
  };

  const goOn = (): void => {
    busy = false;
    pump();
  };

  const goOnFresh = (): void => {
    rest.over();
    goOn();
  };

  const waitFor = (task: Promise<unknown>): void => {
    busy = true;
    void task.then(goOnFresh);
  };

  pump();
  const waiting = (): boolean => words[STATE] === PAGE_TURN && words[KIND] !== POLL;
  return {
    ring: () => {
      rest.over();
      pump();
    },
    waiting,
    spentMs: () => channel.word(SPENT),
    stop: () => stopChannel(channel),
  };
}
