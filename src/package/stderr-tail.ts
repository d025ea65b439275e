// Keeps the last bytes of stderr, however much is written; anywhere.

/** The last `mostBytes` of a stream. */
export class StderrTail {
  readonly #mostBytes: number;
  /** Twice as long, so that bytes are moved once for every `mostBytes` that come. Most packages write none. */
  #kept = new Uint8Array(0);
  #length = 0;
  #cut = false;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(chunk: Uint8Array): void {
    if (this.#kept.length === 0) this.#kept = new Uint8Array(2 * this.#mostBytes);
    const last = chunk.subarray(Math.max(0, chunk.length - this.#mostBytes));
    if (last.length < chunk.length) this.#cut = true;
    if (this.#length + last.length > this.#kept.length) {
      const from = this.#length - this.#mostBytes;
      this.#kept.copyWithin(0, from, this.#length);
      this.#length = this.#mostBytes;
      this.#cut = true;
    }
    this.#kept.set(last, this.#length);
    this.#length += last.length;
  }

  /** As text; a character that was cut at the start is left out, bad bytes are replaced. */
  text(): string {
    if (this.#length === 0) return "";
    let from = Math.max(0, this.#length - this.#mostBytes);
    if (from > 0 || this.#cut) {
      const most = Math.min(from + 3, this.#length);
      while (from < most && (this.#kept[from]! & 0xc0) === 0x80) from++;
    }
    return new TextDecoder().decode(this.#kept.subarray(from, this.#length));
  }
}
