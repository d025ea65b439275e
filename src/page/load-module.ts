// From a URL, a response, bytes or a compiled Module to a Module with bounded memory, compiled once; page and Node.

import { SandboxError } from "../errors.ts";
import { boundModule } from "../wasm/bound-module.ts";
import { factsOfModule } from "../wasm/compiled-facts.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import { moduleStream } from "../wasm/module-stream.ts";
import { checkImports } from "../wasm/provided-imports.ts";
import { noEntry } from "../wasm/entry.ts";
import { digestOf } from "./digest-of.ts";
import { checkIntegrity } from "./integrity.ts";

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
  /** The bytes, where they have been fetched in one go already. */
  readonly early?: ((source: string | URL) => Promise<ArrayBuffer | undefined>) | undefined;
  /** Whether to give back the bytes too, with their digest. */
  readonly keep?: boolean | undefined;
}

/** A module ready to be posted to workers. */
export interface LoadedModule {
  readonly module: WebAssembly.Module;
  readonly facts: ModuleFacts;
  /** True when the memory could not be bounded here, and a worker has to look whether it is. */
  readonly unchecked: boolean;
  /** The bytes as they came; only when they were asked for, and never of a compiled Module. */
  readonly original?: Uint8Array<ArrayBuffer> | undefined;
  /** With them: their SHA-256 in hex. */
  readonly digest?: Promise<string> | undefined;
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
    const bytes = await options.early?.(source).catch((cause: unknown) => {
      options.signal?.throwIfAborted();
      throw loadFailed(String(source), cause);
    });
    if (bytes) return fromBytes(bytes, options);
    return fromResponse(await fetchModule(source, options), options);
  }
  throw new SandboxError(
    "bad_option",
    "module has to be a URL, a Response, an ArrayBuffer or view, or a WebAssembly.Module",
  );
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

async function fromBytes(source: BufferSource, options: LoadOptions): Promise<LoadedModule> {
  const bytes = bytesOf(source);
  options.onProgress?.({ loaded: bytes.byteLength, total: bytes.byteLength });
  await checkIntegrity(options.integrity, bytes);
  const bounded = boundModule(bytes, { memoryBytes: options.memoryBytes });
  const module = await WebAssembly.compile(bounded.bytes).catch(compileFailed);
  const original = options.keep ? bytes : undefined;
  const digest = original && digestOf(original);
  digest?.catch(() => {}); // told to who asks for it
  return { module, facts: bounded.facts, unchecked: false, original, digest };
}

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
  const total = totalBytes(response);
  let refused: { error: unknown } | undefined;
  const onBytes = (loaded: number): void => {
    try {
      options.onProgress?.({ loaded, total });
    } catch (error) {
      refused = { error };
      throw error;
    }
  };
  return compileResponse(response, options, onBytes).catch((error: unknown) => {
    throw refused ? refused.error : error; // what the page's own function throws comes out as it is
  });
}

async function compileResponse(
  response: Response,
  options: LoadOptions,
  onBytes: (loaded: number) => void,
): Promise<LoadedModule> {
  const stream = moduleStream({
    memoryBytes: options.memoryBytes,
    onBytes,
    collect: options.integrity !== undefined || options.keep === true,
  });
  const body = response.body!.pipeThrough(stream, options.signal ? { signal: options.signal } : {});
  const compiling = WebAssembly.compileStreaming(
    new Response(body, { headers: { "content-type": "application/wasm" } }),
  );
  compiling.catch(() => {}); // the stream's own error, when there is one, says more
  // On its way while the compiler is.
  const digest = options.keep ? stream.original.then(digestOf) : undefined;
  digest?.catch(() => {}); // nobody asks for that of a module that did not come whole
  const facts = await stream.facts.catch(async (error: unknown) => {
    options.signal?.throwIfAborted();
    if (error instanceof SandboxError) throw error;
    // A compiler that found fault may have broken the stream itself: then it says why.
    await compiling.catch((reason: unknown) => {
      if (reason instanceof WebAssembly.CompileError) compileFailed(reason);
    });
    throw loadFailed(response.url, error);
  });
  const module = await compiling.catch(compileFailed);
  if (options.integrity !== undefined)
    await checkIntegrity(options.integrity, await stream.original);
  const original = options.keep ? await stream.original : undefined;
  return { module, facts, unchecked: false, original, digest };
}

/** The size as the server states it; unknown when the body was packed, since the header counts packed bytes. */
function totalBytes(response: Response): number | undefined {
  if (response.headers.get("content-encoding")) return undefined;
  const length = Number(response.headers.get("content-length"));
  return length > 0 ? length : undefined;
}

function loadFailed(url: string, cause: unknown): SandboxError {
  return new SandboxError(
    "load_failed",
    `the module ${url} broke off while loading: ${String(cause)}`,
    {
      cause,
    },
  );
}

function compileFailed(cause: unknown): never {
  const hint = /content security policy|unsafe-eval/i.test(String(cause))
    ? "; the page's Content-Security-Policy has to allow 'wasm-unsafe-eval' in script-src"
    : "";
  throw new SandboxError("compile_failed", `the module does not compile: ${String(cause)}${hint}`, {
    cause,
  });
}
