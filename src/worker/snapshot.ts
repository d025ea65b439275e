// Runs that start from a snapshot: an instance is kept and put back where that is exact, else a fresh one is filled; worker.

import type { PreopenSpec } from "../files/preopens.ts";
import type { FlatEntry } from "../files/tree.ts";
import { FILES_BYTES, FILES_DESCRIPTORS, FILES_ENTRIES } from "../limits.ts";
import type { PlainImport } from "../wire/blocking-call.ts";
import type { RunInit, RunOutcome } from "../wire/messages.ts";
import { NoBlockingCaller } from "../wire/no-blocking.ts";
import type { InitEnd, SnapshotImage, SnapshotSpec } from "../wire/snapshot.ts";
import { GuestHost } from "./guest-host.ts";
import { hostKind } from "./host-kind.ts";
import { runGuest, type InstanceSource } from "./run.ts";
import { InstanceCopy, memoryOf, readState, writeState } from "./snapshot-memory.ts";

/** Characters of what the guest wrote that are kept, for a message. */
const SAID_CHARACTERS = 4096;

/** Calls the init export on a fresh instance, with one empty `/`, and keeps what it did, or how else it ended. */
export async function takeSnapshot(
  module: WebAssembly.Module,
  spec: SnapshotSpec,
  name: string,
): Promise<{ readonly image: SnapshotImage; readonly made: MadeInstance } | { ended: InitEnd }> {
  let fresh: Uint8Array | undefined;
  let made: MadeInstance | undefined;
  let said = "";
  const decoder = new TextDecoder();
  const init = initRun(spec, name);
  const outcome = await runGuest(init, {
    host: new GuestHost(module, hostKind(init), (hooks) => new NoBlockingCaller(hooks)),
    emit: (_stream, bytes) => {
      said = (said + decoder.decode(bytes, { stream: true })).slice(-SAID_CHARACTERS);
    },
    started: () => {},
    instances: {
      ready: false,
      obtain: (imports) => {
        const slots = new Slots(shapeOf(imports));
        slots.fill(imports);
        const instance = new WebAssembly.Instance(module, slots.imports);
        made = { instance, slots };
        fresh = new Uint8Array(memoryOf(instance).buffer.slice(0));
        return instance;
      },
    },
  });
  const { end, exitCode, reason } = outcome;
  if (end !== "exited" || exitCode !== 0) return { ended: { end, exitCode, reason, said } };
  made!.slots.empty();
  return { image: readState(made!.instance, fresh!), made: made! };
}

/** An instance whose imports can be those of another run. */
export interface MadeInstance {
  readonly instance: WebAssembly.Instance;
  readonly slots: Slots;
}

function initRun(
  { init, args, env, timeoutMs, entries }: SnapshotSpec,
  name: string,
): RunInit<PreopenSpec> {
  return {
    args: [name, ...args],
    env,
    stdin: { kind: "bytes", bytes: new Uint8Array(0) },
    preopens: [{ path: "/", source: { kind: "memory", entries: entries as readonly FlatEntry[] } }],
    entry: init,
    door: false,
    http: false,
    timeoutMs,
    quotas: {
      fileBytes: FILES_BYTES,
      entries: FILES_ENTRIES,
      descriptors: FILES_DESCRIPTORS,
      writeBytes: FILES_BYTES,
    },
    tty: [],
  };
}

/** The instances of a worker whose sandbox has a snapshot. */
export class SnapshotInstances implements InstanceSource {
  /** Initialized already: the run's own export comes next. */
  readonly ready = true;
  readonly #module: WebAssembly.Module;
  readonly #image: SnapshotImage;
  /** The instance that may be put back, with what its imports do now; `clean` when it has been. */
  #kept: { readonly slots: Slots; readonly copy: InstanceCopy; clean: boolean } | undefined;
  #keeps = false;
  /** The page has read the module's code, and found that memory and globals are all that changes. */
  #inPlace = false;
  #runs = 0;
  #shape: readonly ImportShape[] = [];

  /** `made` is in the state of the image: the instance that it was taken of. */
  constructor(module: WebAssembly.Module, image: SnapshotImage, made?: MadeInstance) {
    this.#module = module;
    this.#image = image;
    if (made) this.#keep(made);
  }

