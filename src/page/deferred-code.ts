// The part of a module's code that is loaded when a guest first needs it; page and Node.

import { SandboxError } from "../errors.ts";
import { DEFERRED_CODE_BYTES } from "../limits.ts";
import { allPieces, bodyPieces } from "./body-pieces.ts";
import { isByteSource, isBytes, ownBytes } from "./byte-source.ts";
import { bytesOfSource, loadOnce } from "./load-once.ts";
import { wrong } from "./run-options.ts";
import type { SandboxOptions } from "./sandbox-options.ts";

/** Gives its bytes. Rejects with SandboxError `load_failed`; a later call tries again. */
export type LoadCode = () => Promise<Uint8Array<ArrayBuffer>>;

/** How the code that was given is loaded; undefined where none was. Throws SandboxError `bad_option`. */
export function deferredCode(
  source: SandboxOptions["deferredCode"],
  fetcher: typeof fetch,
): LoadCode | undefined {
  if (source === undefined) return undefined;
  if (!isByteSource(source)) wrong("deferredCode", "a URL, a Response, or bytes");
  // Whoever gave bytes may do with them as they like before a run needs these.
  const own = isBytes(source) ? ownBytes(source, "the deferred code", "deferredCode") : undefined;
  return loadOnce(async () => {
    if (!own) return bytesOfSource(source, fetcher, "the deferred code", readBody);
    if (own.length > DEFERRED_CODE_BYTES)
      throw new SandboxError("load_failed", `the deferred code has ${TOO_MANY}`);
    return own;
  });
}

const TOO_MANY = `more than ${DEFERRED_CODE_BYTES} bytes`;

/** A body that goes on for ever is left once it is too large. */
async function readBody(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (response.bodyUsed) throw new TypeError("it has been read already");
  if (!response.body) return new Uint8Array(0);
  const bytes = await allPieces(bodyPieces(response.body), DEFERRED_CODE_BYTES);
  if (!bytes) throw new Error(`it has ${TOO_MANY}`);
  return bytes;
}
