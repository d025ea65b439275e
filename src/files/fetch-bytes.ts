// The bytes of a package or an archive from wherever it is, counted while they come; page.

import { SandboxError } from "../errors.ts";
import { FILES_BYTES } from "../limits.ts";
import type { ArchiveSource } from "./image.ts";

/** Told while bytes come. */
export type Progress = (progress: { readonly loaded: number; readonly total?: number }) => void;

/** Options of {@link fetchBytes}. */
export interface FetchOptions {
  readonly onProgress?: Progress;
  readonly signal?: AbortSignal;
}

/**
 * Reads a source whole.
 *
 * @throws SandboxError `load_failed` when it cannot be fetched, `quota` past 256 MiB, `aborted`; what `onProgress` throws.
 */
export async function fetchBytes(
  source: ArchiveSource,
  { onProgress, signal }: FetchOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  if (ArrayBuffer.isView(source)) {
    const view = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    // What is shared could change while it is read.
    return source.buffer instanceof ArrayBuffer ? (view as Uint8Array<ArrayBuffer>) : view.slice();
  }
  if (source instanceof Blob) {
    // A file that a person dropped: nobody has looked at it yet.
    if (source.size > FILES_BYTES) throw tooLarge();
    return new Uint8Array(await source.arrayBuffer());
  }
  let refused: { error: unknown } | undefined;
  const tell: Progress = (progress) => {
    try {
      onProgress?.(progress);
    } catch (error) {
      refused = { error };
      throw error;
    }
  };
  try {
    const response =
      source instanceof Response ? source : await fetch(source, signal ? { signal } : {});
    if (!response.ok) {
      throw new SandboxError("load_failed", `${response.url} answered ${response.status}`, {
        data: { url: response.url, status: response.status },
      });
    }
    return await readBody(response, tell, signal);
  } catch (cause) {
    if (refused) throw refused.error; // what the page's own function throws comes out as it is
    if (cause instanceof SandboxError) throw cause;
    if (signal?.aborted === true) throw new SandboxError("aborted", "aborted", { cause });
    const what = source instanceof Response ? source.url : String(source);
    throw new SandboxError("load_failed", `${what} could not be fetched: ${String(cause)}`, {
      cause,
    });
  }
}

async function readBody(
  response: Response,
  onProgress: Progress,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  // With a content encoding the length is that of other bytes than the ones read here.
  const length = response.headers.get("content-encoding")
    ? null
    : response.headers.get("content-length");
  const total = length === null ? undefined : Number(length);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let loaded = 0;
  const reader = response.body?.getReader();
  for (;;) {
    signal?.throwIfAborted();
    const next = await reader?.read();
    if (next === undefined || next.done) break;
    loaded += next.value.length;
    if (loaded > FILES_BYTES) {
      await reader!.cancel();
      throw tooLarge();
    }
    chunks.push(next.value);
    onProgress(total === undefined ? { loaded } : { loaded, total });
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function tooLarge(): SandboxError {
  return new SandboxError("quota", `the file has more than ${FILES_BYTES} bytes`);
}
