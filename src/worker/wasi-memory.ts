// The guest's memory as the WASI imports see it: ranges checked first, views taken again after it grew; worker.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TWO_32 = 4_294_967_296;
/** Up to here text is read byte by byte, if it is ASCII. */
const SHORT_BYTES = 128;

/** Guest memory. Pointers are unsigned numbers; `fits` comes before every access. */
export class GuestMemory {
  #memory: WebAssembly.Memory | undefined;
  /** All of memory. Empty once memory has grown, until `fits` takes it again. */
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(this.bytes.buffer);

  /** The memory of the instance; before this every range is out of bounds. */
  attach(memory: WebAssembly.Memory): void {
    this.#memory = memory;
    this.#take();
  }

  /** There is no instance any more. */
  detach(): void {
    this.#memory = undefined;
    this.bytes = new Uint8Array(0);
    this.view = new DataView(this.bytes.buffer);
  }

  /** Does the range lie inside memory? */
  fits(pointer: number, length: number): boolean {
    const end = pointer + length;
    // A length of 0 is that of a view whose memory has grown: not even an empty range of it can be used.
    if (end <= this.bytes.length && this.bytes.length !== 0) return true;
    this.#take();
    return end <= this.bytes.length;
  }

  /** Writes an unsigned 64-bit number that is exact as a double (or a whole number of any size below 2^64). */
  setU64(pointer: number, value: number): void {
    const high = Math.floor(value / TWO_32);
    this.view.setUint32(pointer, value - high * TWO_32, true);
    this.view.setUint32(pointer + 4, high, true);
  }

  /** Text of a range that fits; undefined when it is not UTF-8. A byte order mark stays. */
  text(pointer: number, length: number): string | undefined {
    const short = length <= SHORT_BYTES ? this.#ascii(pointer, length) : undefined;
    if (short !== undefined) return short;
    try {
      // A copy, because TextDecoder refuses shared memory.
      return decoder.decode(this.bytes.slice(pointer, pointer + length));
    } catch {
      return undefined;
    }
  }

  /** Paths are mostly short and ASCII; by fours this takes a third of the time a decoder takes. */
  #ascii(pointer: number, length: number): string | undefined {
    const { bytes } = this;
    const end = pointer + length;
    let text = "";
    let at = pointer;
    for (; at + 4 <= end; at += 4) {
      const [a, b, c, d] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!];
      if ((a | b | c | d) >= 0x80) return undefined;
      text += String.fromCharCode(a, b, c, d);
    }
    for (; at < end; at++) {
      if (bytes[at]! >= 0x80) return undefined;
      text += String.fromCharCode(bytes[at]!);
    }
    return text;
  }

  #take(): void {
    if (this.#memory === undefined) return;
    const { buffer } = this.#memory;
    if (buffer === this.bytes.buffer && this.bytes.length === buffer.byteLength) return;
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }
}
