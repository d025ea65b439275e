// Bytes that runs may need, from wherever they were given: loaded once, soon or when somebody asks; page and Node.

import { SandboxError } from "../errors.ts";
import { LIBRARY_DELAY_MS } from "../limits.ts";
import { copyOfBytes, isBytes } from "./byte-source.ts";

/** A load that happens once. One that failed is forgotten: the next call tries again. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
}

/** Loads soon, so that what the first runs need comes before it. */
export function loadLater(load: () => Promise<unknown>): void {
  const timer = setTimeout(() => void load().catch(() => {}), LIBRARY_DELAY_MS);
  (timer as { unref?: () => void }).unref?.();
}

/** The bytes of a source; `what` names them in the error. Rejects with SandboxError `load_failed`. */
export async function bytesOfSource(
  source: string | URL | Response | BufferSource,
  fetcher: typeof fetch,
  what: string,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (isBytes(source)) return copyOfBytes(source);
    const response = source instanceof Response ? source : await fetcher(source);
    if (response.ok) return new Uint8Array(await response.arrayBuffer());
    throw new Error(`the server answered ${response.status}`);
  } catch (cause) {
    const message = `${what} could not be loaded: ${String(cause)}`;
    throw new SandboxError("load_failed", message, { cause });
  }
}
