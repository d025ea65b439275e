// The three standard streams: stdin from bytes or from the page, stdout and stderr with credit; worker.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { FILE_PART_BYTES, OUTPUT_CHUNK_BYTES, OUTPUT_IN_FLIGHT_BYTES } from "../limits.ts";
import type { Step } from "../wire/blocking-call.ts";
import {
  decodeNumber,
  encodeCreditRequest,
  encodePollRequest,
  encodeStdinRequest,
} from "../wire/messages.ts";
import { Stream, type Readiness } from "./syscalls/descriptor.ts";
import { STREAM_RIGHTS } from "./syscalls/rights.ts";
import type { GuestMemory } from "./wasi-memory.ts";
import type { Vectors } from "./wasi-vectors.ts";

/** A terminal is a character device without seek and tell; anything else is of no known kind, as pipes are. */
function typeOf(tty: boolean): number {
  return tty ? wasi.FILETYPE_CHARACTER_DEVICE : wasi.FILETYPE_UNKNOWN;
}

/** Stdin: bytes that are all here, or asked from the page piece by piece. */
export class Stdin extends Stream {
  /** What came and was not read yet. */
  #rest: Uint8Array;
  #ended: boolean;

  constructor(tty: boolean, bytes?: Uint8Array) {
    super(typeOf(tty), STREAM_RIGHTS | wasi.RIGHTS_FD_READ);
    this.#rest = bytes ?? new Uint8Array(0);
    this.#ended = bytes !== undefined;
  }

  read(memory: GuestMemory, vectors: Vectors): Step {
    if (vectors.total === 0 || this.#rest.length > 0) return this.#take(memory, vectors);
    if (this.#ended) return 0;
    const take = (error: number): Step => (error < 0 ? error : this.#take(memory, vectors));
    if ((this.flags & wasi.FDFLAGS_NONBLOCK) === 0) return this.#fetch(vectors.total, take);
    return this.poll(0, (ready) => (ready ? this.#take(memory, vectors) : -wasi.ERRNO_AGAIN));
  }

  write(): number {
    return -wasi.ERRNO_BADF;
  }

  override readable(): Readiness {
    return this.#rest.length || (this.#ended ? "end" : undefined);
  }

  /** Waits for input or its end, at most `ms`; `then` is told whether there is any. */
  poll(ms: number, then: (ready: boolean) => Step): Step {
    return {
      wait: "call",
      kind: "poll",
      request: encodePollRequest(ms),
      resume: (answer) => {
        if (answer.ok && decodeNumber(answer.bytes) === 0) return then(false);
        // It is there: fetching it does not wait, and tells how much it is and whether it is the end.
        return this.#fetch(FILE_PART_BYTES, () => then(true));
      },
    };
  }

  #fetch(most: number, then: (error: number) => Step): Step {
    return {
      wait: "call",
      kind: "stdin",
      request: encodeStdinRequest(Math.min(most, FILE_PART_BYTES)),
      resume: (answer) => {
        // After a failure nothing more comes; a poll that kept hoping would never end.
        if (!answer.ok || answer.bytes.length === 0) this.#ended = true;
        else this.#rest = answer.bytes;
        return then(answer.ok ? 0 : -wasi.ERRNO_IO);
      },
    };
  }

  #take(memory: GuestMemory, vectors: Vectors): number {
    const count = vectors.scatter(memory, this.#rest);
    this.#rest = this.#rest.subarray(count);
    return count;
  }
}

/** Takes output; the bytes are its own from then on. True when that needed no message. */
export type Emit = (stream: 1 | 2, bytes: Uint8Array<ArrayBuffer>) => boolean | void;

/** Stdout or stderr. Every write leaves at once; when too much is on its way, the guest waits for the page. */
export class OutputStream extends Stream {
  readonly #stream: 1 | 2;
  readonly #emit: Emit;
  /** Bytes that wait for a reader, and what the messages that carry them cost. */
  #inFlight = 0;
  #sent = 0;
  /** Bytes that nobody will miss. */
  #dropping = 0;

  constructor(stream: 1 | 2, tty: boolean, emit: Emit) {
    super(typeOf(tty), STREAM_RIGHTS | wasi.RIGHTS_FD_WRITE);
    this.#stream = stream;
    this.#emit = emit;
  }

  read(): number {
    return -wasi.ERRNO_BADF;
  }

  write(memory: GuestMemory, vectors: Vectors): Step {
    return this.#send(memory, vectors, 0);
  }

  override writable(): Readiness {
    return Math.max(1, OUTPUT_IN_FLIGHT_BYTES - this.#inFlight);
  }

  #send(memory: GuestMemory, vectors: Vectors, sent: number): Step {
    let done = sent;
    while (done < vectors.total) {
      if (this.#dropping > 0) {
        const dropped = Math.min(this.#dropping, vectors.total - done);
        this.#dropping -= dropped;
        done += dropped;
        continue;
      }
      const room = OUTPUT_IN_FLIGHT_BYTES - this.#inFlight;
      if (room <= 0) return this.#awaitCredit(memory, vectors, done);
      const part = Math.min(room, vectors.total - done);
      const bytes = vectors.gather(memory, done, part);
      if (bytes === undefined) return done > 0 ? done : -wasi.ERRNO_NOMEM;
      const free = this.#emit(this.#stream, bytes) === true;
      this.#inFlight += free ? part : part + OUTPUT_CHUNK_BYTES;
      this.#sent += part;
      done += part;
    }
    return done;
  }

  #awaitCredit(memory: GuestMemory, vectors: Vectors, done: number): Step {
    return {
      wait: "call",
      kind: "credit",
      request: encodeCreditRequest(this.#stream, this.#sent),
      resume: (answer) => {
        if (!answer.ok) return done > 0 ? done : -wasi.ERRNO_IO;
        const waiting = decodeNumber(answer.bytes) || 0;
        this.#inFlight = Math.max(0, waiting);
        this.#dropping = Math.max(0, -waiting);
        return this.#send(memory, vectors, done);
      },
    };
  }
}
