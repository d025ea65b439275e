// Small writes of a guest on their way to the page, in shared memory: messages cost far more; compiled for both realms.
//
// The page reads whatever lies there when it comes by, so nothing waits for more: the worker tells it once that there is
// something, and again only after it has looked. A page that looks by itself is told nothing until it has. Larger writes go by message. Their order is kept: a message makes the
// page empty the ring first, and as long as one is on its way, small writes follow it as messages.

import { OUTPUT_RING_BYTES } from "../limits.ts";

const TOLD = 0; // 1: the page knows that something lies here
const WRITTEN = 1; // bytes written so far, in 32 bits
const READ = 2; // bytes read so far
const TAKEN = 3; // messages of output that the page has taken
const BEGUN = 4; // 1: the guest has begun
const HEADER_BYTES = 64;
/** Before each write: its length and its stream, in 16 bits. */
const HEAD_BYTES = 2;
/** Above this a message costs less than two copies. */
const MOST_BYTES = 1024;

/** The memory for one run. Throws RangeError without memory. */
export function createOutputRing(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + OUTPUT_RING_BYTES);
}

/** Makes a ring like new, of which the page is told nothing before it has looked. */
export function quietOutputRing(buffer: SharedArrayBuffer): void {
  const words = new Int32Array(buffer, 0, HEADER_BYTES / 4);
  words.fill(0);
  words[TOLD] = 1;
}

/** The worker's half. */
export class OutputRingWriter {
  readonly #words: Int32Array;
  readonly #data: Uint8Array;
  readonly #tell: () => void;
  #written = 0;
  /** Writes that had to go by message. */
  messages = 0;

  /** `tell` sends the page the word that something lies here. */
  constructor(buffer: SharedArrayBuffer, tell: () => void) {
    this.#words = new Int32Array(buffer, 0, HEADER_BYTES / 4);
    this.#data = new Uint8Array(buffer, HEADER_BYTES);
    this.#tell = tell;
  }

  /** The guest begins. False when the page wants to be told. */
  begin(): boolean {
    Atomics.store(this.#words, BEGUN, 1);
    return Atomics.load(this.#words, TOLD) === 1;
  }

  /** Takes a write; false when it has to go by message, which is then counted as sent. */
  put(stream: 1 | 2, bytes: Uint8Array): boolean {
    const words = this.#words;
    const { length } = bytes;
    const used = (this.#written - Atomics.load(words, READ)) | 0;
    const fits = length <= MOST_BYTES && used + HEAD_BYTES + length <= OUTPUT_RING_BYTES;
    if (!fits || Atomics.load(words, TAKEN) !== this.messages) {
      this.messages++;
      return false;
    }
    const head = (length << 1) | (stream - 1);
    this.#byte(head & 255);
    this.#byte(head >> 8);
    for (let i = 0; i < length; i++) this.#byte(bytes[i]!);
    Atomics.store(words, WRITTEN, this.#written);
    if (Atomics.exchange(words, TOLD, 1) === 0) this.#tell();
    return true;
  }

  #byte(value: number): void {
    this.#data[this.#written & (OUTPUT_RING_BYTES - 1)] = value;
    this.#written = (this.#written + 1) | 0;
  }
}

/** The page's half. */
export class OutputRingReader {
  readonly #words: Int32Array;
  readonly #data: Uint8Array;
  readonly #receive: (stream: 1 | 2, bytes: Uint8Array<ArrayBuffer>) => void;

  /** `receive` is given what was written, in order, writes to one stream joined; the bytes are its own. */
  constructor(
    buffer: SharedArrayBuffer,
    receive: (stream: 1 | 2, bytes: Uint8Array<ArrayBuffer>) => void,
  ) {
    this.#words = new Int32Array(buffer, 0, HEADER_BYTES / 4);
    this.#data = new Uint8Array(buffer, HEADER_BYTES);
    this.#receive = receive;
  }

  /** Takes all that lies here; from now on the page is told of what comes. True when the guest has begun already. */
  look(): boolean {
    this.read();
    return Atomics.load(this.#words, BEGUN) === 1;
  }

  /** Takes all that lies here. */
  read(): void {
    const words = this.#words;
    // First this: what is written from now on is told anew.
    Atomics.store(words, TOLD, 0);
    const end = Atomics.load(words, WRITTEN);
    const start = Atomics.load(words, READ);
    if (start === end) return;
    const bytes = this.#copy(start, (end - start) | 0);
    Atomics.store(words, READ, end);
    let joined = 0;
    let stream: 1 | 2 = 1;
    let from = 0;
    for (let at = 0; at < bytes.length;) {
      const head = bytes[at]! | (bytes[at + 1]! << 8);
      const next = (head & 1) === 0 ? 1 : 2;
      if (next !== stream) {
        if (joined > from) this.#receive(stream, bytes.slice(from, joined));
        from = joined;
        stream = next;
      }
      const first = at + HEAD_BYTES;
      at = first + (head >> 1);
      bytes.copyWithin(joined, first, at);
      joined += at - first;
    }
    if (joined > from) this.#receive(stream, bytes.slice(from, joined));
  }

  /** A write came by message: what lay here before it is taken first, and the worker may use the ring again. */
  message(stream: 1 | 2, bytes: Uint8Array<ArrayBuffer>): void {
    this.read();
    this.#receive(stream, bytes);
    Atomics.add(this.#words, TAKEN, 1);
  }

  #copy(start: number, length: number): Uint8Array<ArrayBuffer> {
    const at = start & (OUTPUT_RING_BYTES - 1);
    const bytes = new Uint8Array(length);
    const first = this.#data.subarray(at, at + length);
    bytes.set(first);
    bytes.set(this.#data.subarray(0, length - first.length), first.length);
    return bytes;
  }
}
