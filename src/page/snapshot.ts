// The snapshot of a sandbox: its options, whether the module allows it, and its making in the first worker; page and Node.

import { SandboxError } from "../errors.ts";
import { noEntry } from "../wasm/entry.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import { SNAPSHOT_INIT_MS } from "../limits.ts";
import type { SnapshotImage } from "../wire/snapshot.ts";
import type { LoadCode } from "./deferred-code.ts";
import { InPlace, whyNotInPlace } from "./in-place.ts";
import { decodeSnapshot, type SnapshotOrigin } from "./snapshot-image.ts";
import { cachedImage, imageBytes, keepImage, type ImageRealm } from "./snapshot-store.ts";
import { Snapshot } from "./snapshot-use.ts";
import { isByteSource } from "./byte-source.ts";
import type { GuestWorker } from "./guest-worker.ts";
import type { Library } from "./library.ts";
import type { LoadedModule, ReadModule } from "./load-module.ts";
import { wrong } from "./run-options.ts";

/**
 * Which exports make and use a snapshot. `init` is called once, with argv and environment of its own and an empty `/`; each
 * run then begins with `run` on a copy of the memory that `init` left, with its own argv, environment, files and streams.
 * Both take nothing and give nothing, or an i32: 0 for good.
 *
 * @example
 * const python = await createSandbox({
 *   module: "/guests/python.wasm",
 *   snapshot: { init: "snapshot_init", run: "snapshot_run", args: ["json", "re"] },
 * });
 */
export interface SnapshotOptions {
  /** The export that is called once. Without it the module is in that state as it is, and `run` is all that is given. */
  readonly init?: string;
  /** The export that runs begin with. */
  readonly run: string;
  /** Arguments of `init`, without argv[0]; our Python imports the modules that they name. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Does without a snapshot where the module has no such exports or cannot be put back (`sandbox.snapshot` tells), and
   * without the image where that cannot be loaded or does not fit.
   */
  readonly optional?: boolean;
  /**
   * An image that `sandbox.snapshotImage()` gave, made of the same module and options: `init` is not called. It is loaded
   * while the module is, and may be packed with gzip.
   */
  readonly image?: string | URL | Response | BufferSource;
  /** Milliseconds that `init` may take. Default 60,000. */
  readonly timeoutMs?: number;
  /**
   * Keeps the image in Cache Storage, so that `init` is called once for all visits of a page. Everything on the page's
   * origin can read and change it there.
   */
  readonly cache?: boolean;
}

/** Throws SandboxError `bad_option`. */
export function checkSnapshot(options: SnapshotOptions): void {
  if (typeof options !== "object" || options === null) wrong("snapshot", "an object");
  const { init, run, args = [], env = {}, optional, image, cache, timeoutMs = 1 } = options;
  if (init === undefined) {
    const { run: _, ...rest } = options;
    const given = Object.entries(rest).find(([, value]) => value !== undefined);
    if (given) wrong(`snapshot.${given[0]}`, "left out where there is no init");
  } else if (typeof init !== "string") wrong("snapshot.init", "the name of an export");
  if (typeof run !== "string") wrong("snapshot.run", "the name of an export");
  if (!Array.isArray(args) || !args.every(isText)) {
    wrong("snapshot.args", "an array of strings without NUL characters");
  }
  for (const [name, value] of Object.entries({ optional, cache })) {
    if (value !== undefined && typeof value !== "boolean") wrong(`snapshot.${name}`, "a boolean");
  }
  if (typeof timeoutMs !== "number" || !(timeoutMs >= 1 && timeoutMs < 2 ** 31 - 1_000)) {
    wrong("snapshot.timeoutMs", "a number of milliseconds, at least 1");
  }
  if (image !== undefined && !isByteSource(image)) {
    wrong("snapshot.image", "a URL, a Response, or bytes");
  }
  if (typeof env !== "object" || env === null || !Object.entries(env).flat().every(isText)) {
    wrong("snapshot.env", "an object of strings without NUL characters");
  }
}

