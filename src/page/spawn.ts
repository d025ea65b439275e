// Starts the one worker script: beside this file, from another origin, or as the embedder says; page.

import { SandboxError } from "../errors.ts";
import type { PageMessage, WorkerMessage } from "../wire/messages.ts";
import type { WorkerEndpoint } from "./guest-worker.ts";

/** Trusted Types, as far as it is used here. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): string };
}

let policy: { createScriptURL(url: string): string } | undefined;

/** The address as `new Worker` takes it; under Trusted Types only our own two kinds of address pass. */
function scriptUrl(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return url;
  policy ??= trustedTypes.createPolicy("sallyport", { createScriptURL: (own) => own });
  return policy.createScriptURL(url);
}

/** Starts a worker: from `factory` if the embedder gives one, else from worker.js beside this file. */
export function spawn(factory: (() => Worker) | undefined): WorkerEndpoint {
  if (factory) return fromFactory(factory);
  const url = new URL("./worker.js", import.meta.url);
  try {
    return endpointOf(
      new Worker(scriptUrl(url.href), { type: "module", name: "sallyport" }),
      url.href,
    );
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== "SecurityError")
      throw startError(url, error);
    return spawnFromBlob(url);
  }
}

function fromFactory(factory: () => Worker): WorkerEndpoint {
  const source = "given by the `worker` option";
  let made: unknown;
  try {
    made = factory();
    if (isWorker(made)) return endpointOf(made, source);
  } catch (cause) {
    throw startError(source, cause);
  }
  // Of an async function: nobody else could end that worker.
  if (made instanceof Promise) made.then((late: Worker) => late.terminate()).catch(() => {});
  throw startError(source, "it gave no Worker");
}

/** A worker of another frame is one too. */
function isWorker(value: unknown): value is Worker {
  const { postMessage, addEventListener, terminate } = (value ?? {}) as Partial<Worker>;
  return [postMessage, addEventListener, terminate].every((part) => typeof part === "function");
}

/**
 * A worker's own script must be of the page's origin; what that script imports need not be. It is a classic one, since a
 * frame of opaque origin starts no module worker at all; an import that fails is thrown where the page hears of it.
 */
function spawnFromBlob(url: URL): WorkerEndpoint {
  const source = `import(${JSON.stringify(url.href)}).catch((e)=>setTimeout(()=>{throw e}))`;
  const blob = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    const worker = new Worker(scriptUrl(blob), { name: "sallyport" });
    const release = (): void => URL.revokeObjectURL(blob);
    worker.addEventListener("message", release, { once: true });
    worker.addEventListener("error", release, { once: true });
    return endpointOf(worker, url.href);
  } catch (error) {
    throw startError(url, error);
  }
}

function startError(url: URL | string, cause: unknown): SandboxError {
  return new SandboxError(
    "worker_failed",
    `the worker script ${String(url)} could not be started: ${String(cause)} (Trusted Types have to allow the ` +
      "policy `sallyport`; else give `worker`)",
    { cause, data: { source: String(url) } },
  );
}

/** A worker may speak before anybody listens: it is started while the rest of the library loads. */
function endpointOf(worker: Worker, source: string): WorkerEndpoint {
  const missed: (() => void)[] = [];
  let heard: ((message: WorkerMessage) => void) | undefined;
  let over: (cause: string) => void;
  const tell = (what: () => void): void => void (heard ? what() : missed.push(what));
  worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) =>
    tell(() => heard!(data)),
  );
  worker.addEventListener("error", (event) => {
    event.preventDefault(); // it is reported as a rejection
    tell(() => over(event.message || "the browser gave no reason"));
  });
  worker.addEventListener("messageerror", () => tell(() => over("a message could not be read")));
  return {
    source,
    post: (message: PageMessage, transfer) => worker.postMessage(message, transfer),
    listen(hear, ended) {
      heard = hear;
      over = ended;
      for (const what of missed.splice(0)) what();
    },
    terminate: () => worker.terminate(),
  };
}
