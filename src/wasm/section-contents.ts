// Decides which sections are read, reads them, and bounds memories and tables in them; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { ByteReader } from "./byte-reader.ts";
import type { CodeWalker } from "./code-walker.ts";
import type { DeepWalk } from "./deep-walk.ts";
import { exportGlobals } from "./export-globals.ts";
import { boundMemories, boundTables, rewriteLimits } from "./limits-entry.ts";
import { ModuleShape } from "./module-shape.ts";
import { SECTION, SECTION_NAMES } from "./section-ids.ts";
import { SECTION_READERS, type SectionReader } from "./sections.ts";

/** What a module may have, and how much of it is read. */
export interface WalkLimits {
  /** Bytes that its memories may have together; "declared" leaves memories and tables as the module says. */
  readonly memoryBytes: number | "declared";
  /** Bytes of the module itself; MODULE_BYTES when left out. */
  readonly maxBytes?: number | undefined;
  /** Also exports the globals that the module changes, so that an instance can be put back; not where memories are left as declared. */
  readonly exportGlobals?: boolean | undefined;
  /** Also reads what facts do without: WALK_BODIES or WALK_ALL. Without it code and data pass unread. */
  readonly deep?: DeepWalk | undefined;
  /** Hears of every malformed place, and the walk goes on; without it the first one ends the walk. */
  readonly onMalformed?: ((error: SandboxError) => void) | undefined;
}

/** Bytes of a custom section that are looked at: enough for the name of any that matters here. */
const CUSTOM_PEEK = 16;
/** What the names of sections with DWARF begin with, behind the byte of their length. */
const DEBUG_NAME = ".debug_";
/** What compilers and linkers note of themselves. */
const NOTES = ["producers", "target_features"];

/** What becomes of a section: it passes as it is, another body takes its place, or it does not pass. */
export type Verdict = Uint8Array | "left out" | undefined;

/** Reads the contents of sections into a shape. */
export class SectionContents {
  readonly shape = new ModuleShape();
  readonly #limits: WalkLimits;
  #code: CodeWalker | undefined;
  /** Something was left out: then what tools noted behind it is no reason to compile the module again. */
  #isCut = false;

  constructor(limits: WalkLimits) {
    const { memoryBytes } = limits;
    if (memoryBytes !== "declared" && !(typeof memoryBytes === "number" && memoryBytes >= 0)) {
      throw new SandboxError(
        "bad_option",
        "memoryBytes has to be a number of bytes, or `declared`",
      );
    }
    this.#limits = limits;
  }

  /** A section that may not pass as it is, and has to wait until it was read. */
  waits(section: number): boolean {
    if (this.#limits.memoryBytes === "declared") return false;
    const isBounded = section === SECTION.table || section === SECTION.memory;
    const isAddedTo = section === SECTION.export && this.#limits.exportGlobals === true;
    return isBounded || isAddedTo || section === SECTION.custom;
  }

  /** Bytes at the start of a section's body that `read` wants in one piece. */
  wanted(section: number, size: number): number {
    if (section === SECTION.custom && !this.#limits.deep?.wholeCustom)
      return Math.min(CUSTOM_PEEK, size);
    return section === SECTION.custom || this.#reader(section) !== undefined ? size : 0;
  }

  /** Reads what `wanted` asked for. */
  read(section: number, body: Uint8Array, offset: number, size: number): Verdict {
    const reader = new ByteReader(body, 0, body.length, offset);
    if (section === SECTION.custom) this.#tolerant(() => this.#readCustom(reader, size));
    else {
      this.#tolerant(() => {
        this.#reader(section)?.(reader, this.shape);
        if (reader.left > 0) throw reader.fail(`${SECTION_NAMES[section]} section size mismatch`);
      });
    }
    if (!this.waits(section)) return undefined;
    if (section !== SECTION.custom) return this.#rewrite(section, body);
    // No guest can see it, and it is half of some modules: engines would copy and keep it.
    if (!isNamed(body, this.#isCut ? [DEBUG_NAME, ...NOTES] : [DEBUG_NAME])) return undefined;
    this.#isCut = true;
    return "left out";
  }

  /** The body of a section that `wanted` did not ask for begins. */
  begin(section: number, offset: number, size: number): void {
    if (section !== SECTION.code) return;
    const code = this.#limits.deep?.codeWalker(this.shape, offset + size, (error) =>
      this.report(error),
    );
    if (size > 0) this.#code = code;
    else this.#tolerant(() => code?.end());
  }

  /** More of it passes: `piece` from `from` to `to`; `isLast` when it ends there. */
  pass(piece: Uint8Array, from: number, to: number, base: number, isLast: boolean): void {
    if (this.#code === undefined) return;
    const walked = this.#tolerant(() => {
      this.#code?.push(piece, from, to, base);
      if (isLast) this.#code?.end();
    });
    if (isLast || !walked) this.#code = undefined;
  }

  /** Settles the maxima; the memory section does it too, but an imported memory needs none. */
  bound(): void {
    if (this.#limits.memoryBytes === "declared") return;
    boundMemories(this.shape.memories, this.#limits.memoryBytes);
    boundTables(this.shape.tables);
  }

  #reader(section: number): SectionReader | undefined {
    return SECTION_READERS[section] ?? this.#limits.deep?.readers[section];
  }

  /** Reads the name of a custom section, of which `reader` has at least the start. */
  #readCustom(reader: ByteReader, size: number): void {
    const { at } = reader;
    const length = reader.u32();
    if (length > size - reader.at)
      throw reader.fail("unexpected end in the name of a custom section", at);
    if (length > reader.left) return;
    reader.at = at;
    if (reader.name() === "name") this.shape.hasNameSection = true;
  }

  #rewrite(section: number, body: Uint8Array): Uint8Array | undefined {
    if (section === SECTION.export) return exportGlobals(body, this.shape);
    this.bound();
    const entries = section === SECTION.memory ? this.shape.memories : this.shape.tables;
    const own = entries.filter(({ imported }) => !imported).map(({ limits }) => limits);
    return rewriteLimits(body, own);
  }

  #tolerant(step: () => void): boolean {
    try {
      step();
      return true;
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      this.report(error);
      return false;
    }
  }

  /** Takes what is malformed: ends the walk with it, or hands it to whoever collects. */
  report(error: SandboxError): void {
    if (this.#limits.onMalformed === undefined) throw error;
    this.#limits.onMalformed(error);
  }
}

/** Whether the name of a custom section, the start of whose body this is, begins with one of these. */
function isNamed(body: Uint8Array, starts: readonly string[]): boolean {
  const [length = 0] = body;
  const name = String.fromCharCode(...body.subarray(1, 1 + length));
  return starts.some((start) => name.startsWith(start));
}
