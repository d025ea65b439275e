// Errors of workers: those that they send, and the one for a worker that does not start; page and Node.

import { SandboxError } from "../errors.ts";
import type { Failure } from "../wire/messages.ts";

/** Makes the SandboxError again that a worker sent as plain data. */
export function fromFailure({ code, message, data }: Failure): SandboxError {
  return new SandboxError(code, message, data === undefined ? {} : { data });
}

/** The error for a worker that does not start. */
export function workerFailed(source: string, cause: string): SandboxError {
  return new SandboxError(
    "worker_failed",
    `the worker script ${source} did not start (${cause}). Usual causes: the file is not there (404, or a bundler that ` +
      "did not copy it); on a cross-origin isolated page, it is served without its own Cross-Origin-Embedder-Policy " +
      "header; or the page's Content-Security-Policy does not allow it (worker-src). The option " +
      "`worker: () => new Worker(...)` starts it another way.",
    { data: { source } },
  );
}

/** Throws the error for a run that could not be sent: of all that it sends, only the bytes of its files are not copied before. */
export function notSent(cause: unknown): never {
  if (!(cause instanceof DOMException) || cause.name !== "DataCloneError") throw cause;
  throw new SandboxError(
    "bad_option",
    `the run's files could not be handed to its worker: ${cause.message} Their bytes have to stay until the run has begun.`,
    { cause, data: { option: "files" } },
  );
}
