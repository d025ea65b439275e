// Bounds and reads a module while it streams from the network into the compiler; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { concatenate, unshared } from "./concatenate.ts";
import type { ModuleFacts } from "./module-facts.ts";
import { ModuleWalker } from "./module-walker.ts";
import type { WalkLimits } from "./section-contents.ts";

/** Options of `moduleStream`. */
export interface ModuleStreamOptions extends WalkLimits {
  /** Called for every piece with the bytes taken so far, as the server sent them. */
  readonly onBytes?: ((loaded: number) => void) | undefined;
  /** Keep the bytes as they came, for a digest or an inspection. */
  readonly collect?: boolean | undefined;
  /** Ends it with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Where a module's bytes come from. */
export interface ModulePieces {
  /** The next piece; undefined at the end. `again`: nobody has the one before, whose array may be used for this one. */
  next(again: boolean): Promise<Uint8Array | undefined>;
  /** No more is wanted. */
  cancel(reason: unknown): void;
}

/** A module on its way to the compiler, with what is learnt of it. */
export interface ModuleStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  /**
   * The facts once the last byte has passed. Rejects with the reason for which the stream broke: the reader's own
   * SandboxError, or what the source or the consumer gave. It always settles, and never counts as unhandled.
   */
  readonly facts: Promise<ModuleFacts>;
  /** With `collect`: the module as it came, before bounding. Settles as `facts` does. Else rejects at once. */
  readonly original: Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Makes what lies between `fetch` and `compileStreaming`: it counts, checks header and sections, bounds memories and
 * tables, and gathers facts. A piece passes on when the consumer asks, so a slow one slows the source. Once it fails, the
 * stream fails with the same SandboxError: `not_wasm`, `component`, `truncated`, `malformed` or `too_large`, as
 * `boundModule` says. Await `facts` before the compiler's answer to see that error as it is, because compilers wrap it.
 *
 * @example
 * const { readable, facts } = moduleStream(bodyPieces(response.body), { memoryBytes: 256 * 2 ** 20 });
 * const compiling = WebAssembly.compileStreaming(new Response(readable, { headers: { "content-type": "application/wasm" } }));
 */
export function moduleStream(pieces: ModulePieces, options: ModuleStreamOptions): ModuleStream {
  return new ModulePipe(pieces, options);
}

class ModulePipe implements ModuleStream {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly facts: Promise<ModuleFacts>;
  readonly original: Promise<Uint8Array<ArrayBuffer>>;
  readonly #pieces: ModulePieces;
  readonly #options: ModuleStreamOptions;
  readonly #walker: ModuleWalker;
  readonly #collected: Uint8Array[] = [];
  #sink!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #settle!: { resolve(facts: ModuleFacts): void; reject(reason: unknown): void };
  /** Something of the piece at hand was passed on. */
  #passed = true;

  constructor(pieces: ModulePieces, options: ModuleStreamOptions) {
    this.#pieces = pieces;
    this.#options = options;
    this.#walker = new ModuleWalker(options, (bytes) => {
      this.#passed = true;
      this.#sink.enqueue(unshared(bytes));
    });
    this.facts = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.original = options.collect
      ? this.facts.then(() => concatenate(this.#collected))
      : Promise.reject(new SandboxError("bad_option", "the stream was made without `collect`"));
    this.facts.catch(() => {});
    this.original.catch(() => {});
    this.readable = new ReadableStream(
      {
        start: (controller) => void (this.#sink = controller),
        pull: () => this.#pull(),
        cancel: (reason) => this.#end(reason),
      },
      { highWaterMark: 0 },
    );
    const { signal } = options;
    const abort = (): void => this.#fail(signal!.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const leave = (): void => signal?.removeEventListener("abort", abort);
    this.facts.then(leave, leave);
    if (signal?.aborted) abort();
  }

  /** Takes pieces until something of one passes on. */
  async #pull(): Promise<void> {
    try {
      do {
        // oxlint-disable-next-line no-await-in-loop -- each comes after the one before
        const piece = await this.#pieces.next(!this.#passed);
        if (piece === undefined) return this.#finish();
        this.#passed = false;
        this.#take(piece);
      } while (!this.#passed);
    } catch (error) {
      this.#fail(error);
    }
  }

  #take(piece: Uint8Array): void {
    if (!(piece instanceof Uint8Array))
      throw new SandboxError("bad_option", "a module streams as Uint8Array pieces");
    if (this.#options.collect) this.#collected.push(piece.slice());
    this.#walker.push(piece);
    this.#options.onBytes?.(this.#walker.offset);
  }

  #finish(): void {
    const facts = this.#walker.end();
    this.#sink.close();
    this.#settle.resolve(facts);
  }

  #fail(reason: unknown): void {
    this.#sink.error(reason);
    this.#end(reason);
  }

  #end(reason: unknown): void {
    this.#settle.reject(reason);
    this.#pieces.cancel(reason);
  }
}
