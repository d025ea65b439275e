// A module that comes in pieces: counted, read and bounded on its way into the compiler; page and Node.

import { SandboxError } from "../errors.ts";
import type { ModuleFacts } from "../wasm/module-facts.ts";
import { type ModulePieces, moduleStream } from "../wasm/module-stream.ts";
import { digestOf } from "./digest-of.ts";
import { checkIntegrity } from "./integrity.ts";
import type { LoadedModule, LoadOptions, ReadModule } from "./load-module.ts";

/** Compiles a module while it comes. Rejects as `loadModule` does. */
export async function fromPieces(
  response: Response,
  pieces: ModulePieces,
  options: LoadOptions,
): Promise<LoadedModule> {
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
  return compilePieces(response.url, pieces, options, onBytes).catch((error: unknown) => {
    throw refused ? refused.error : error; // what the page's own function throws comes out as it is
  });
}

async function compilePieces(
  url: string,
  pieces: ModulePieces,
  options: LoadOptions,
  onBytes: (loaded: number) => void,
): Promise<LoadedModule> {
  const stream = moduleStream(pieces, {
    memoryBytes: options.memoryBytes,
    onBytes,
    collect: options.integrity !== undefined || options.onRead !== undefined,
    signal: options.signal,
  });
  const compiling = WebAssembly.compileStreaming(
    new Response(stream.readable, { headers: { "content-type": "application/wasm" } }),
  );
  compiling.catch(() => {}); // the stream's own error, when there is one, says more
  const facts = await stream.facts.catch(async (error: unknown) => {
    options.signal?.throwIfAborted();
    if (error instanceof SandboxError) throw error;
    // A compiler that found fault may have broken the stream itself: then it says why.
    await compiling.catch((reason: unknown) => {
      if (reason instanceof WebAssembly.CompileError) compileFailed(reason);
    });
    throw loadFailed(url, error);
  });
  const read = options.onRead && tell(options, facts, await stream.original);
  const module = await compiling.catch(compileFailed);
  if (options.integrity !== undefined)
    await checkIntegrity(options.integrity, await stream.original);
  return { module, facts, unchecked: false, read };
}

/** Tells whoever wants to know of a module that is being compiled. */
export function tell(
  { onRead }: LoadOptions,
  facts: ModuleFacts,
  original: Uint8Array<ArrayBuffer>,
): ReadModule | undefined {
  if (!onRead) return undefined;
  let digest: Promise<string> | undefined;
  const read = { facts, original, digest: () => (digest ??= digestOf(original)) };
  onRead(read);
  return read;
}

/** The size as the server states it; unknown when the body was packed, since the header counts packed bytes. */
function totalBytes(response: Response): number | undefined {
  if (response.headers.get("content-encoding")) return undefined;
  const length = Number(response.headers.get("content-length"));
  return length > 0 ? length : undefined;
}

/** The error for a body that did not come whole. */
export function loadFailed(url: string, cause: unknown): SandboxError {
  return new SandboxError(
    "load_failed",
    `the module ${url} broke off while loading: ${String(cause)}`,
    {
      cause,
    },
  );
}

/** Throws the error for what the engine refuses. */
export function compileFailed(cause: unknown): never {
  const hint = /content security policy|unsafe-eval/i.test(String(cause))
    ? "; the page's Content-Security-Policy has to allow 'wasm-unsafe-eval' in script-src"
    : "";
  throw new SandboxError("compile_failed", `the module does not compile: ${String(cause)}${hint}`, {
    cause,
  });
}