  /** From now on instances may be put back. */
  allowInPlace(): void {
    this.#inPlace = true;
  }

  /**
   * Says before a run whether its instance may serve the next one: where the guest's imports are functions of the engine
   * (suspending), they belong to one run.
   */
  prepare(keeps: boolean): void {
    this.#keeps = keeps && this.#inPlace;
    if (!this.#keeps) this.#kept = undefined;
  }

  obtain(imports: WebAssembly.Imports): WebAssembly.Instance {
    const first = this.#runs === 0;
    this.#runs += 1;
    if (first) this.#shape = shapeOf(imports);
    if (!this.#putBack() && this.#keeps && !first) this.#keep(this.#make());
    const kept = this.#kept;
    if (!kept) {
      const instance = new WebAssembly.Instance(this.#module, imports);
      writeState(instance, this.#image);
      return instance;
    }
    kept.clean = false;
    kept.slots.fill(imports);
    return kept.copy.instance;
  }

  /** After a run: a trap may have left anything half done, so its instance goes. */
  left(outcome: RunOutcome | undefined): void {
    if (outcome === undefined || outcome.end === "trapped" || outcome.end === "unsupported") {
      this.#kept = undefined;
    }
    this.#kept?.slots.empty();
  }

  /**
   * Once the page has the outcome: makes ready for the next run what that would have to wait for. The first run is spared
   * the copy that putting back needs, so its instance is not kept, and this makes the one that is.
   */
  makeReady(): void {
    if (!this.#putBack() && this.#keeps && this.#runs === 1) this.#keep(this.#make());
  }

  #putBack(): boolean {
    const kept = this.#kept;
    if (!kept) return false;
    if (kept.clean) return true;
    if (!kept.copy.restore()) {
      this.#kept = undefined;
      return false;
    }
    kept.clean = true;
    return true;
  }

  /** A fresh instance in the image's state, which no run has. */
  #make(): MadeInstance {
    const slots = new Slots(this.#shape);
    const instance = new WebAssembly.Instance(this.#module, slots.imports);
    writeState(instance, this.#image);
    return { instance, slots };
  }

  #keep({ instance, slots }: MadeInstance): void {
    this.#kept = { slots, copy: new InstanceCopy(instance), clean: true };
  }
}

/** An imported function: guests with snapshots import nothing else. */
interface ImportShape {
  readonly module: string;
  readonly name: string;
  readonly length: number;
}

function shapeOf(imports: WebAssembly.Imports): ImportShape[] {
  return Object.entries(imports).flatMap(([module, room]) =>
    Object.entries(room).map(([name, value]) => ({
      module,
      name,
      length: (value as PlainImport).length,
    })),
  );
}

/** Imports of an instance that outlives a run: each goes to what the run of now has in its place. */
class Slots {
  // A module may import from "__proto__".
  readonly imports = Object.create(null) as Record<string, Record<string, PlainImport>>;
  readonly #slots: { module: string; name: string; call: PlainImport }[] = [];

  constructor(shape: readonly ImportShape[]) {
    for (const { module, name, length } of shape) {
      const slot = { module, name, call: nobody as PlainImport };
      this.#slots.push(slot);
      const place = (this.imports[module] ??= Object.create(null) as Record<string, never>);
      place[name] = forward(slot, length);
    }
  }

  fill(imports: WebAssembly.Imports): void {
    for (const slot of this.#slots) slot.call = imports[slot.module]![slot.name] as PlainImport;
  }

  /** Nothing of the run before is held, or reached, once it is over. */
  empty(): void {
    for (const slot of this.#slots) slot.call = nobody;
  }
}

function nobody(): never {
  throw new Error(); // no run is at work
}

/** Of fixed arity, as all imports are; those of length 0 may be ones with a rest parameter. */
function forward(slot: { call: PlainImport }, length: number): PlainImport {
  if (length === 1) return (a) => slot.call(a) as unknown;
  if (length === 2) return (a, b) => slot.call(a, b) as unknown;
  if (length === 3) return (a, b, c) => slot.call(a, b, c) as unknown;
  if (length === 4) return (a, b, c, d) => slot.call(a, b, c, d) as unknown;
  return (...args) => slot.call(...args) as unknown;
}
