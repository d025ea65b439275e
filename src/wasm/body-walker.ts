// Walks the instructions of function bodies without validating types: features, malformed code; page, worker and Node.
import { ByteReader } from "./byte-reader.ts";
import { ImmediateReader } from "./immediates.ts";
import type { ModuleShape } from "./module-shape.ts";
import { IMMEDIATE as I, OPCODES, type OpcodeTable, PREFIXED } from "./opcodes.ts";
import { hex, readValueType } from "./value-types.ts";

const IF = 0x04;
const ELSE = 0x05;
const TRY = 0x06;
const CATCH = 0x07;
const DELEGATE = 0x18;
const TABLE_SET = 0x26;
const FIRST_PREFIX = 0xfb;
const MISC_PREFIX = 0xfc;
/** After MISC_PREFIX. */
const DATA_DROP = 9;
const ELEM_DROP = 13;
const NEEDS_DATA_COUNT: ReadonlySet<number> = new Set([8, DATA_DROP]); // memory.init, data.drop
const WRITES_TABLE: ReadonlySet<number> = new Set([12, 14, 15, 17]); // table.init, .copy, .grow, .fill

/**
 * Walks one function body after another and notes features in the shape's log. Nesting is counted, never recursed into,
 * and every byte is looked at once. Throws `malformed` at the first byte that is no instruction.
 */
export class BodyWalker {
  /** A table was written: table.set, .init, .copy, .grow or .fill. */
  tableWrites = false;
  /** A segment was dropped: data.drop or elem.drop. */
  segmentDrops = false;
  readonly #shape: ModuleShape;
  readonly #immediates: ImmediateReader;
  #reader: ByteReader;
  /** Opcodes of the open blocks. */
  #blocks = new Uint8Array(256);

  constructor(shape: ModuleShape) {
    this.#shape = shape;
    this.#immediates = new ImmediateReader(shape);
    this.#reader = this.#immediates.reader;
  }

  /** Walks the body, locals included, from `at` to `end` in `bytes`; `base` is the module offset of `bytes[0]`. */
  walk(bytes: Uint8Array, at: number, end: number, base: number): void {
    this.#reader = this.#immediates.reader = new ByteReader(bytes, at, end, base);
    this.#immediates.wideOffsets = this.#shape.memories.some(({ limits }) => limits.is64);
    this.#readLocals();
    this.#walkInstructions(bytes, this.#reader.at, end);
  }

  #readLocals(): void {
    const reader = this.#reader;
    let total = 0;
    for (let groups = reader.count(2, 2 ** 32, "groups of locals"); groups > 0; groups--) {
      const { at } = reader;
      total += reader.u32();
      if (total >= 2 ** 32) throw reader.fail("too many locals", at);
      readValueType(reader, this.#shape.log);
    }
  }

