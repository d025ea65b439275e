// Reads what follows an opcode, where the walk's fast path does not know it; page, worker and Node.
import { ByteReader } from "./byte-reader.ts";
import { FEATURE } from "./features.ts";
import type { ModuleShape } from "./module-shape.ts";
import { IMMEDIATE as I } from "./opcodes.ts";
import { hex, readHeapType, readValueType } from "./value-types.ts";

/** Reads immediates through one cursor and notes the features they show. */
export class ImmediateReader {
  reader = new ByteReader(new Uint8Array(0));
  /** A memory has 64-bit addresses, so the offset of an access may have 64 bits too. */
  wideOffsets = false;
  readonly #shape: ModuleShape;

  constructor(shape: ModuleShape) {
    this.#shape = shape;
  }

  /** Reads what `kind` says follows the opcode that began at `at`. */
  read(kind: number, at: number): void {
    const { reader } = this;
    switch (kind) {
      case I.none:
        return;
      case I.index:
        return this.#indices(1);
      case I.twoIndices:
        return this.#indices(2);
      case I.threeIndices:
        return this.#indices(3);
      case I.brTable:
        return this.#indices(reader.count(1, 2 ** 32, "labels") + 1);
      case I.memarg:
        return this.memarg();
      case I.memargLane:
        this.memarg();
        return reader.skip(1);
      case I.lane:
        return reader.skip(1);
      case I.bytes16:
        return reader.skip(16);
      case I.i64:
        return reader.skipSigned(64);
      case I.memoryIndex:
        return this.#memoryIndices(1);
      case I.twoMemoryIndices:
        return this.#memoryIndices(2);
      case I.memoryInit:
        this.#indices(1);
        return this.#memoryIndices(1);
      default:
        return this.#readTyped(kind, at);
    }
  }

  /** An alignment, the index of a memory where bit 6 announces one, and an offset. */
  memarg(): void {
    const { reader } = this;
    const { offset, at } = reader;
    const flags = reader.u32();
    if (flags >= 0x80) throw reader.fail("malformed memop flags", at);
    if (flags >= 0x40) {
      this.#shape.log.note(FEATURE.multi_memory, offset);
      reader.u32();
    }
    if (this.wideOffsets) reader.u64();
    else reader.u32();
  }

  /** Nothing, one value type, or the index of a function type. */
  blockType(): void {
    const { reader } = this;
    const byte = reader.peek();
    if (byte === 0x40) reader.at++;
    else if (byte > 0x40 && byte < 0x80) readValueType(reader, this.#shape.log);
    else {
      const { offset, at } = reader;
      if (reader.s33() < 0) throw reader.fail("malformed block type", at);
      this.#shape.log.note(FEATURE.multi_value, offset);
    }
  }

  /** The list of try_table (kinds 0 to 3) or of resume (kinds 0 and 1): the last ones of each have one index, not two. */
  handlers(kinds: 4 | 2): void {
    const { reader } = this;
    for (let count = reader.count(2, 2 ** 32, "handlers"); count > 0; count--) {
      const kind = reader.byte();
      if (kind >= kinds) throw reader.fail("malformed handler", reader.at - 1);
      this.#indices(kind < kinds / 2 ? 2 : 1);
    }
  }

  #readTyped(kind: number, at: number): void {
    const { reader } = this;
    const { log } = this.#shape;
    switch (kind) {
      case I.heapType:
        return void readHeapType(reader, log);
      case I.selectTypes:
        for (let count = reader.count(1, 2 ** 32, "types"); count > 0; count--)
          readValueType(reader, log);
        return;
      case I.castBranch:
        if (reader.byte() > 3) throw reader.fail("malformed cast flags", reader.at - 1);
        this.#indices(1);
        readHeapType(reader, log);
        return void readHeapType(reader, log);
      case I.handlers:
        this.#indices(1);
        return this.handlers(2);
      case I.tagHandlers:
        this.#indices(2);
        return this.handlers(2);
      case I.zero:
        if (reader.byte() !== 0) throw reader.fail("zero byte expected", reader.at - 1);
        return;
      default:
        throw reader.fail(`illegal opcode 0x${hex(reader.bytes[at] as number)}`, at);
    }
  }

  #indices(count: number): void {
    for (let left = count; left > 0; left--) this.reader.u32();
  }

  #memoryIndices(count: number): void {
    for (let left = count; left > 0; left--) {
      const { offset } = this.reader;
      if (this.reader.u32() !== 0) this.#shape.log.note(FEATURE.multi_memory, offset);
    }
  }
}
