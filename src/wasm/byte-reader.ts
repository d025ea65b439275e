// A cursor over a piece of a WebAssembly module: LEB128 numbers, names, counts; page, worker and Node.
import { SandboxError } from "../errors.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The error for bytes that break the binary format; `data.offset` counts from the start of the module. */
export function malformed(message: string, offset: number): SandboxError {
  return new SandboxError("malformed", `malformed module at offset ${offset}: ${message}`, {
    data: { offset, detail: message },
  });
}

/**
 * Reads `bytes` from `at` up to `end`. `base` is the offset in the module of `bytes[0]`, so that errors name the place
 * in the file even when only one section of it is at hand. Every method throws `malformed` instead of reading past `end`.
 */
export class ByteReader {
  readonly bytes: Uint8Array;
  readonly end: number;
  readonly base: number;
  at: number;

  constructor(bytes: Uint8Array, at = 0, end = bytes.length, base = 0) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.base = base;
  }

  /** Offset in the module of the next byte. */
  get offset(): number {
    return this.base + this.at;
  }

  get left(): number {
    return this.end - this.at;
  }

  fail(message: string, at = this.at): SandboxError {
    return malformed(message, this.base + at);
  }

  peek(): number {
    if (this.at >= this.end) throw this.fail("unexpected end", this.end);
    return this.bytes[this.at] as number;
  }

  byte(): number {
    const byte = this.peek();
    this.at++;
    return byte;
  }

  skip(count: number): void {
    if (count > this.left) throw this.fail("unexpected end", this.end);
    this.at += count;
  }

  u32(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      if (shift === 28 && byte > 0x0f) throw this.fail(tooLong(byte), start);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw this.fail("integer representation too long", start);
  }

  /** A u64 as a number: exact up to 2^53, rounded above, which is enough to compare it with a limit. */
  u64(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.byte();
      if (shift === 63 && byte > 0x01) throw this.fail(tooLong(byte), start);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw this.fail("integer representation too long", start);
  }

  /** A 33-bit signed number: a type index when positive, an abstract type when negative. */
  s33(): number {
    const start = this.at;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte();
      if (shift === 28 && byte > 0x0f && (byte & 0x70) !== 0x70)
        throw this.fail(tooLong(byte), start);
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return (byte & 0x40) === 0 ? value : value - 2 ** (shift + 7);
    }
    throw this.fail("integer representation too long", start);
  }

  /** Skips a signed number of 32 or 64 bits. */
  skipSigned(bits: 32 | 64): void {
    const start = this.at;
    const longest = bits === 32 ? 5 : 10;
    for (let length = 1; length <= longest; length++) {
      const byte = this.byte();
      if (length === longest && !isSignExtended(byte, bits)) throw this.fail(tooLong(byte), start);
      if (byte < 0x80) return;
    }
  }

  /** The length of a vector whose items take at least `itemBytes` each, so that no list is longer than the file. */
  count(itemBytes: number, limit: number, what: string): number {
    const start = this.at;
    const count = this.u32();
    if (count > limit) throw this.fail(`${count} ${what}, more than the limit of ${limit}`, start);
    if (count * itemBytes > this.left)
      throw this.fail(`unexpected end: ${count} ${what} announced`, start);
    return count;
  }

  name(): string {
    const start = this.at;
    const length = this.u32();
    if (length > this.left) throw this.fail("unexpected end in a name", start);
    const from = this.at;
    this.at += length;
    try {
      return UTF8.decode(this.bytes.subarray(from, this.at));
    } catch {
      throw this.fail("malformed UTF-8 encoding", from);
    }
  }
}

/** The bits of the last byte that do not belong to the number must repeat its sign. */
function isSignExtended(byte: number, bits: 32 | 64): boolean {
  const unused = bits === 32 ? 0x78 : 0x7f;
  return byte < 0x80 && ((byte & unused) === 0 || (byte & unused) === unused);
}

function tooLong(byte: number): string {
  return byte < 0x80 ? "integer too large" : "integer representation too long";
}
