// Walks a module that arrives in pieces and passes its bytes on; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { MODULE_BYTES, MODULE_SECTIONS } from "../limits.ts";
import { ByteReader, malformed } from "./byte-reader.ts";
import { concatenate } from "./concatenate.ts";
import { Gatherer } from "./gatherer.ts";
import { leb } from "./limits-entry.ts";
import type { ModuleFacts } from "./module-facts.ts";
import { checkHeader, HEADER_BYTES } from "./module-header.ts";
import type { ModuleShape } from "./module-shape.ts";
import { SectionContents, type Verdict, type WalkLimits } from "./section-contents.ts";
import { SECTION, SECTION_NAMES, SECTION_ORDER } from "./section-ids.ts";

/** A section's number and the longest size that may follow it. */
const LONGEST_PREFIX = 6;
/** Stands for a section that has no place here; it passes unread when the walk goes on after a problem. */
const UNREAD = -1;

/**
 * The one walk over a module's sections. Give it the bytes in any pieces with `push`, then call `end`. They leave
 * through `emit` as the same arrays or views of them; only a rewritten memory or table section is new, and debugging
 * information stays behind where limits are rewritten. Bodies and data are not held. Both methods throw SandboxError: `not_wasm`, `component`, `malformed`, `truncated`, `too_large`.
 */
export class ModuleWalker {
  readonly #contents: SectionContents;
  readonly #maxBytes: number;
  readonly #emit: (bytes: Uint8Array) => void;
  readonly #gatherer = new Gatherer();
  #state: "header" | "prefix" | "read" | "pass" = "header";
  /** Offset in the module of the piece at hand, and its first byte that was not emitted. */
  #pieceOffset = 0;
  #unsent = 0;
  #section = 0;
  #sectionOffset = 0;
  #size = 0;
  #bodyOffset = 0;
  /** Bytes of the body that are yet to pass by. */
  #left = 0;
  /** Prefix of a section that may not pass as it is: it is not passed on before its body was read. */
  #held: Uint8Array | undefined;
  /** The rest of the section at hand is not passed on. */
  #isLeftOut = false;
  #lastOrder = 0;
  #sections = 0;
  readonly #seen = new Set<number>();

  constructor(limits: WalkLimits, emit: (bytes: Uint8Array) => void) {
    this.#contents = new SectionContents(limits);
    this.#maxBytes = limits.maxBytes ?? MODULE_BYTES;
    this.#emit = emit;
  }

  /** Bytes taken so far. */
  get offset(): number {
    return this.#pieceOffset;
  }

  /** How many of the bytes that come next are not passed on. */
  get leftOut(): number {
    return this.#isLeftOut ? this.#left : 0;
  }

  /** Whether a section has begun. */
  saw(section: number): boolean {
    return this.#seen.has(section);
  }

  /** What was read so far. */
  get shape(): ModuleShape {
    return this.#contents.shape;
  }

  push(piece: Uint8Array): void {
    if (this.#pieceOffset + piece.length > this.#maxBytes) {
      throw new SandboxError("too_large", `the module is larger than ${this.#maxBytes} bytes`, {
        data: { maxBytes: this.#maxBytes },
      });
    }
    this.#unsent = 0;
    for (let at = 0; at < piece.length;) at = this.#step(piece, at);
    this.#send(
      piece,
      this.#held === undefined ? piece.length : this.#sectionOffset - this.#pieceOffset,
    );
    this.#pieceOffset += piece.length;
  }

