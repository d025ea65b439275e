// One output stream of a run: kept for the result up to a cap, read live by whoever locks it, with flow control; page and Node.

import { OUTPUT_DROP_BYTES, OUTPUT_IN_FLIGHT_BYTES } from "../limits.ts";

/** Milliseconds between two looks whether a reader that has the guest wait has gone: giving a lock back tells nobody. */
const LOCK_WATCH_MS = 100;

/** Bytes handed to a reader at once. */
const READ_BYTES = 256 * 1024;

/** What a run does with what its guest writes on one stream. */
export interface RunOutput {
  readonly stream: ReadableStream<Uint8Array>;
  readonly truncated: boolean;
  receive(bytes: Uint8Array): void;
  room(sentBytes: number): Promise<number> | number;
  end(): void;
  bytes(): Uint8Array<ArrayBuffer>;
}

/**
 * Takes chunks as they come from the worker. What nobody reads counts as arrived at once, so a flood costs the page no
 * more than the cap; once someone has locked the stream, it is the reader that makes room.
 */
export class OutputStream implements RunOutput {
  /** A reader gets all that was kept, from the start, then what comes. */
  readonly stream: ReadableStream<Uint8Array>;
  /** True once something was left out of the result. */
  truncated = false;
  private readonly capBytes: number;
  /** One buffer that doubles, not a list: a guest that writes byte by byte must not cost an object a byte. */
  private kept = new Uint8Array(1024);
  private keptBytes = 0;
  /** How far the reader is, and how far nobody was reading when the bytes came. */
  private receivedBytes = 0;
  private readBytes = 0;
  private unawaitedBytes = 0;
  /** Past the cap: for a live reader only. */
  private readonly passing: Uint8Array[] = [];
  private passingBytes = 0;
  private over = false;
  private cancelled = false;
  private wakeReader: (() => void) | undefined;
  private wakeWriter: (() => void) | undefined;

  constructor(capBytes: number) {
    this.capBytes = capBytes;
    this.stream = new ReadableStream<Uint8Array>(
      { pull: (controller) => this.pull(controller), cancel: () => this.cancel() },
      { highWaterMark: 0 },
    );
  }

  /** A chunk from the worker; ignored once the run has settled. */
  receive(bytes: Uint8Array): void {
    if (this.over) return;
    this.receivedBytes += bytes.byteLength;
    const room = this.capBytes - this.keptBytes;
    const read = this.stream.locked && !this.cancelled;
    if (room > 0) this.keep(bytes.subarray(0, room));
    if (!read) this.unawaitedBytes = this.keptBytes;
    if (bytes.byteLength > room) {
      this.truncated = true;
      if (read) this.pass(bytes.subarray(room));
    }
    this.wakeReader?.();
    this.wakeWriter?.();
  }

  /**
   * Settles when the writer may send more: the number of bytes that wait for a reader, once the `sentBytes` it has sent
   * in all are here. Negative: so many may be dropped, because the cap is reached and nobody reads.
   */
  room(sentBytes: number): Promise<number> | number {
    if (this.mayWrite(sentBytes)) return this.credit();
    return new Promise((resolve) => {
      const watch = setInterval(() => this.wakeWriter?.(), LOCK_WATCH_MS);
      this.wakeWriter = () => {
        if (!this.mayWrite(sentBytes)) return;
        clearInterval(watch);
        this.wakeWriter = undefined;
        resolve(this.credit());
      };
    });
  }

  /** No more will come. */
  end(): void {
    this.over = true;
    this.wakeReader?.();
    this.wakeWriter?.();
  }

  /** All that was kept, as one array. */
  bytes(): Uint8Array<ArrayBuffer> {
    const { kept, keptBytes } = this;
    return kept.byteLength === keptBytes ? kept : kept.slice(0, keptBytes);
  }

  private mayWrite(sentBytes: number): boolean {
    if (this.over) return true;
    return this.receivedBytes >= sentBytes && this.inFlight() < OUTPUT_IN_FLIGHT_BYTES;
  }

  private credit(): number {
    if (this.stream.locked && !this.cancelled) return this.inFlight();
    this.unawaitedBytes = this.keptBytes;
    if (this.keptBytes < this.capBytes) return 0;
    this.truncated = true;
    return -OUTPUT_DROP_BYTES;
  }

  private inFlight(): number {
    if (this.cancelled || !this.stream.locked) return 0;
    const awaited = this.keptBytes - Math.max(this.readBytes, this.unawaitedBytes);
    return Math.max(0, awaited) + this.passingBytes;
  }

  private keep(bytes: Uint8Array): void {
    const needed = this.keptBytes + bytes.byteLength;
    if (needed > this.kept.byteLength) {
      const larger = new Uint8Array(
        Math.min(this.capBytes, Math.max(needed, 2 * this.kept.byteLength)),
      );
      larger.set(this.kept.subarray(0, this.keptBytes));
      this.kept = larger;
    }
    this.kept.set(bytes, this.keptBytes);
    this.keptBytes = needed;
  }

  private pass(bytes: Uint8Array): void {
    this.passing.push(bytes);
    this.passingBytes += bytes.byteLength;
  }

  private async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    for (;;) {
      const bytes = this.take();
      if (bytes) {
        controller.enqueue(bytes);
        this.wakeWriter?.();
        return;
      }
      if (this.over) return controller.close();
      await new Promise<void>((resolve) => {
        this.wakeReader = resolve;
      });
      this.wakeReader = undefined;
    }
  }

  /** The next bytes for the reader: a copy, since it may transfer or change them. */
  private take(): Uint8Array | undefined {
    if (this.readBytes < this.keptBytes) {
      const to = Math.min(this.keptBytes, this.readBytes + READ_BYTES);
      const bytes = this.kept.slice(this.readBytes, to);
      this.readBytes = to;
      return bytes;
    }
    const passed = this.passing.shift();
    this.passingBytes -= passed?.byteLength ?? 0;
    return passed;
  }

  private cancel(): void {
    this.cancelled = true;
    this.passing.length = 0;
    this.passingBytes = 0;
    this.wakeWriter?.();
    this.wakeReader?.();
  }
}
