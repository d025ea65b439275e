// Cuts a stream of bytes into lines, up to a number of bytes in all; anywhere.

const NEWLINE = 10;

/** Takes chunks as they come and gives whole lines, without their "\n". */
export class LineSplitter {
  readonly #mostBytes: number;
  readonly #parts: Uint8Array[] = [];
  #partBytes = 0;
  #bytes = 0;

  /** `mostBytes` counts everything, the newlines too. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** False once more bytes came than allowed; those that were too many are dropped, and so is all that comes after. */
  push(chunk: Uint8Array, onLine: (line: Uint8Array) => void): boolean {
    const room = this.#mostBytes - this.#bytes;
    this.#bytes += chunk.length;
    const taken = chunk.subarray(0, Math.max(0, room));
    let from = 0;
    for (let end = taken.indexOf(NEWLINE); end >= 0; end = taken.indexOf(NEWLINE, from)) {
      onLine(this.#join(taken.subarray(from, end)));
      from = end + 1;
    }
    if (from < taken.length) {
      this.#parts.push(taken.subarray(from));
      this.#partBytes += taken.length - from;
    }
    return this.#bytes <= this.#mostBytes;
  }

  /** What came after the last newline, if anything. */
  rest(): Uint8Array | undefined {
    return this.#parts.length === 0 ? undefined : this.#join(new Uint8Array(0));
  }

  #join(last: Uint8Array): Uint8Array {
    if (this.#parts.length === 0) return last;
    const line = new Uint8Array(this.#partBytes + last.length);
    let at = 0;
    for (const part of this.#parts) {
      line.set(part, at);
      at += part.length;
    }
    line.set(last, at);
    this.#parts.length = 0;
    this.#partBytes = 0;
    return line;
  }
}