  /** The fast path: what real code is made of, without a call for most instructions. */
  #walkInstructions(bytes: Uint8Array, start: number, end: number): void {
    const { immediate, feature } = OPCODES;
    let blocks = this.#blocks;
    let depth = 0;
    let at = start;
    while (at < end) {
      const opcode = bytes[at++] as number;
      const needs = feature[opcode] as number;
      if (needs !== 0) this.#note(needs, opcode, at - 1);
      switch (immediate[opcode]) {
        case I.none:
          break;
        case I.index:
          at = (bytes[at] as number) < 0x80 ? at + 1 : this.#pastU32(bytes, at);
          break;
        case I.memarg:
          if ((bytes[at] as number) >= 0x40) at = this.#pastMemarg(at);
          else at = (bytes[at + 1] as number) < 0x80 ? at + 2 : this.#pastOffset(bytes, at + 1);
          break;
        case I.i32:
          at = (bytes[at] as number) < 0x80 ? at + 1 : this.#pastS32(bytes, at);
          break;
        case I.block:
          if (depth === blocks.length) blocks = this.#growBlocks();
          blocks[depth++] = opcode;
          at = bytes[at] === 0x40 ? at + 1 : this.#pastBlockType(at);
          break;
        case I.end:
          if (depth-- > 0) break;
          if (at !== end)
            throw this.#reader.fail("operators remaining after the end of the function", at);
          return;
        case I.f64:
          at += 8;
          break;
        case I.f32:
          at += 4;
          break;
        default:
          depth = this.#walkRare(opcode, at, depth);
          at = this.#reader.at;
          blocks = this.#blocks;
      }
    }
    throw this.#reader.fail(at > end ? "unexpected end" : "END opcode expected", end);
  }

  #note(feature: number, opcode: number, at: number): void {
    if (opcode === TABLE_SET) this.tableWrites = true;
    this.#shape.log.note(feature, this.#reader.base + at);
  }

  #growBlocks(): Uint8Array<ArrayBuffer> {
    const grown = new Uint8Array(2 * this.#blocks.length);
    grown.set(this.#blocks);
    return (this.#blocks = grown);
  }

  /** Past a number whose first byte is not its last. Unrolled: most indices of functions take two bytes. */
  #pastU32(bytes: Uint8Array, at: number): number {
    if ((bytes[at + 1] as number) < 0x80) return at + 2;
    if ((bytes[at + 2] as number) < 0x80) return at + 3;
    if ((bytes[at + 3] as number) < 0x80) return at + 4;
    if ((bytes[at + 4] as number) < 0x10) return at + 5;
    this.#reader.at = at;
    this.#reader.u32();
    return this.#reader.at;
  }

  #pastS32(bytes: Uint8Array, at: number): number {
    if ((bytes[at + 1] as number) < 0x80) return at + 2;
    if ((bytes[at + 2] as number) < 0x80) return at + 3;
    if ((bytes[at + 3] as number) < 0x80) return at + 4;
    this.#reader.at = at;
    this.#reader.skipSigned(32);
    return this.#reader.at;
  }

  #pastOffset(bytes: Uint8Array, at: number): number {
    if (!this.#immediates.wideOffsets) return this.#pastU32(bytes, at);
    this.#reader.at = at;
    this.#reader.u64();
    return this.#reader.at;
  }

  #pastMemarg(at: number): number {
    this.#reader.at = at;
    this.#immediates.memarg();
    return this.#reader.at;
  }

  #pastBlockType(at: number): number {
    this.#reader.at = at;
    this.#immediates.blockType();
    return this.#reader.at;
  }

  /** Walks an instruction that is seldom, whose opcode ends before `at`, and returns the depth after it. */
  #walkRare(opcode: number, at: number, depth: number): number {
    const reader = this.#reader;
    const kind = OPCODES.immediate[opcode] as number;
    reader.at = at;
    if (kind === I.prefix) this.#walkPrefixed(opcode);
    else if (kind === I.else || kind === I.catch || kind === I.delegate)
      return this.#continueBlock(opcode, depth);
    else if (kind === I.tryTable) {
      this.#immediates.blockType();
      this.#immediates.handlers(4);
      if (depth === this.#blocks.length) this.#growBlocks();
      this.#blocks[depth] = opcode;
      return depth + 1;
    } else this.#immediates.read(kind, at - 1);
    return depth;
  }

  #continueBlock(opcode: number, depth: number): number {
    const reader = this.#reader;
    const open = depth === 0 ? -1 : (this.#blocks[depth - 1] as number);
    if (opcode === ELSE ? open !== IF : open !== TRY && (open !== CATCH || opcode === DELEGATE)) {
      throw reader.fail(`illegal opcode 0x${hex(opcode)} outside its block`, reader.at - 1);
    }
    if (opcode === CATCH || opcode === DELEGATE) reader.u32();
    this.#blocks[depth - 1] = opcode;
    return opcode === DELEGATE ? depth - 1 : depth;
  }

  #walkPrefixed(prefix: number): void {
    const reader = this.#reader;
    const at = reader.at - 1;
    const table = PREFIXED[prefix - FIRST_PREFIX] as OpcodeTable;
    const opcode = reader.u32();
    const kind = table.immediate[opcode] ?? I.unknown;
    if (kind === I.unknown)
      throw reader.fail(`illegal opcode 0x${hex(prefix)} 0x${hex(opcode)}`, at);
    this.#shape.log.note(table.feature[opcode] as number, reader.base + at);
    if (prefix === MISC_PREFIX) this.#noteEffects(opcode, at);
    this.#immediates.read(kind, at);
  }

  #noteEffects(opcode: number, at: number): void {
    if (WRITES_TABLE.has(opcode)) this.tableWrites = true;
    if (opcode === DATA_DROP || opcode === ELEM_DROP) this.segmentDrops = true;
    if (NEEDS_DATA_COUNT.has(opcode) && this.#shape.dataCount === undefined) {
      throw this.#reader.fail("data count section required", at);
    }
  }
}
