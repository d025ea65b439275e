// Bytes that runs may need, from wherever they were given: loaded once, soon or when somebody asks; page and Node.

import { SandboxError } from "../errors.ts";
import { LIBRARY_DELAY_MS, LOAD_AGAIN_MS } from "../limits.ts";
import { copyOfBytes, isBytes } from "./byte-source.ts";

/**
 * A load that happens once. One that failed is forgotten after a while, and the next call tries again: guests call it, and
 * one that asks without end is not to be the page's server's guest, too.
 */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  let again = Infinity;
  return () => {
    if (performance.now() > again) loading = undefined;
    return (loading ??= begin());
  };
  function begin(): Promise<Value> {
    again = Infinity;
    return load().catch((error: unknown) => {
      again = performance.now() + LOAD_AGAIN_MS;
      throw error;
    });
  }
}

/** Loads soon, so that what the first runs need comes before it. */
export function loadLater(load: () => Promise<unknown>): void {
  const timer = setTimeout(() => void load().catch(() => {}), LIBRARY_DELAY_MS);
  (timer as { unref?: () => void }).unref?.();
}

/** The bytes of a source; `what` names them in the error, `read` takes them from a body. Rejects with SandboxError `load_failed`. */
export async function bytesOfSource(
  source: string | URL | Response | BufferSource,
  fetcher: typeof fetch,
  what: string,
  read = readWhole,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (isBytes(source)) return copyOfBytes(source);
    const response = source instanceof Response ? source : await fetcher(source);
    if (response.ok) return await read(response);
    throw new Error(`the server answered ${response.status}`);
  } catch (cause) {
    const message = `${what} could not be loaded: ${String(cause)}`;
    throw new SandboxError("load_failed", message, { cause });
  }
}

async function readWhole(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer());
}
