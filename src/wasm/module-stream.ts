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
}

/** A transform for `pipeThrough`, with what it learns. */
export interface ModuleStream {
  readonly writable: WritableStream<Uint8Array>;
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
 * Makes the one transform between `fetch` and `compileStreaming`: it counts, checks header and sections, bounds
 * memories and tables, and gathers facts. Pieces pass on as they come; at most one is held, so a slow consumer slows
 * the source. Once it fails, both sides fail with the same SandboxError: `not_wasm`, `component`, `truncated`,
 * `malformed` or `too_large`, as `boundModule` says. Await `facts` before the compiler's answer to see that error as it
 * is, because compilers wrap it.
 *
 * @example
 * const stream = moduleStream({ memoryBytes: 256 * 2 ** 20, onBytes: (loaded) => (bar.value = loaded) });
 * const body = response.body.pipeThrough(stream);
 * const compiling = WebAssembly.compileStreaming(new Response(body, { headers: { "content-type": "application/wasm" } }));
 */
export function moduleStream(options: ModuleStreamOptions): ModuleStream {
  return new ModulePipe(options);
}

/** Both ends by hand instead of a TransformStream, which does not everywhere say that its reader has cancelled. */
class ModulePipe implements ModuleStream {
  readonly writable: WritableStream<Uint8Array>;
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly facts: Promise<ModuleFacts>;
  readonly original: Promise<Uint8Array<ArrayBuffer>>;
  readonly #options: ModuleStreamOptions;
  readonly #walker: ModuleWalker;
  readonly #collected: Uint8Array[] = [];
  #source!: WritableStreamDefaultController;
  #sink!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #settle!: { resolve(facts: ModuleFacts): void; reject(reason: unknown): void };
  /** The consumer waits for a piece; `#wake` ends the wait of a piece for the consumer. */
  #demand = false;
  #wake: (() => void) | undefined;

  constructor(options: ModuleStreamOptions) {
    this.#options = options;
    this.#walker = new ModuleWalker(options, (bytes) => {
      this.#demand = false;
      this.#sink.enqueue(unshared(bytes));
    });
    this.facts = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.original = options.collect
      ? this.facts.then(() => concatenate(this.#collected))
      : Promise.reject(new SandboxError("bad_option", "the stream was made without `collect`"));
    this.facts.catch(() => {});
    this.original.catch(() => {});
    this.readable = new ReadableStream(this.#readableEnd(), { highWaterMark: 0 });
    this.writable = new WritableStream(this.#writableEnd());
  }

  #readableEnd(): UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
    return {
      start: (controller) => void (this.#sink = controller),
      pull: () => {
        this.#demand = true;
        this.#wake?.();
      },
      cancel: (reason) => {
        this.#source.error(reason);
        this.#settle.reject(reason);
        this.#wake?.();
      },
    };
  }

  #writableEnd(): UnderlyingSink<Uint8Array> {
    return {
      start: (controller) => void (this.#source = controller),
      write: async (piece) => {
        if (!this.#demand) await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#orFail(() => this.#take(piece));
      },
      close: () => this.#orFail(() => this.#settle.resolve(this.#finish())),
      abort: (reason) => this.#fail(reason),
    };
  }

  #take(piece: Uint8Array): void {
    if (!(piece instanceof Uint8Array))
      throw new SandboxError("bad_option", "a module streams as Uint8Array pieces");
    if (this.#options.collect) this.#collected.push(piece);
    this.#walker.push(piece);
    this.#options.onBytes?.(this.#walker.offset);
  }

  #finish(): ModuleFacts {
    const facts = this.#walker.end();
    this.#sink.close();
    return facts;
  }

  #orFail(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #fail(reason: unknown): void {
    this.#sink.error(reason);
    this.#settle.reject(reason);
  }
}
