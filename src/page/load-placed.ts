// A module that is being read into one array: compiled from there, and debugging information is not kept; page and Node.

import type { ModuleFacts } from "../wasm/module-facts.ts";
import { PlacedModule } from "../wasm/placed-module.ts";
import { compileFailed } from "./load-pieces.ts";
import type { LoadedModule, LoadOptions } from "./load-module.ts";
import { type BegunBody, PIECE_BYTES } from "./read-on.ts";

/** With so much yet to come that the engine does not get, it may as well begin: what is behind that is rarely for it, either. */
const EARLY_BYTES = 2 ** 22;

/**
 * Reads what is left of a module and compiles it; where `stop` says so before anything was left out, what was read comes back
 * instead. Rejects as `loadModule` does, or as the body does.
 */
export async function loadPlaced(
  begun: BegunBody,
  { memoryBytes }: LoadOptions,
  stop: () => boolean,
): Promise<LoadedModule | BegunBody> {
  const reading = new PlacedReading(begun, memoryBytes);
  try {
    const facts = await reading.read(stop);
    if (!facts) return { bytes: reading.whole, rest: begun.rest! };
    const module = await reading.compiled().catch(compileFailed);
    return { module, facts, unchecked: false };
  } catch (error) {
    if (begun.rest) begun.rest.cancel(error).catch(() => {});
    throw error;
  }
}

class PlacedReading {
  readonly #rest: BegunBody["rest"];
  readonly #placed: PlacedModule;
  readonly #start: number;
  #piece: Uint8Array<ArrayBuffer>;
  /** What the array is in now; the reader takes it, and gives it back as another. */
  #buffer: ArrayBuffer;
  #scratch: ArrayBuffer | undefined;
  #compiling: Promise<WebAssembly.Module> | undefined;
  /** Bytes that were kept when that began. */
  #given = 0;
  #ended: boolean;

  constructor({ bytes, rest }: BegunBody, memoryBytes: LoadOptions["memoryBytes"]) {
    this.#rest = rest;
    this.#ended = !rest;
    this.#piece = bytes;
    this.#buffer = bytes.buffer;
    this.#start = bytes.byteOffset;
    this.#placed = new PlacedModule({ memoryBytes }, this.#start);
  }

  /** All that was read, as long as nothing of it was left out. */
  get whole(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, this.#start, this.#placed.next - this.#start);
  }

  /** Takes the whole body; undefined when it was stopped before anything was left out. */
  async read(stop: () => boolean): Promise<ModuleFacts | undefined> {
    const placed = this.#placed;
    placed.push(this.#piece);
    while (!this.#ended) {
      // oxlint-disable no-await-in-loop -- each comes after the one before
      if (placed.leftOut > 0) await this.#pass();
      else if (!this.#scratch && stop()) return undefined;
      else await this.#take();
      // oxlint-enable no-await-in-loop
    }
    return placed.end();
  }

  /** The module, once all of it was read. */
  async compiled(): Promise<WebAssembly.Module> {
    // Names, or sections in an order of their own: what was begun lacks them.
    if (this.#placed.kept !== this.#given) this.#compile();
    return this.#compiling!;
  }

  /** Reads a piece into the array. */
  async #take(): Promise<void> {
    const { next } = this.#placed;
    if (next === this.#buffer.byteLength) this.#grow();
    const left = this.#buffer.byteLength - next;
    const target = new Uint8Array(this.#buffer, next);
    this.#piece = await this.#fill(target, Math.min(left - 1, PIECE_BYTES) || 1);
    this.#buffer = this.#piece.buffer;
    this.#placed.push(this.#piece);
  }

  /** Reads a piece that is not kept into an array that is used again: pages that the system has to give cost more than it does. */
  async #pass(): Promise<void> {
    const { leftOut } = this.#placed;
    if (!this.#compiling && leftOut > EARLY_BYTES && this.#placed.hasCode) this.#compile();
    const size = Math.min(leftOut, PIECE_BYTES);
    const target = new Uint8Array(this.#scratch ?? new ArrayBuffer(PIECE_BYTES), 0, size);
    const bytes = await this.#fill(target, size);
    this.#scratch = bytes.buffer;
    this.#placed.pass(bytes);
  }

  async #fill(target: Uint8Array<ArrayBuffer>, min: number): Promise<Uint8Array<ArrayBuffer>> {
    const { done, value } = await (this.#rest as ReadableStreamBYOBReader).read(target, { min });
    this.#ended = done;
    return value!; // nobody cancels it
  }

  /** A body may be longer than its header says. */
  #grow(): void {
    const grown = new Uint8Array(2 * this.#buffer.byteLength);
    grown.set(new Uint8Array(this.#buffer));
    this.#buffer = grown.buffer;
  }

  #compile(): void {
    const joined = this.#placed.join(this.#buffer);
    this.#given = this.#placed.kept;
    // It has a copy of its own.
    this.#compiling = WebAssembly.compile(joined.bytes);
    this.#compiling.catch(() => {}); // awaited once all was read
    joined.restore();
  }
}
