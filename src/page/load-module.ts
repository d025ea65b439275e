// From a URL, a response, bytes or a compiled Module to a Module with bounded memory, compiled once; page and Node.

import { SandboxError } from "../errors.ts";
import { IN_PLACE_MODULE_BYTES } from "../limits.ts";
import { boundInPlace, boundModule } from "../wasm/bound-module.ts";
import { factsOfModule } from "../wasm/compiled-facts.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import { checkImports } from "../wasm/provided-imports.ts";
import { noEntry } from "../wasm/entry.ts";
import { bodyPieces, restPieces } from "./body-pieces.ts";
import { checkIntegrity } from "./integrity.ts";
import { compileFailed, fromPieces, loadFailed, tell } from "./load-pieces.ts";
import { loadPlaced } from "./load-placed.ts";
import { readOn } from "./read-on.ts";
import type { EarlyBody, Realm } from "./sandbox.ts";

/** What a module can be given as. */
export type ModuleSource = string | URL | Response | BufferSource | WebAssembly.Module;

/** How to load it. */
export interface LoadOptions {
  readonly memoryBytes: number | "declared";
  readonly integrity?: string | undefined;
  readonly onProgress?:
    | ((progress: { loaded: number; total: number | undefined }) => void)
    | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly fetch: typeof fetch;
  /** What has been asked for already. */
  readonly early?: Realm["early"] | undefined;
  /** Asks for {@link LoadedModule.code} of a small module, and for exports of all globals that it changes. */
  readonly forInPlace?: boolean | undefined;
  /** Told of a module that was read, and is being compiled; without it nobody wants to know. */
  readonly onRead?: ((module: ReadModule) => void) | undefined;
}

/** What is known of a module before it is compiled. */
export interface ReadModule {
  readonly facts: ModuleFacts;
  /** The bytes as they came. */
  readonly original: Uint8Array<ArrayBuffer>;
  /** Their SHA-256 in hex; computed once, when it is asked for. */
  readonly digest: () => Promise<string>;
}

/** A module ready to be posted to workers. */
export interface LoadedModule {
  readonly module: WebAssembly.Module;
  readonly facts: ModuleFacts;
  /** True when the memory could not be bounded here, and a worker has to look whether it is. */
  readonly unchecked: boolean;
  /** Where {@link LoadOptions.onRead} was told, which is not for a compiled Module. */
  readonly read?: ReadModule | undefined;
  /** The bytes that were compiled, where {@link LoadOptions.forInPlace} asked for them and they came in one go. */
  readonly code?: Uint8Array | undefined;
}

/**
 * Loads and compiles. Rejects with SandboxError `load_failed`, `not_wasm`, `truncated`, `malformed`, `component`,
 * `too_large`, `integrity_mismatch`, `compile_failed`, `missing_import`, `no_entry` or `no_memory`,
 * or with what `onProgress` throws.
 */
export async function loadModule(
  source: ModuleSource,
  options: LoadOptions,
): Promise<LoadedModule> {
  const loaded = await load(source, options);
  const { facts } = loaded;
  checkImports(facts.imports);
  if (!facts.memories.some(({ imported }) => imported) && !hasExport(facts, "memory", "memory")) {
    throw new SandboxError(
      "no_memory",
      "the module neither exports a memory by the name `memory` nor imports one; a WASI guest has to",
    );
  }
  if (!facts.exports.some(({ kind, name }) => kind === "function" && name !== "_initialize")) {
    throw noEntry("_start", []);
  }
  return loaded;
}

function hasExport(facts: ModuleFacts, kind: string, name: string): boolean {
  return facts.exports.some((entry) => entry.kind === kind && entry.name === name);
}

async function load(source: ModuleSource, options: LoadOptions): Promise<LoadedModule> {
  if (source instanceof WebAssembly.Module) {
    if (options.integrity !== undefined) {
      throw new SandboxError("bad_option", "integrity cannot be checked on a compiled Module");
    }
    const facts = factsOfModule(source);
    return { module: source, facts, unchecked: options.memoryBytes !== "declared" };
  }
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
    return fromBytes(source, options);
  if (source instanceof Response) return fromResponse(source, options);
  if (typeof source === "string" || source instanceof URL) {
    const brokeOff = (cause: unknown): never => {
      options.signal?.throwIfAborted();
      throw cause instanceof SandboxError ? cause : loadFailed(String(source), cause);
    };
    const early = await options.early?.(source).catch(brokeOff);
    if (!early) return fromResponse(await fetchModule(source, options), options);
    return fromEarly(early, options).catch(brokeOff);
  }
  throw new SandboxError(
    "bad_option",
    "module has to be a URL, a Response, an ArrayBuffer or view, or a WebAssembly.Module",
  );
}

