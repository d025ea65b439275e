// Bounds a module while it is read into one array, where it stays, but for what no engine needs; page and Node.
import { concatenate, type JoinedInPlace, joinInPlace } from "./concatenate.ts";
import type { ModuleFacts } from "./module-facts.ts";
import { ModuleWalker } from "./module-walker.ts";
import type { WalkLimits } from "./section-contents.ts";
import { SECTION } from "./section-ids.ts";

/** Bytes of the array that are kept. */
interface Place {
  readonly start: number;
  end: number;
}

/**
 * Takes the pieces of a module as they come, each in the same array, whose buffer may be another one each time, as that of a
 * reader's is. `next` says where the piece after this one is to lie: behind the last byte that is kept. Throws as
 * `boundModule` does.
 */
export class PlacedModule {
  readonly #walker: ModuleWalker;
  /** In order: what lies in the array, and what was written in place of something. */
  readonly #parts: (Place | Uint8Array)[] = [];
  #buffer: ArrayBufferLike | undefined;
  #next: number;
  /** Bytes that are kept so far. */
  kept = 0;

  /** `start` is where the first piece lies in the array. */
  constructor(limits: WalkLimits, start: number) {
    this.#next = start;
    this.#walker = new ModuleWalker(limits, (part) => this.#keep(part));
  }

  /** Where in the array the next piece may lie. */
  get next(): number {
    return this.#next;
  }

  /** How many of the bytes that come next are not kept. They may lie anywhere. */
  get leftOut(): number {
    return this.#walker.leftOut;
  }

  /** Its code was seen, or is at hand. */
  get hasCode(): boolean {
    return this.#walker.saw(SECTION.code);
  }

  /** Takes a piece that lies at `next`. */
  push(piece: Uint8Array): void {
    this.#buffer = piece.buffer;
    this.#walker.push(piece);
    if (this.leftOut === 0) this.#next = piece.byteOffset + piece.length;
  }

  /** Takes bytes that are not kept, at most `leftOut`. */
  pass(bytes: Uint8Array): void {
    this.#walker.push(bytes);
  }

  /** What is kept so far, put together in the array, which is in `buffer` now; `restore` puts back what lay there. */
  join(buffer: ArrayBuffer): JoinedInPlace {
    const parts = this.#parts.map((part) =>
      part instanceof Uint8Array ? part : new Uint8Array(buffer, part.start, part.end - part.start),
    );
    const joined = joinInPlace(parts, new Uint8Array(buffer));
    return joined ?? { bytes: concatenate(parts), restore: () => {} };
  }

  /** Says that the module is complete. */
  end(): ModuleFacts {
    return this.#walker.end();
  }

  #keep(part: Uint8Array): void {
    this.kept += part.length;
    if (part.buffer !== this.#buffer) return void this.#parts.push(part);
    const start = part.byteOffset;
    const last = this.#parts.at(-1);
    this.#next = start + part.length;
    if (last && "end" in last && last.end === start) last.end = this.#next;
    else this.#parts.push({ start, end: this.#next });
  }
}
