// createSandbox: a module compiled once, and runs of it in workers of their own; page and Node.

import { LIVE_GUESTS, MEMORY_BYTES, QUEUED_RUNS, WASM_PAGE_BYTES } from "../limits.ts";
import type { Transport } from "../wire/messages.ts";
import { deferredCode, type LoadCode } from "./deferred-code.ts";
import { GuestWorker, type WorkerEndpoint } from "./guest-worker.ts";
import { InPlace, mayMakeAhead } from "./in-place.ts";
import { Library } from "./library.ts";
import { loadLater } from "./load-once.ts";
import { loadModule, type LoadedModule, type ReadModule } from "./load-module.ts";
import { nameOfModule } from "./name-of-module.ts";
import type { BegunBody } from "./read-on.ts";
import { Run, type RunPlace } from "./run.ts";
import type { RunOptions } from "./run-options.ts";
import { chooseTransport } from "./rung.ts";
import { checkOptions, type SandboxOptions } from "./sandbox-options.ts";
import { makeSnapshot, startImage, storedSnapshot } from "./snapshot.ts";
import { encodeSnapshot } from "./snapshot-image.ts";
import type { Snapshot } from "./snapshot-use.ts";
import { untilAborted } from "./until-aborted.ts";
import { WorkerPool } from "./worker-pool.ts";

/** A body that is being read, and the response that it belongs to. */
export interface EarlyBody extends BegunBody {
  readonly response: Response;
  /** When it was asked for, as `performance.now()` has it. */
  readonly began: number;
}

/** What differs between a page and Node. */
export interface Realm {
  spawn(factory: SandboxOptions["worker"]): WorkerEndpoint;
  readonly fetch: typeof fetch;
  /** What has been asked for already, and is being read. */
  readonly early?: (source: string | URL) => Promise<EarlyBody | undefined>;
}

/** A compiled guest, ready to run any number of times. */
export class Sandbox {
  /** How guests block on this page: `"shared-memory"`, `"suspending"`, or `"none"`. */
  readonly transport: Transport;
  /** True when runs start from a snapshot. */
  readonly snapshot: boolean;
  /** Bytes that a guest's memory may grow to; undefined where a compiled Module does not say. */
  readonly memoryBytes: number | undefined;
  private readonly made: Snapshot | undefined;
  private readonly inPlace: InPlace | undefined;
  private readonly place: RunPlace;
  private readonly ending: AbortController;
  private readonly runs = new Set<Run>();

  /** Not for callers: `createSandbox()` makes sandboxes. */
  constructor(
    loaded: LoadedModule,
    name: string,
    pool: WorkerPool,
    transport: Transport,
    library: Library | undefined,
    code: LoadCode | undefined,
    snapshot: { readonly made: Snapshot; readonly run: string } | undefined,
    inPlace: InPlace | undefined,
    ending: AbortController,
  ) {
    this.transport = transport;
    this.snapshot = snapshot !== undefined;
    this.made = snapshot?.made;
    this.inPlace = inPlace;
    const { maximum, pageBytes } = loaded.facts.memory ?? {};
    this.memoryBytes = maximum === undefined ? undefined : maximum * (pageBytes ?? 0);
    this.ending = ending;
    this.place = {
      facts: loaded.facts,
      name,
      snapshotRun: snapshot?.run,
      pool,
      transport,
      library,
      code,
      get closed() {
        return ending.signal.aborted;
      },
    };
  }

  /**
   * Starts a fresh instance in a worker. Never throws: what is wrong with the options is in `run.result`.
   *
   * @example
   * const run = python.run({ args: ["-c", "print('hello')"] });
   * const { status, exitCode, stdoutText } = await run.result;
   */
  run(options: RunOptions = {}): Run {
    const run = new Run(this.place, options);
    this.runs.add(run);
    const forget = (): void => {
      this.runs.delete(run);
      void this.inPlace?.runEnded();
    };
    run.result.then(forget, forget);
    return run;
  }

  /**
   * The snapshot as bytes, for `snapshot: { image }` of another visit; undefined where none was made. Packed with gzip unless
   * `gzip` is false: plain ones start sooner where the server packs what it sends.
   *
   * @example
   * await writeFile("python.snapshot", await sandbox.snapshotImage());
   */
  async snapshotImage({ gzip = true } = {}): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { image, origin } = this.made ?? {};
    return image && origin && encodeSnapshot(image, origin, gzip);
  }

  /** Stops every run (`killed`, reason `closed`), refuses those that wait, and ends the workers. */
  close(): void {
    if (this.place.closed) return;
    this.ending.abort();
    for (const run of this.runs) run.kill("closed");
    this.place.pool.close();
  }
}

