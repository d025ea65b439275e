// Takes a code section apart into function bodies while it arrives in pieces, and walks them; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { MODULE_ENTRIES } from "../limits.ts";
import type { BodyScanner } from "./body-scanner.ts";
import { BodyWalker } from "./body-walker.ts";
import { ByteReader, malformed } from "./byte-reader.ts";
import { Gatherer } from "./gatherer.ts";
import type { ModuleShape } from "./module-shape.ts";

/** Bytes of the longest u32. */
const LONGEST_U32 = 5;

/** Walks the bodies of one code section; only a body that spans two pieces is copied. */
export class CodeWalker {
  readonly #shape: ModuleShape;
  readonly #bodies: BodyWalker;
  readonly #gatherer = new Gatherer();
  /** Passes over plain bodies; not where offsets may have 64 bits, which it does not read. */
  readonly #scanner: BodyScanner | undefined;
  readonly #onMalformed: (error: SandboxError) => void;
  /** Bodies still to come; -1 until their count was read. */
  #left = -1;
  #function = 0;
  /** Size of the body at hand; -1 until it was read. */
  #size = -1;
  /** Module offset of the end of the section. */
  readonly #sectionEnd: number;

  /** `onMalformed` hears of every malformed body, as an error with `data.functionIndex`, and may throw it. */
  constructor(
    shape: ModuleShape,
    sectionEnd: number,
    scanner: BodyScanner | undefined,
    onMalformed: (error: SandboxError) => void,
  ) {
    this.#shape = shape;
    this.#bodies = new BodyWalker(shape);
    this.#sectionEnd = sectionEnd;
    this.#onMalformed = onMalformed;
    this.#function = shape.importedFunctions;
    this.#scanner = shape.memories.some(({ limits }) => limits.is64) ? undefined : scanner;
    this.#scanner?.reset();
  }

  /** Walks what lies in `piece` from `from` to `to`; `base` is the module offset of `piece[0]`. */
  push(piece: Uint8Array, from: number, to: number, base: number): void {
    for (let at = from; at < to;) at = this.#step(piece, at, to, base);
  }

  /** Ends the section and hands the shape what the bodies do. */
  end(): void {
    if (this.#left !== 0)
      throw malformed(`unexpected end: ${this.#left} functions missing`, this.#sectionEnd);
    const { tableWrites, segmentDrops } = this.#bodies;
    this.#shape.bodies = { tableWrites, segmentDrops };
  }

  #step(piece: Uint8Array, at: number, to: number, base: number): number {
    if (this.#left === 0) throw malformed("code section size mismatch", base + at);
    if (this.#size < 0) {
      const next =
        this.#left > 0 && this.#gatherer.length === 0 ? this.#scan(piece, at, to, base) : at;
      return next > at ? next : this.#readNumber(piece, at, to, base);
    }
    const count = Math.min(this.#size - this.#gatherer.length, to - at);
    const next = at + count;
    if (count === this.#size) this.#walkNext(piece, at, next, base);
    else {
      const body = this.#gatherer.take(piece, at, count, this.#size);
      if (body !== undefined) this.#walkNext(body, 0, body.length, base + next - body.length);
    }
    return next;
  }

  /** Lets the scanner pass over what bodies it can, and walks those that it refused. */
  #scan(piece: Uint8Array, at: number, to: number, base: number): number {
    if (this.#scanner === undefined) return at;
    const first = this.#function;
    const { next, taken, refused, seen } = this.#scanner.scan(piece, at, to, this.#left);
    this.#shape.log.noteStandard(seen);
    for (const { index, start, end } of refused) {
      this.#function = first + index;
      this.#walk(piece, start, end, base);
    }
    this.#function = first + taken;
    this.#left -= taken;
    return next;
  }

  /** Reads the count of bodies or the size of one. */
  #readNumber(piece: Uint8Array, at: number, to: number, base: number): number {
    for (let next = at; next < to; next++) {
      const byte = piece[next] as number;
      const number = this.#gatherer.add(
        byte,
        byte < 0x80 || this.#gatherer.length === LONGEST_U32 - 1,
      );
      if (number === undefined) continue;
      const end = base + next + 1;
      const value = new ByteReader(number, 0, number.length, end - number.length).u32();
      if (this.#left < 0) this.#setCount(value, end);
      else this.#setSize(value, end);
      return next + 1;
    }
    return to;
  }

  #setCount(count: number, offset: number): void {
    const declared = this.#shape.functionTypes.length - this.#shape.importedFunctions;
    if (count !== declared || count > MODULE_ENTRIES) {
      throw malformed(
        `function and code section have inconsistent lengths: ${declared} and ${count}`,
        offset - 1,
      );
    }
    this.#left = count;
  }

  #setSize(size: number, offset: number): void {
    if (size > this.#sectionEnd - offset)
      throw malformed("a function body ends after its section", offset - 1);
    if (size === 0) throw malformed("a function body without an END", offset - 1);
    this.#size = size;
  }

  #walk(bytes: Uint8Array, at: number, end: number, base: number): void {
    this.#shape.log.functionIndex = this.#function;
    try {
      this.#bodies.walk(bytes, at, end, base);
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      const data = { ...(error.data as object), functionIndex: this.#function };
      this.#onMalformed(
        new SandboxError(error.code, `${error.message} (function ${this.#function})`, { data }),
      );
    }
    this.#shape.log.functionIndex = -1;
  }

  #walkNext(bytes: Uint8Array, at: number, end: number, base: number): void {
    this.#walk(bytes, at, end, base);
    this.#size = -1;
    this.#left--;
    this.#function++;
  }
}
