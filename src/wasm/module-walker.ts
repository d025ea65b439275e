// Walks a module that arrives in pieces: passes bytes on, reads what facts need, bounds memory and tables; any realm.
import { SandboxError } from "../errors.ts";
import { MODULE_BYTES } from "../limits.ts";
import { ByteReader, malformed } from "./byte-reader.ts";
import { concatenate } from "./concatenate.ts";
import { Gatherer } from "./gatherer.ts";
import { boundMemories, boundTables, leb, rewriteLimits } from "./limits-entry.ts";
import type { ModuleFacts } from "./module-facts.ts";
import { checkHeader, HEADER_BYTES } from "./module-header.ts";
import { ModuleShape } from "./module-shape.ts";
import { SECTION, SECTION_NAMES, SECTION_ORDER, SECTION_READERS } from "./sections.ts";

/** What a module may have. */
export interface WalkLimits {
  /** Bytes that its memories may have together; "declared" leaves memories and tables as the module says. */
  readonly memoryBytes: number | "declared";
  /** Bytes of the module itself; MODULE_BYTES when left out. */
  readonly maxBytes?: number | undefined;
}

/** Bytes of a custom section that are looked at: enough for the name of any that matters here. */
const CUSTOM_PEEK = 16;
/** A section's number and the longest size that may follow it. */
const LONGEST_PREFIX = 6;

/**
 * The one walk over a module's sections. Give it the bytes in any pieces with `push`, then call `end`. They leave
 * through `emit` as the same arrays or views of them; only a rewritten memory or table section is new. Bodies and data
 * are never held. Both methods throw SandboxError: `not_wasm`, `component`, `malformed`, `truncated`, `too_large`.
 */
export class ModuleWalker {
  readonly shape = new ModuleShape();
  readonly #limits: WalkLimits;
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
  /** Bytes of the body that still pass by unread. */
  #left = 0;
  /** Prefix of a section that may be rewritten: it is not passed on before its body was read. */
  #held: Uint8Array | undefined;
  #lastOrder = 0;
  readonly #seen = new Set<number>();

  constructor(limits: WalkLimits, emit: (bytes: Uint8Array) => void) {
    this.#limits = limits;
    this.#emit = emit;
  }

  /** Bytes taken so far. */
  get offset(): number {
    return this.#pieceOffset;
  }

