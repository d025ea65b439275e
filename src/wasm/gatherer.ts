// Puts pieces of a stream together until enough is at hand, copying only what spans two pieces; page, worker and Node.

/** Gathers one run of bytes after another. A run that lies in one piece is returned as a view, without a copy. */
export class Gatherer {
  #buffer = new Uint8Array(0);
  #length = 0;

  /** Bytes gathered of the run at hand. */
  get length(): number {
    return this.#length;
  }

  soFar(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Adds `count` bytes of `piece` to a run of `wanted` bytes and returns the run once it is complete. */
  take(piece: Uint8Array, at: number, count: number, wanted: number): Uint8Array | undefined {
    if (this.#length === 0 && count === wanted) return piece.subarray(at, at + count);
    this.#reserve(count, wanted);
    this.#buffer.set(piece.subarray(at, at + count), this.#length);
    this.#length += count;
    return this.#length === wanted ? this.#complete() : undefined;
  }

  /** Adds one byte to a run whose length only its last byte tells. */
  add(byte: number, isLast: boolean): Uint8Array | undefined {
    this.#reserve(1, 16);
    this.#buffer[this.#length++] = byte;
    return isLast ? this.#complete() : undefined;
  }

  #complete(): Uint8Array {
    const run = this.soFar();
    this.#buffer = new Uint8Array(0);
    this.#length = 0;
    return run;
  }

  /** Grows by doubling: a size that the file merely claims is not allocated before its bytes arrive. */
  #reserve(count: number, wanted: number): void {
    const needed = this.#length + count;
    if (needed <= this.#buffer.length) return;
    const grown = new Uint8Array(Math.max(needed, Math.min(wanted, 2 * needed)));
    grown.set(this.soFar());
    this.#buffer = grown;
  }
}
