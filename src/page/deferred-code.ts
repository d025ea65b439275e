// The part of a module's code that is loaded when a guest first needs it; page and Node.

import { SandboxError } from "../errors.ts";
import { DEFERRED_CODE_BYTES } from "../limits.ts";
import { isByteSource } from "./byte-source.ts";
import { bytesOfSource, loadOnce } from "./load-once.ts";
import { wrong } from "./run-options.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

/** Gives its bytes. Rejects with SandboxError `load_failed`; the next call tries again. */
export type LoadCode = () => Promise<Uint8Array<ArrayBuffer>>;

/** How the code that was given is loaded; undefined where none was. Throws SandboxError `bad_option`. */
export function deferredCode(
  source: SandboxOptions["deferredCode"],
  fetcher: typeof fetch,
): LoadCode | undefined {
  if (source === undefined) return undefined;
  if (!isByteSource(source)) wrong("deferredCode", "a URL, a Response, or bytes");
  return loadOnce(async () => {
    const bytes = await bytesOfSource(source, fetcher, "the deferred code");
    if (bytes.length <= DEFERRED_CODE_BYTES) return bytes;
    const message = `the deferred code has ${bytes.length} bytes; ${DEFERRED_CODE_BYTES} are allowed`;
    throw new SandboxError("load_failed", message);
  });
}