  push(piece: Uint8Array): void {
    const maxBytes = this.#limits.maxBytes ?? MODULE_BYTES;
    if (this.#pieceOffset + piece.length > maxBytes) {
      throw new SandboxError("too_large", `the module is larger than ${maxBytes} bytes`, {
        data: { maxBytes },
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
    this.#bound();
    return this.shape.facts(length);
  }

  /** What a module that ends here lacks: the rest of a section, or one that an earlier section announced. */
  #missing(length: number): string | undefined {
    const name = SECTION_NAMES[this.#section] ?? "";
    if (this.#state !== "prefix")
      return `inside its ${name} section, ${this.#bodyOffset + this.#size - length} short`;
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
    if (this.#state === "pass") {
      const passed = Math.min(this.#left, piece.length - at);
      this.#left -= passed;
      if (this.#left === 0) this.#state = "prefix";
      return at + passed;
    }
    if (this.#state === "prefix") return this.#readPrefix(piece, at);
    const wanted = this.#state === "header" ? HEADER_BYTES : this.#size - this.#left;
    const taken = Math.min(wanted - this.#gatherer.length, piece.length - at);
    const bytes = this.#gatherer.take(piece, at, taken, wanted);
    if (this.#state === "header") this.#readHeader(piece, bytes);
    else if (bytes !== undefined) this.#readBody(piece, at + taken, bytes);
    return at + taken;
  }

  #readHeader(piece: Uint8Array, header: Uint8Array | undefined): void {
    // Wrong first bytes are judged with all that is at hand, to say what they are.
    if (header === undefined) return;
    checkHeader(piece.length > HEADER_BYTES && this.#pieceOffset === 0 ? piece : header);
    this.#state = "prefix";
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
      const reader = new ByteReader(prefix, 1, prefix.length, this.#sectionOffset);
      this.#size = reader.u32();
      this.#bodyOffset = this.#sectionOffset + prefix.length;
      if (this.#held !== undefined) this.#held = prefix;
      this.#beginBody(piece, next + 1);
      return next + 1;
    }
    return piece.length;
  }

  #beginSection(section: number, offset: number): void {
    const order = SECTION_ORDER[section];
    if (order === undefined) throw malformed(`malformed section id ${section}`, offset);
    if (section !== SECTION.custom) {
      if (order <= this.#lastOrder)
        throw malformed(`unexpected ${SECTION_NAMES[section]} section`, offset);
      this.#lastOrder = order;
    }
    this.#seen.add(section);
    this.#section = section;
    this.#sectionOffset = offset;
    const bounded = section === SECTION.table || section === SECTION.memory;
    if (bounded && this.#limits.memoryBytes !== "declared") this.#held = new Uint8Array(0);
  }

  #beginBody(piece: Uint8Array, at: number): void {
    const isCustom = this.#section === SECTION.custom;
    const isRead = isCustom || SECTION_READERS[this.#section] !== undefined;
    const wanted = isCustom ? Math.min(CUSTOM_PEEK, this.#size) : isRead ? this.#size : 0;
    this.#left = this.#size - wanted;
    if (wanted > 0) this.#state = "read";
    else if (isRead) this.#readBody(piece, at, new Uint8Array(0));
    else this.#state = this.#left > 0 ? "pass" : "prefix";
  }

  /** Reads a complete body (of a custom section its start) that ends before `at` in the piece. */
  #readBody(piece: Uint8Array, at: number, body: Uint8Array): void {
    const reader = new ByteReader(body, 0, body.length, this.#bodyOffset);
    if (this.#section === SECTION.custom) this.#readCustom(reader);
    else {
      SECTION_READERS[this.#section]?.(reader, this.shape);
      if (reader.left > 0)
        throw reader.fail(`${SECTION_NAMES[this.#section]} section size mismatch`);
    }
    if (this.#held !== undefined) this.#release(piece, at, this.#held, body);
    this.#state = this.#left > 0 ? "pass" : "prefix";
  }

  #readCustom(reader: ByteReader): void {
    const length = reader.u32();
    if (length > this.#size - reader.at)
      throw reader.fail("unexpected end in the name of a custom section");
    if (length <= reader.left && isText(reader, length, "name")) this.shape.hasNameSection = true;
  }

  /** Passes on a section that was held back: as it came, or rewritten. */
  #release(piece: Uint8Array, at: number, prefix: Uint8Array, body: Uint8Array): void {
    this.#held = undefined;
    this.#bound();
    const entries = this.#section === SECTION.memory ? this.shape.memories : this.shape.tables;
    const own = entries.filter(({ imported }) => !imported).map(({ limits }) => limits);
    const rewritten = rewriteLimits(body, own);
    const start = this.#sectionOffset - this.#pieceOffset;
    if (rewritten === undefined && start >= 0) return;
    this.#send(piece, start);
    if (rewritten === undefined) this.#emit(concatenate([prefix, body]));
    else
      this.#emit(concatenate([Uint8Array.of(this.#section, ...leb(rewritten.length)), rewritten]));
    this.#unsent = at;
  }

  #send(piece: Uint8Array, to: number): void {
    if (to <= this.#unsent) return;
    const whole = this.#unsent === 0 && to === piece.length;
    this.#emit(whole ? piece : piece.subarray(this.#unsent, to));
    this.#unsent = to;
  }

  #bound(): void {
    if (this.#limits.memoryBytes === "declared") return;
    boundMemories(this.shape.memories, this.#limits.memoryBytes);
    boundTables(this.shape.tables);
  }
}

function isText(reader: ByteReader, length: number, text: string): boolean {
  if (length !== text.length) return false;
  for (let i = 0; i < length; i++)
    if (reader.bytes[reader.at + i] !== text.charCodeAt(i)) return false;
  return true;
}