/** What takes longer is not there yet, and better compiled while it comes. */
const QUICK_MS = 100;

/** A body of which the beginning is there: read to its end in one go, or compiled while it comes. */
async function fromEarly(early: EarlyBody, options: LoadOptions): Promise<LoadedModule> {
  const stop = (): boolean => performance.now() > early.began + QUICK_MS;
  const isSmall = early.bytes.buffer.byteLength <= IN_PLACE_MODULE_BYTES;
  // Whoever wants the bytes as they came, or their digest, wants all of them.
  const isWhole = isSmall || options.onRead !== undefined || options.integrity !== undefined;
  const begun = isWhole ? await readOn(early, stop) : await loadPlaced(early, options, stop);
  if ("module" in begun) return begun;
  if (!begun.rest) return fromBytes(begun.bytes, options, boundInPlace);
  return fromPieces(early.response, restPieces(begun), options);
}

async function fetchModule(url: string | URL, options: LoadOptions): Promise<Response> {
  try {
    return await options.fetch(url, options.signal ? { signal: options.signal } : {});
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw new SandboxError(
      "load_failed",
      `the module ${String(url)} could not be fetched: ${String(cause)} (a wrong address, no network, or no CORS header ` +
        "on another origin)",
      { cause },
    );
  }
}

/** The bytes in place; shared ones copied, since decoders and compilers refuse them. Throws `bad_option` for detached ones. */
function bytesOf(source: BufferSource): Uint8Array<ArrayBuffer> {
  try {
    const bytes = ArrayBuffer.isView(source)
      ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
      : new Uint8Array(source);
    return bytes.buffer instanceof ArrayBuffer ? bytes : new Uint8Array(bytes);
  } catch (cause) {
    const message = "the module's bytes are gone: they were transferred to somebody else";
    throw new SandboxError("bad_option", message, { cause });
  }
}

/** `bound` as those who gave the bytes may do with them. */
async function fromBytes(
  source: BufferSource,
  options: LoadOptions,
  bound: (...given: Parameters<typeof boundInPlace>) => Bounded = boundModule,
): Promise<LoadedModule> {
  const bytes = bytesOf(source);
  options.onProgress?.({ loaded: bytes.byteLength, total: bytes.byteLength });
  await checkIntegrity(options.integrity, bytes);
  const exportGlobals = options.forInPlace === true && bytes.length <= IN_PLACE_MODULE_BYTES;
  const bounded = bound(bytes, { memoryBytes: options.memoryBytes, exportGlobals });
  const { facts } = bounded;
  // The bytes that were given may change, or be put back to what they were, once this returns.
  const code = exportGlobals ? bounded.bytes.slice() : undefined;
  // It has a copy of its own, and is at work while the digest is.
  const compiling = WebAssembly.compile(bounded.bytes);
  compiling.catch(() => {}); // awaited below
  bounded.restore?.();
  const read = tell(options, facts, bytes);
  return { module: await compiling.catch(compileFailed), facts, unchecked: false, read, code };
}

type Bounded = ReturnType<typeof boundModule> & { restore?: () => void };

async function fromResponse(response: Response, options: LoadOptions): Promise<LoadedModule> {
  if (response.bodyUsed || response.body?.locked) {
    throw new SandboxError(
      "bad_option",
      "the Response given as module has been read, or is being read; give a fresh one, or a clone() made before",
    );
  }
  if (!response.ok || !response.body) {
    throw new SandboxError(
      "load_failed",
      `the module ${response.url} could not be fetched: the server answered ${response.status} ${response.statusText}`.trim(),
      { data: { status: response.status } },
    );
  }
  return fromPieces(response, bodyPieces(response.body), options);
}