/**
 * Loads and compiles a guest, and starts a first worker meanwhile. Rejects with SandboxError: `bad_option`, `load_failed`,
 * `not_wasm`, `truncated`, `malformed`, `component`, `too_large`, `integrity_mismatch`, `compile_failed`,
 * `missing_import`, `no_entry`, `no_memory`, `memory_unbounded`, `unsupported`, `worker_failed`; or with the signal's
 * reason.
 */
export async function createSandboxIn(realm: Realm, options: SandboxOptions): Promise<Sandbox> {
  const memoryBytes = checkOptions(options);
  const transport = chooseTransport(options.transport);
  const ending = new AbortController();
  // What runs may need is of no use once there can be none.
  const fetcher: typeof fetch = (source) => realm.fetch(source, { signal: ending.signal });
  const library = options.library && new Library(options.library, fetcher);
  const code = deferredCode(options.deferredCode, fetcher);
  const {
    maxGuests = LIVE_GUESTS,
    maxQueued = QUEUED_RUNS,
    integrity,
    onProgress,
    signal,
  } = options;
  signal?.throwIfAborted();

  const startWorker = async (): Promise<GuestWorker> =>
    GuestWorker.start(realm.spawn(options.worker));
  const first = startWorker();
  first.catch(() => {}); // reported below, behind what is wrong with the module
  const imageRoom = typeof memoryBytes === "number" ? memoryBytes : MEMORY_BYTES;
  const over = new AbortController();
  const given = startImage(options.snapshot, imageRoom, realm, over.signal);
  let stored: Promise<Snapshot | undefined> | undefined;
  const onRead = (read: ReadModule): void => {
    stored = storedSnapshot({
      read,
      worker: first,
      options: options.snapshot!,
      code,
      given,
      memoryBytes: imageRoom,
    });
    stored.catch(() => {}); // told behind what is wrong with the module
  };
  const load = async (): Promise<Sandbox> => {
    const loaded = await loadModule(options.module, {
      memoryBytes,
      integrity,
      onProgress,
      signal,
      fetch: realm.fetch,
      early: realm.early,
      onRead: options.snapshot && onRead,
      forInPlace: !options.snapshot,
    });
    const worker = await first;
    const pages = typeof memoryBytes === "number" ? memoryBytes / WASM_PAGE_BYTES : 0;
    const ahead = mayMakeAhead(loaded.facts);
    const checkPages = loaded.unchecked ? Math.floor(pages) : undefined;
    const loading = worker.load(loaded.module, checkPages, ahead);
    loading.catch(() => {}); // awaited below
    const name = nameOfModule(options.module);
    const made =
      options.snapshot &&
      (await makeSnapshot({
        worker,
        loaded,
        loading,
        stored,
        name,
        options: options.snapshot,
        library,
        code,
      }));
    await loading;
    const inPlace = made?.inPlace ?? InPlace.of(loaded, code);
    // Where no run can ask for it, none begins before it is there.
    const ready = transport === "none" ? await code?.() : undefined;
    if (ready) await worker.giveCode(ready);
    if (!made) inPlace?.add(worker);
    const { module } = loaded; // of the rest, the code is not to be held
    const makeWorker = async (): Promise<GuestWorker> => {
      const next = await startWorker();
      try {
        await next.load(module, undefined, ahead);
        if (ready) await next.giveCode(ready);
        if (made) await made.give(next);
        else inPlace?.add(next);
      } catch (error) {
        next.terminate();
        throw error;
      }
      return next;
    };
    const pool = new WorkerPool(makeWorker, maxGuests, maxQueued);
    pool.add(worker);
    if (library) loadLater(() => library.load());
    if (code) loadLater(code);
    return new Sandbox(
      loaded,
      name,
      pool,
      transport,
      library,
      code,
      made && { made, run: options.snapshot.run },
      inPlace,
      ending,
    );
  };
  try {
    return await untilAborted(load(), signal);
  } catch (error) {
    ending.abort();
    void first.then(
      (worker) => worker.terminate(),
      () => {},
    );
    throw error;
  } finally {
    over.abort(); // an image that nobody waits for any more
  }
}