/** Begins to load the image that was given, so that it comes beside the module; undefined without one. */
export function startImage(
  options: SnapshotOptions | undefined,
  memoryBytes: number,
  realm: ImageRealm,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> | undefined {
  if (options?.image === undefined) return undefined;
  const bytes = imageBytes(options.image, memoryBytes, realm, signal);
  bytes.catch(() => {}); // told below, behind what is wrong with the module
  return bytes;
}

/** What an image that is there already is taken with. */
export interface StoredParts {
  /** The module, which is being compiled. */
  readonly read: ReadModule;
  /** Comes up meanwhile. */
  readonly worker: Promise<GuestWorker>;
  readonly options: SnapshotOptions;
  readonly code: LoadCode | undefined;
  /** Of {@link startImage}. */
  readonly given: Promise<Uint8Array<ArrayBuffer>> | undefined;
  readonly memoryBytes: number;
}

/**
 * The snapshot of an image that was given or kept, which the worker has then, whether it has the module or not; undefined
 * where there is none. Rejects as {@link makeSnapshot} does.
 */
export async function storedSnapshot(parts: StoredParts): Promise<Snapshot | undefined> {
  const { facts, original } = parts.read;
  if (absentEntry(facts, parts.options)) return undefined; // makeSnapshot says so
  if (parts.options.init === undefined) {
    const snapshot = asItIs(facts, new InPlace(false, original, 1, parts.code));
    await snapshot.give(await parts.worker);
    return snapshot;
  }
  const origin = await originOf(parts.read, parts.options);
  const image = await storedImage(parts, origin);
  if (!image) return undefined;
  // Whoever made it has read the code; runs get fresh instances until this page has read it, too.
  const snapshot = new Snapshot(image, origin, new InPlace(false, original, 1, parts.code));
  await snapshot.give(await parts.worker);
  return snapshot;
}

/** What a snapshot is made with. */
export interface SnapshotParts {
  /** Has the module, or will; it is left with the snapshot. */
  readonly worker: GuestWorker;
  readonly loaded: LoadedModule;
  /** Once the worker has the module. */
  readonly loading: Promise<void>;
  /** Of {@link storedSnapshot}; undefined of a compiled Module. */
  readonly stored: Promise<Snapshot | undefined> | undefined;
  /** argv[0] of `init`. */
  readonly name: string;
  readonly options: SnapshotOptions;
  /** Files that `init` finds. */
  readonly library: Library | undefined;
  readonly code: LoadCode | undefined;
}

/**
 * Makes the snapshot in a first worker, or takes the one that is there; undefined where it is optional and the module
 * or the page does not allow it. Rejects with SandboxError `bad_snapshot`, `no_entry`, `load_failed`, `unsupported` and
 * what instantiating rejects with.
 */
export async function makeSnapshot(parts: SnapshotParts): Promise<Snapshot | undefined> {
  const { worker, loaded, name, options } = parts;
  const { facts, read } = loaded;
  const { init, run, args = [], env = {}, timeoutMs = SNAPSHOT_INIT_MS } = options;
  const absent = absentEntry(facts, options);
  if (absent && options.optional) return undefined;
  if (absent) throw absent;
  if (init === undefined) {
    const stored = await parts.stored;
    if (stored) return stored;
    // Of a compiled Module, whose code nobody can read: its runs get fresh instances.
    const snapshot = asItIs(facts, new InPlace(false));
    await snapshot.give(worker);
    return snapshot;
  }
  const digest = await read?.digest().catch((error: unknown) => {
    if (!options.optional) throw error;
  });
  // Without one nothing tells whose image it is.
  if (read && digest === undefined) return undefined;
  const stored = await parts.stored;
  if (stored) return stored;
  await parts.loading;
  const original = read?.original;
  const entries = original && parts.library ? await parts.library.entries() : [];
  const spec = { init, run, args, env, timeoutMs, entries };
  const taking = original && worker.takeSnapshot(spec, name);
  taking?.catch(() => {}); // what is wrong with the module comes first
  // The worker is at it while this thread reads the code.
  const problem = await problemOf(original);
  if (problem && options.optional) return undefined;
  if (problem) throw problem;
  const [image, origin] = [await taking!, await originOf(read!, options)];
  if (options.cache) void keepImage(image, origin);
  const inPlace = parts.code ? new InPlace(false, original, 1, parts.code) : new InPlace(true);
  const snapshot = new Snapshot(image, origin, inPlace);
  await snapshot.give(worker);
  return snapshot;
}

/** Of a module that is initialized already: each fresh instance is in the state that runs begin with. */
function asItIs({ memory }: ModuleFacts, inPlace: InPlace): Snapshot {
  const [stretches, bytes] = [new Uint32Array(0), new Uint8Array(0)];
  const image = { pages: memory?.initial ?? 0, globals: [], stretches, bytes };
  return new Snapshot(image, undefined, inPlace);
}

async function originOf(
  { digest }: ReadModule,
  { init = "", args = [], env = {} }: SnapshotOptions,
): Promise<SnapshotOrigin> {
  return { module: await digest(), init, args, env };
}

/** The image that was given, else one of Cache Storage. */
async function storedImage(
  { read: { facts }, options, given, memoryBytes }: StoredParts,
  origin: SnapshotOrigin,
): Promise<SnapshotImage | undefined> {
  // No image can be whole, or be put anywhere: making one says why.
  if (!facts.mutableGlobalsExported || facts.memory?.imported) return undefined;
  try {
    if (given) return decodeSnapshot(await given, origin, facts);
  } catch (error) {
    if (!options.optional) throw error;
  }
  return options.cache ? cachedImage(origin, facts, memoryBytes) : undefined;
}

function absentEntry(facts: ModuleFacts, { init, run }: SnapshotOptions): SandboxError | undefined {
  const functions = facts.exports
    .filter(({ kind }) => kind === "function")
    .map((entry) => entry.name);
  const absent = [init ?? run, run].find((name) => !functions.includes(name));
  return absent === undefined ? undefined : noEntry(absent, functions);
}

/** Memory and exported globals have to be all that `init` can change. */
async function problemOf(original: Uint8Array | undefined): Promise<SandboxError | undefined> {
  if (!original)
    return refused("its code was not read", "give its bytes or URL instead of a compiled Module");
  const why = await whyNotInPlace(original);
  return why === undefined
    ? undefined
    : refused(why, "a C guest is linked with -Wl,--export=__stack_pointer");
}

function refused(why: string, advice: string): SandboxError {
  const message = `the module cannot be put back to a snapshot: ${why}; ${advice}`;
  return new SandboxError("bad_snapshot", message, { data: { why } });
}

function isText(value: unknown): boolean {
  return typeof value === "string" && !value.includes("\0");
}
