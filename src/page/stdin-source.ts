// Where a run's stdin comes from when it is not known in advance: a stream, or a person typing; page and Node.

import { SandboxError } from "../errors.ts";
import { FILE_PART_BYTES } from "../limits.ts";

/** Bytes a writer may put in before it is asked to wait. */
const WRITE_AHEAD_BYTES = 64 * 1024;

/** Holds what was written or read and not yet asked for; answers the guest's reads and polls. */
export class StdinSource {
  /** For `stdin: "interactive"`: what is written here the guest reads; closing it is the end of file. */
  readonly writable: WritableStream<Uint8Array | string>;
  private readonly queue: Uint8Array[] = [];
  private readonly text = new TextChunks();
  private queued = 0;
  private atEnd = false;
  /** Why nothing more will come, when that is not the end. */
  private failure: { readonly reason: unknown } | undefined;
  private readonly piping = new AbortController();
  private wakeGuest: (() => void) | undefined;
  private wakeWriter: (() => void) | undefined;

  constructor() {
    this.writable = new WritableStream<Uint8Array | string>({
      write: (chunk) => this.write(chunk),
      close: () => {
        this.put(this.text.rest());
        this.end();
      },
      abort: (reason) => this.fail(reason),
    });
  }

  /** Feeds a stream into stdin. Its error is one for the guest, too: half an input must not pass for all of it. */
  static from(stream: ReadableStream<Uint8Array | string>): StdinSource {
    const source = new StdinSource();
    const { signal } = source.piping;
    stream.pipeTo(source.writable, { signal }).catch((error: unknown) => source.fail(error));
    return source;
  }

  /** At most `max` bytes, as soon as there are some; none at the end of file. Rejects where the input broke off. */
  async read(max: number): Promise<Uint8Array> {
    await this.ready(Infinity);
    const first = this.queue[0];
    if (!first && this.failure) throw this.failure.reason;
    if (!first) return new Uint8Array(0);
    const bytes = first.subarray(0, Math.min(max, FILE_PART_BYTES));
    if (bytes.byteLength === first.byteLength) this.queue.shift();
    else this.queue[0] = first.subarray(bytes.byteLength);
    this.queued -= bytes.byteLength;
    if (this.queued < WRITE_AHEAD_BYTES) this.wakeWriter?.();
    return bytes;
  }

  /** True as soon as a read would not wait, for bytes or at the end; false when `ms` have passed before. */
  async ready(ms: number): Promise<boolean> {
    if (!this.readable() && ms > 0) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.wakeGuest = resolve;
        if (ms < 2 ** 31) timer = setTimeout(resolve, ms);
      });
      clearTimeout(timer);
      this.wakeGuest = undefined;
    }
    return this.readable();
  }

  /** The run is over: nobody reads any more, so a stream that was piped in is cancelled. */
  close(): void {
    this.end();
    this.piping.abort();
  }

  private fail(reason: unknown): void {
    this.failure ??= { reason };
    this.end();
  }

  /** End of file for the guest, and release of every writer. */
  private end(): void {
    this.atEnd = true;
    this.wakeGuest?.();
    this.wakeWriter?.();
  }

  private readable(): boolean {
    return this.queued > 0 || this.atEnd;
  }

  private put(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return;
    this.queue.push(bytes);
    this.queued += bytes.byteLength;
    this.wakeGuest?.();
  }

  private bytesOf(chunk: Uint8Array | string): Uint8Array {
    if (typeof chunk === "string") return this.text.encode(chunk);
    if (!(chunk instanceof Uint8Array)) {
      throw new SandboxError("bad_option", "stdin takes strings and Uint8Arrays");
    }
    this.put(this.text.rest());
    return new Uint8Array(chunk); // Buffer.slice() would be no copy
  }

  private async write(chunk: Uint8Array | string): Promise<void> {
    let bytes: Uint8Array;
    try {
      bytes = this.bytesOf(chunk);
    } catch (error) {
      this.fail(error); // the writer is in error now, and nothing more can be written
      throw error;
    }
    if (this.atEnd) return;
    this.put(bytes);
    if (this.queued < WRITE_AHEAD_BYTES) return;
    await new Promise<void>((resolve) => {
      this.wakeWriter = resolve;
    });
  }
}

const encoder = new TextEncoder();

/** Turns text that comes in chunks into UTF-8; a character that was cut in two is still one. */
class TextChunks {
  private half = "";

  encode(chunk: string): Uint8Array {
    const text = this.half + chunk;
    const last = text.charCodeAt(text.length - 1);
    const whole = last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
    this.half = text.slice(whole);
    return encoder.encode(text.slice(0, whole));
  }

  /** What nothing came for any more: a replacement character. */
  rest(): Uint8Array {
    const { half } = this;
    this.half = "";
    return encoder.encode(half);
  }
}
