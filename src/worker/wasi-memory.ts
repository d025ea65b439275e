// The guest's memory as the WASI imports see it: ranges checked first, views taken again after it grew; worker.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const TWO_32 = 4_294_967_296;

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
    const bytes = this.bytes;
    if (length <= 64) {
      let text = "";
      let i = 0;
      for (; i < length; i++) {
        const byte = bytes[pointer + i]!;
        if (byte >= 0x80) break;
        text += String.fromCharCode(byte);
      }
      if (i === length) return text;
    }
    try {
      // A copy, because TextDecoder refuses shared memory.
      return decoder.decode(bytes.slice(pointer, pointer + length));
    } catch {
      return undefined;
    }
  }

  #take(): void {
    if (this.#memory === undefined) return;
    const { buffer } = this.#memory;
    if (buffer === this.bytes.buffer && this.bytes.length === buffer.byteLength) return;
    this.bytes = new Uint8Array(buffer);
    this.view = new DataView(buffer);
  }
}
