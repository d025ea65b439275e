// A run told, and its end, in the shared buffer of the run before: messages take several times as long; compiled for both realms.
//
// A worker whose run has ended waits a moment in place for one like it. The state word says who has the buffer, as it does
// during a run: PARKED becomes TOLD by the page, or AWAY by the worker once the moment is over, or by a page that has
// something else to say and sends it.

import { AWAY, PAGE_IDLE, PARKED, STATE, STOPPED, TOLD, type Channel } from "./channel-buffer.ts";
import type { EndMessage, StdinSpec } from "./messages.ts";

const RUN = 7;
const TIMEOUT = 8; // milliseconds; -1 for none
const MANY = 9;
const LINES = 10; // 1: stdin is a line that asks for an answer; 0: it is bytes

/** A run that is like the last one of its worker in all but these. */
export interface LikeRun {
  readonly run: number;
  readonly timeoutMs: number;
  readonly stdin: StdinSpec;
  readonly many: number;
}

/** Puts a run there. False when it has something to say that does not fit. */
export function writeRun(channel: Channel, { run, timeoutMs, stdin, many }: LikeRun): boolean {
  const { words } = channel;
  const bytes = stdinBytes(stdin);
  const ms = timeoutMs === Infinity ? -1 : timeoutMs;
  if (!bytes || bytes.length > channel.restBytes || ms !== (ms | 0)) return false;
  channel.put(bytes, 0);
  words[TIMEOUT] = ms;
  words[MANY] = many;
  words[LINES] = stdin.kind === "lines" ? 1 : 0;
  words[RUN] = run;
  return true;
}

function stdinBytes(stdin: StdinSpec): Uint8Array | undefined {
  if (stdin.kind === "bytes") return stdin.bytes;
  if (stdin.kind === "blocking" || stdin.more || stdin.lines.length !== 1) return undefined;
  return stdin.lines[0];
}

/** The run that lies there. */
export function readRun(channel: Channel): LikeRun {
  const { words } = channel;
  const bytes = channel.take(undefined);
  const ms = words[TIMEOUT]!;
  return {
    run: words[RUN]!,
    timeoutMs: ms < 0 ? Infinity : ms,
    many: words[MANY]!,
    stdin:
      words[LINES] === 1
        ? { kind: "lines", lines: [bytes], more: false }
        : { kind: "bytes", bytes },
  };
}

/** Hands the run over to a worker that waits here. False when none does: it hears messages then. */
export function handOver({ words }: Channel): boolean {
  if (Atomics.compareExchange(words, STATE, PARKED, TOLD) === PARKED) {
    Atomics.notify(words, STATE);
    return true;
  }
  Atomics.compareExchange(words, STATE, AWAY, PAGE_IDLE);
  return false;
}

/** Lets a worker that waits here go, since there is a message for it. */
export function letGo({ words }: Channel): void {
  Atomics.compareExchange(words, STATE, PARKED, AWAY);
  Atomics.notify(words, STATE);
}

/** Tells the end of a run; `parks`: the worker is about to wait for the next. False when a message has to tell it. */
export function writeEnd(channel: Channel, end: EndMessage, parks: boolean): boolean {
  const text = JSON.stringify(end);
  if (text.length > END_CHARACTERS || !ASCII.test(text)) return false;
  const { words } = channel;
  channel.putText(text);
  const state = parks ? PARKED : AWAY;
  // A run that was stopped meanwhile is told by message.
  if (Atomics.compareExchange(words, STATE, PAGE_IDLE, state) !== PAGE_IDLE) return false;
  Atomics.notify(words, STATE);
  return true;
}

/** Longer texts go by message. */
const END_CHARACTERS = 2048;
// oxlint-disable-next-line no-control-regex -- all that is one byte
const ASCII = /^[\0-\x7f]*$/;

/** The end that was told, once the state says that it was. */
export function readEnd(channel: Channel): EndMessage {
  // Spread, it would be gone through by its iterator.
  return JSON.parse(
    String.fromCharCode.apply(null, channel.view() as unknown as number[]),
  ) as EndMessage;
}

/** Waits up to `ms` for a run after `run`. True when one lies there. */
export function waitForRun(channel: Channel, run: number, ms: number): boolean {
  const { words } = channel;
  channel.waitWhile(PARKED, ms);
  const state = Atomics.compareExchange(words, STATE, PARKED, AWAY);
  if (state === TOLD) Atomics.compareExchange(words, STATE, TOLD, PAGE_IDLE);
  // It may have been stopped before it was seen, and says so then.
  return state === TOLD || (state === STOPPED && words[RUN]! > run);
}