  /** Says that the module is complete and returns its facts. */
  end(): ModuleFacts {
    const length = this.#pieceOffset;
    if (this.#state === "header") checkHeader(this.#gatherer.soFar());
    const missing = this.#missing(length);
    if (missing !== undefined) {
      throw new SandboxError("truncated", `the module ends after ${length} bytes, ${missing}`, {
        data: { offset: length },
      });
    }
    this.#contents.bound();
    return this.shape.facts(length);
  }

  /** What a module that ends here lacks: the rest of a section, or one that an earlier section announced. */
  #missing(length: number): string | undefined {
    const name = SECTION_NAMES[this.#section] ?? "";
    if (this.#state === "read" || this.#state === "pass") {
      return `${this.#bodyOffset + this.#size - length} bytes before the end of its ${name} section`;
    }
    if (this.#gatherer.length > 0) return `at the start of its ${name} section`;
    const { functionTypes, importedFunctions, dataCount } = this.shape;
    if (functionTypes.length > importedFunctions && !this.#seen.has(SECTION.code))
      return "before its code";
    if (dataCount !== undefined && dataCount > 0 && !this.#seen.has(SECTION.data))
      return "before its data";
    return undefined;
  }

  /** Takes what the state needs from the piece and returns where it stopped. */
  #step(piece: Uint8Array, at: number): number {
    if (this.#state === "prefix") return this.#readPrefix(piece, at);
    if (this.#state === "pass") return this.#pass(piece, at);
    const wanted = this.#state === "header" ? HEADER_BYTES : this.#size - this.#left;
    const taken = Math.min(wanted - this.#gatherer.length, piece.length - at);
    const bytes = this.#gatherer.take(piece, at, taken, wanted);
    if (bytes === undefined) return at + taken;
    if (this.#state === "read") this.#readBody(piece, at + taken, bytes);
    else {
      // Wrong first bytes are judged with all that is at hand, to say what they are.
      checkHeader(this.#pieceOffset === 0 ? piece : bytes);
      this.#state = "prefix";
    }
    return at + taken;
  }

  #pass(piece: Uint8Array, at: number): number {
    const next = Math.min(at + this.#left, piece.length);
    this.#left -= next - at;
    if (this.#isLeftOut) this.#unsent = next;
    if (this.#left === 0) {
      this.#state = "prefix";
      this.#isLeftOut = false;
    }
    this.#contents.pass(piece, at, next, this.#pieceOffset, this.#left === 0);
    return next;
  }

  #readPrefix(piece: Uint8Array, at: number): number {
    if (this.#gatherer.length === 0)
      this.#beginSection(piece[at] as number, this.#pieceOffset + at);
    for (let next = at; next < piece.length; next++) {
      const { length } = this.#gatherer;
      const isLast =
        length === LONGEST_PREFIX - 1 || (length > 0 && (piece[next] as number) < 0x80);
      const prefix = this.#gatherer.add(piece[next] as number, isLast);
      if (prefix === undefined) continue;
      this.#size = new ByteReader(prefix, 1, prefix.length, this.#sectionOffset).u32();
      this.#bodyOffset = this.#sectionOffset + prefix.length;
      if (this.#held !== undefined) this.#held = prefix;
      this.#beginBody(piece, next + 1);
      return next + 1;
    }
    return piece.length;
  }

  #beginSection(section: number, offset: number): void {
    if (++this.#sections > MODULE_SECTIONS) {
      throw new SandboxError("too_large", `the module has more than ${MODULE_SECTIONS} sections`, {
        data: { offset },
      });
    }
    const order = SECTION_ORDER[section] ?? 0;
    const isNext = order > this.#lastOrder;
    if (isNext) this.#lastOrder = order;
    if (section !== SECTION.custom && !isNext) {
      const what =
        order === 0
          ? `malformed section id ${section}`
          : `unexpected ${SECTION_NAMES[section]} section`;
      this.#contents.report(malformed(what, offset));
    }
    this.#seen.add(section);
    if (section === SECTION.data) this.shape.hasDataSection = true;
    this.#section = section === SECTION.custom || isNext ? section : UNREAD;
    this.#sectionOffset = offset;
    if (this.#contents.waits(this.#section)) this.#held = new Uint8Array(0);
  }

  #beginBody(piece: Uint8Array, at: number): void {
    const wanted = this.#contents.wanted(this.#section, this.#size);
    this.#left = this.#size - wanted;
    this.#state = wanted > 0 ? "read" : this.#left > 0 ? "pass" : "prefix";
    if (wanted === 0) this.#contents.begin(this.#section, this.#bodyOffset, this.#size);
    if (this.#size === 0) this.#readBody(piece, at, new Uint8Array(0));
  }

  /** Reads a complete body (of a custom section its start) that ends before `at` in the piece. */
  #readBody(piece: Uint8Array, at: number, body: Uint8Array): void {
    const verdict = this.#contents.read(this.#section, body, this.#bodyOffset, this.#size);
    if (this.#held !== undefined) this.#release(piece, at, this.#held, body, verdict);
    this.#state = this.#left > 0 ? "pass" : "prefix";
  }

  /** Passes on a section that was held back: as it came, or rewritten; or leaves it out. */
  #release(
    piece: Uint8Array,
    at: number,
    prefix: Uint8Array,
    body: Uint8Array,
    verdict: Verdict,
  ): void {
    this.#held = undefined;
    const start = this.#sectionOffset - this.#pieceOffset;
    if (verdict === undefined && start >= 0) return;
    this.#send(piece, start);
    this.#unsent = at;
    if (verdict === "left out") this.#isLeftOut = this.#left > 0;
    else if (verdict === undefined) this.#emit(concatenate([prefix, body]));
    else this.#emit(concatenate([Uint8Array.of(this.#section, ...leb(verdict.length)), verdict]));
  }

  #send(piece: Uint8Array, to: number): void {
    if (to <= this.#unsent) return;
    const whole = this.#unsent === 0 && to === piece.length;
    this.#emit(whole ? piece : piece.subarray(this.#unsent, to));
    this.#unsent = to;
  }
}
