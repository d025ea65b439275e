// The shared buffer of one run: its layout, and bodies put in and taken out; compiled for both realms.

import { CHANNEL_REST_BYTES, DOOR_ANSWER_BYTES } from "../limits.ts";

export const STATE = 0;
export const KIND = 1; // index into CALL_KINDS, or NEXT_PART
const TOTAL = 2; // bytes of the whole body
const PART = 3; // bytes of this part
const OFFSET = 4; // where this part lies in the body
/** Milliseconds of the guest's own time when it last began to wait; written while the page is at work. */
export const SPENT = 6;
export const FAILED = 5; // 1: the host failed, there is no body
export const UNUSED = 15; // always 0

export const PAGE_IDLE = 0; // the worker runs, or sleeps
export const PAGE_TURN = 1; // a request lies in the buffer, the worker waits
export const STOPPED = 2; // for good

// Between two runs of a worker, see run-words.ts.
export const PARKED = 3; // the run has ended, the worker waits for another
export const AWAY = 4; // the run has ended, the worker hears messages
export const TOLD = 5; // another run lies in the buffer, the worker has not seen it

export const NEXT_PART = -1;
const HEADER_BYTES = 64;

/** A buffer for one run: small at rest, grown by whichever side has more to say. Throws RangeError without memory. */
export function createChannelBuffer(options: { growable?: boolean } = {}): SharedArrayBuffer {
  const rest = CHANNEL_REST_BYTES;
  if (options.growable === false || !("grow" in SharedArrayBuffer.prototype)) {
    return new SharedArrayBuffer(rest);
  }
  return new SharedArrayBuffer(rest, { maxByteLength: DOOR_ANSWER_BYTES + rest });
}

/**
 * Makes a channel like new whose run is over on both sides, but for the state of a worker that waits there. False when it
 * has grown, since none shrinks.
 */
export function renewChannel({ buffer, words }: Channel): boolean {
  if (buffer.byteLength > CHANNEL_REST_BYTES) return false;
  words.fill(0, KIND);
  if (Atomics.load(words, STATE) !== PARKED) resetState({ words });
  return true;
}

/** Lets a run begin that is told by message. */
export function resetState({ words }: Pick<Channel, "words">): void {
  Atomics.store(words, STATE, PAGE_IDLE);
}

/** Stops the run: a waiting guest wakes, a running one stops at its next import. One that has ended stays so. */
export function stopChannel({ words }: Channel): void {
  for (;;) {
    const state = Atomics.load(words, STATE);
    if (state === PARKED || state === AWAY) return;
    if (Atomics.compareExchange(words, STATE, state, STOPPED) === state) break;
  }
  Atomics.notify(words, STATE);
}

/** What both halves do with the buffer: the header words, and bodies put in and taken out, in parts if need be. */
export class Channel {
  readonly words: Int32Array;
  readonly buffer: SharedArrayBuffer;
  /** Tracks the length of a growable buffer by itself; slow to write to byte by byte. */
  readonly #data: Uint8Array;
  /** What is always there. */
  readonly #rest: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.words = new Int32Array(buffer, 0, HEADER_BYTES / 4);
    this.#data = new Uint8Array(buffer, HEADER_BYTES);
    this.#rest = new Uint8Array(buffer, HEADER_BYTES, CHANNEL_REST_BYTES - HEADER_BYTES);
  }

  /** Bytes that fit without growing. */
  get restBytes(): number {
    return this.#rest.length;
  }

  word(index: number): number {
    return this.words[index]!;
  }

  /** Puts what fits of `body` from `offset` on, growing the buffer where it can; gives the number of bytes. */
  put(body: Uint8Array, offset: number): number {
    const rest = body.byteLength - offset;
    if (rest > this.#data.byteLength) this.#grow(rest);
    const part = Math.min(rest, this.#data.byteLength);
    this.#data.set(part === body.byteLength ? body : body.subarray(offset, offset + part));
    this.words[TOTAL] = body.byteLength;
    this.words[OFFSET] = offset;
    this.words[PART] = part;
    this.words[FAILED] = 0;
    return part;
  }

  /** Puts the whole of a short text of ASCII where it is read: encoding it first takes longer. */
  putText(text: string): void {
    const { length } = text;
    const place = this.#rest;
    for (let i = 0; i < length; i++) place[i] = text.charCodeAt(i);
    this.words[TOTAL] = length;
    this.words[OFFSET] = 0;
    this.words[PART] = length;
    this.words[FAILED] = 0;
  }

  /** True when the part that lies here is not the last of its body. */
  more(): boolean {
    return this.word(OFFSET) + this.word(PART) < this.word(TOTAL);
  }

  /** The part that lies here, not copied. */
  view(): Uint8Array {
    return this.#data.subarray(0, this.word(PART));
  }

  /**
   * Takes the part that lies here into `body`, which the first part makes: the beginning of `scratch` where that is given
   * and large enough.
   */
  take(
    body: Uint8Array<ArrayBuffer> | undefined,
    scratch?: Uint8Array<ArrayBuffer>,
  ): Uint8Array<ArrayBuffer> {
    const total = this.word(TOTAL);
    const fits = scratch !== undefined && total <= scratch.byteLength;
    const whole = body ?? (fits ? scratch.subarray(0, total) : new Uint8Array(total));
    whole.set(this.view(), this.word(OFFSET));
    return whole;
  }

  /**
   * Waits until the state is another, at most `ms`; false when the time passed first. Being woken proves nothing: the page
   * changes the word and then notifies, and when it is held up in between, its notify arrives in a later turn.
   */
  waitWhile(state: number, ms: number): boolean {
    const { words } = this;
    if (ms === Infinity) {
      while (Atomics.load(words, STATE) === state) Atomics.wait(words, STATE, state);
      return true;
    }
    const until = performance.now() + ms;
    for (let left = ms; Atomics.load(words, STATE) === state; left = until - performance.now()) {
      if (Atomics.wait(words, STATE, state, Math.max(0, left)) === "timed-out") return false;
    }
    return true;
  }

  #grow(bytes: number): void {
    if (!this.buffer.growable) return;
    const wanted = Math.ceil((bytes + HEADER_BYTES) / CHANNEL_REST_BYTES) * CHANNEL_REST_BYTES;
    try {
      this.buffer.grow(Math.min(wanted, this.buffer.maxByteLength));
    } catch {
      // No memory to grow: what does not fit goes in parts.
    }
  }
}
