// The worker's first file: says that it is ready, takes a control port, runs guests; worker.

import * as Comlink from "comlink";
import { SandboxError } from "../errors.ts";
import { KeptImages } from "../files/image-cache.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import type { BlockingCaller, RunHooks } from "../wire/blocking-call.ts";
import type {
  Failure,
  PageMessage,
  RunChannel,
  RunInit,
  RunOutcome,
  WorkerApi,
  WorkerMessage,
} from "../wire/messages.ts";
import { NoBlockingCaller } from "../wire/no-blocking.ts";
import { OutputRingWriter } from "../wire/output-ring.ts";
import { SharedMemoryCaller } from "../wire/shared-memory.ts";
import { SuspendingCaller } from "../wire/suspending.ts";
import { checkDeclaredMemory } from "./check-memory.ts";
import { HeldMemories } from "./held-memories.ts";
import { runGuest } from "./run.ts";
import { type MadeInstance, SnapshotInstances, takeSnapshot } from "./snapshot.ts";

/** The part of a worker's global scope that is used here; worker_threads offers the same through an adapter. */
export interface WorkerScope {
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { data: PageMessage }) => void): void;
}

/** Serves the page from `scope` for as long as the worker lives. */
export function serveWorker(scope: WorkerScope): void {
  const images = new KeptImages();
  const memories = new HeldMemories();
  let module: WebAssembly.Module | undefined;
  let instances: SnapshotInstances | undefined;
  let snapshotOf: MadeInstance | undefined;
  /** What the last run shared with the page; a run that brings nothing uses it again. */
  let shared: { buffer: SharedArrayBuffer; output: SharedArrayBuffer } | undefined;
  let suspended: SuspendingCaller | undefined;

  const post = (message: WorkerMessage, transfer: Transferable[] = []): void =>
    scope.postMessage(message, transfer);

  const makeCaller = (channel: RunChannel, hooks: RunHooks): BlockingCaller => {
    const { run, transport } = channel;
    if (transport === "shared-memory") {
      const ring = channel.ring ? () => post({ run, ring: true }) : undefined;
      return new SharedMemoryCaller(shared!.buffer, hooks, ring);
    }
    if (transport !== "suspending") return new NoBlockingCaller(hooks);
    return (suspended = new SuspendingCaller(run, post, hooks));
  };

  const api: WorkerApi = {
    load: (loaded, checkPages) => {
      module = loaded;
      return checkPages === undefined
        ? undefined
        : failureOf(() => checkDeclaredMemory(loaded, checkPages));
    },
    takeSnapshot: (spec, name) =>
      answerOf(async () => {
        const { image, made } = await takeSnapshot(module!, spec, name);
        snapshotOf = made;
        return Comlink.transfer({ image }, [image.stretches.buffer, image.bytes.buffer]);
      }),
    useSnapshot: (image, inPlace) => {
      instances = new SnapshotInstances(module!, image, inPlace, snapshotOf);
      snapshotOf = undefined;
    },
    allowInPlace: () => instances?.allowInPlace(),
  };

  const start = async (init: RunInit<PreopenSpec>, channel: RunChannel): Promise<void> => {
    const { run } = channel;
    const { buffer, output: written } = channel;
    if (buffer && written) shared = { buffer, output: written };
    const ring =
      channel.transport === "shared-memory"
        ? new OutputRingWriter(shared!.output, () => post({ run, written: true }))
        : undefined;
    // An import that suspends belongs to the run that it was made for.
    instances?.prepare(channel.transport !== "suspending");
    const outcome = await answerOf(() =>
      runGuest(
        module!,
        { ...init, preopens: images.complete(init.preopens) },
        {
          caller: (hooks) => makeCaller(channel, hooks),
          emit: (output, bytes) =>
            ring?.put(output, bytes) || post({ run, output, bytes }, [bytes.buffer]),
          started: () => {
            if (!ring?.begin()) post({ run, started: true });
          },
          holds: (memory) => memories.add(memory),
          ...(instances ? { instances } : {}),
        },
      ),
    );
    const left = "failure" in outcome ? undefined : outcome;
    suspended = undefined;
    instances?.left(left);
    post({ run, outcome, memories: memories.count }, left ? buffersOf(left) : []);
    instances?.makeReady();
    memories.relieve(left?.memoryBytes ?? 0);
  };

  scope.addEventListener("message", ({ data }) => {
    if (!("length" in data)) {
      if ("connect" in data) Comlink.expose(api, data.connect);
      else void start(data.start as RunInit<PreopenSpec>, data.channel);
    } else suspended?.receive(data);
  });
  post({ ready: true });
}

/** The buffers of the files go over without a copy; the worker has no more use for them. */
function buffersOf(outcome: RunOutcome): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const file of Object.values(outcome.files ?? {})) {
    if (file && file.buffer instanceof ArrayBuffer) buffers.add(file.buffer);
  }
  for (const { entries } of outcome.trees ?? []) {
    for (const entry of entries) if ("bytes" in entry) buffers.add(entry.bytes.buffer);
  }
  return [...buffers];
}

function failure({ code, message, data }: SandboxError): Failure {
  return data === undefined ? { code, message } : { code, message, data };
}

async function answerOf<T>(work: () => Promise<T>): Promise<T | { failure: Failure }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SandboxError) return { failure: failure(error) };
    return { failure: { code: "worker_failed", message: `the worker failed: ${String(error)}` } };
  }
}

function failureOf(action: () => void): Failure | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof SandboxError) return failure(error);
    throw error;
  }
}

if ("WorkerGlobalScope" in globalThis) serveWorker(globalThis);
