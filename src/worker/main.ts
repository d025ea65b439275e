// The worker's first file: says that it is ready, takes a control port, runs guests; worker.

import * as Comlink from "comlink";
import { KeptImages } from "../files/image-cache.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import type {
  PageMessage,
  RunChannel,
  RunInit,
  RunOutcome,
  StdinSpec,
  WorkerApi,
  WorkerMessage,
} from "../wire/messages.ts";
import { NoBlockingCaller } from "../wire/no-blocking.ts";
import { Channel } from "../wire/channel-buffer.ts";
import { OutputRingWriter } from "../wire/output-ring.ts";
import { readRun, waitForRun, writeEnd, type LikeRun } from "../wire/run-words.ts";
import { SharedMemoryCaller } from "../wire/shared-memory.ts";
import { SuspendingCaller } from "../wire/suspending.ts";
import { answerOf, failureOf } from "./answer-of.ts";
import { checkDeclaredMemory } from "./check-memory.ts";
import type { GuestHost } from "./guest-host.ts";
import { HeldMemories } from "./held-memories.ts";
import { KeptHost, PARK_MS, type MakeCaller } from "./kept-host.ts";
import { DeferredCode } from "./load-code.ts";
import { runGuest } from "./run.ts";
import { type MadeInstance, SnapshotInstances, takeSnapshot } from "./snapshot.ts";

/** The part of a worker's global scope that is used here; worker_threads offers the same through an adapter. */
export interface WorkerScope {
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
  addEventListener(type: "message", listener: (event: { data: PageMessage }) => void): void;
}

/** All that a run is told. */
interface ToldRun {
  readonly init: RunInit<PreopenSpec>;
  readonly channel: RunChannel;
  readonly many: number;
}

const NO_STDIN: StdinSpec = { kind: "blocking" };

/** Serves the page from `scope` for as long as the worker lives. */
export function serveWorker(scope: WorkerScope): void {
  const images = new KeptImages();
  const code = new DeferredCode();
  const hosts = new KeptHost((kind, of, hooks) => makeCaller(kind, of, hooks), code);
  const memories = new HeldMemories(() => hosts.drop());
  let module: WebAssembly.Module | undefined;
  let instances: SnapshotInstances | undefined;
  let snapshotOf: MadeInstance | undefined;
  /** Gives runs their instances, once there is a module. */
  let prepare: (() => void) | undefined;
  /** What the last run shared with the page; a run that brings nothing uses it again. */
  let shared: { channel: Channel; output: SharedArrayBuffer } | undefined;
  let suspended: SuspendingCaller | undefined;
  /** What a run like it is not told again. */
  let last: { init: RunInit<PreopenSpec>; channel: RunChannel } | undefined;

  const post = (message: WorkerMessage, transfer: Transferable[] = []): void =>
    scope.postMessage(message, transfer);

  const makeCaller: MakeCaller = ({ transport, ring }, of, hooks) => {
    if (transport === "shared-memory") {
      const ringing = ring ? () => post({ run: of.run, ring: true }) : undefined;
      return new SharedMemoryCaller(shared!.channel, hooks, ringing);
    }
    if (transport !== "suspending") return new NoBlockingCaller(hooks);
    return new SuspendingCaller(of.run, post, hooks);
  };

  const api: WorkerApi = {
    load: (loaded, checkPages, mayMakeAhead) => {
      module = loaded;
      hosts.use(loaded, mayMakeAhead);
      prepare?.();
      return checkPages === undefined
        ? undefined
        : failureOf(() => checkDeclaredMemory(loaded, checkPages));
    },
    takeSnapshot: (spec, name) =>
      answerOf(async () => {
        const taken = await takeSnapshot(module!, spec, name);
        if ("ended" in taken) return taken;
        const { image, made } = taken;
        snapshotOf = made;
        return Comlink.transfer({ image }, [image.stretches.buffer, image.bytes.buffer]);
      }),
    useSnapshot: (image) => {
      prepare = () => {
        hosts.use(module!);
        instances = new SnapshotInstances(module!, image, snapshotOf);
        prepare = snapshotOf = undefined;
      };
      // An image may be here while the module is being compiled.
      if (module) prepare();
    },
    giveCode: (bytes) => code.give(bytes),
    allowInPlace: () => (instances ?? hosts).allowInPlace(),
  };

  /** Runs a guest and tells its end; true when the next is to be waited for in place. */
  const start = async ({ init, channel, many }: ToldRun): Promise<boolean> => {
    const { buffer, output: written, ...like } = channel;
    const { run } = like;
    last = holdsFiles(init) ? undefined : { init: { ...init, stdin: NO_STDIN }, channel: like };
    if (buffer && written) shared = { channel: new Channel(buffer), output: written };
    const ring =
      channel.transport === "shared-memory"
        ? new OutputRingWriter(shared!.output, () => post({ run, written: true }))
        : undefined;
    // An import that suspends belongs to the run that it was made for.
    instances?.prepare(channel.transport !== "suspending");
    const outcome = await answerOf(() =>
      runGuest(init, {
        host: hostOf(init, channel),
        emit: (output, bytes) =>
          ring?.put(output, bytes) || post({ run, output, bytes }, [bytes.buffer]),
        started: () => {
          if (!ring?.begin()) post({ run, started: true });
        },
        holds: (memory) => memories.add(memory),
        ...(instances ? { instances } : {}),
      }),
    );
    const left = "failure" in outcome ? undefined : outcome;
    suspended = undefined;
    instances?.left(left);
    const end = { run, outcome, memories: memories.count };
    const buffers = left ? buffersOf(left) : [];
    // A text has no room for bytes: neither those of files, nor those that go back to granted folders.
    const bytes = buffers[0] ?? left?.folders?.[0];
    const quick = !channel.ring && ring?.messages === 0 && left?.end === "exited" && !bytes;
    const parks = hosts.ends(quick && memories.count < many);
    const told = quick && writeEnd(shared!.channel, end, parks);
    if (!told) post(end, buffers);
    instances?.makeReady();
    memories.relieve(left?.memoryBytes ?? 0, many);
    const next = hosts.left(left);
    if (next) memories.add(next);
    return told && parks;
  };

  const serve = async (first: ToldRun): Promise<void> => {
    let told = first;
    // In turns, since each needs what the one before it left.
    // oxlint-disable-next-line no-await-in-loop
    while (await start(told)) {
      if (!waitForRun(shared!.channel, told.channel.run, PARK_MS)) return;
      told = like(readRun(shared!.channel));
    }
  };

  const like = ({ run, timeoutMs, stdin, many }: LikeRun): ToldRun => ({
    init: { ...last!.init, timeoutMs, stdin },
    channel: { ...last!.channel, run },
    many,
  });

  const hostOf = (init: RunInit<PreopenSpec>, channel: RunChannel): GuestHost => {
    const host = hosts.take(init, channel);
    const { caller } = host;
    if (caller instanceof SharedMemoryCaller) caller.use(shared!.channel);
    if (caller instanceof SuspendingCaller) {
      caller.use(channel.run);
      suspended = caller;
    }
    return host;
  };

  scope.addEventListener("message", ({ data }) => {
    if (typeof data === "number") void serve(like(readRun(shared!.channel)));
    else if (!("length" in data)) {
      if ("connect" in data) Comlink.expose(api, data.connect);
      else if ("run" in data) void serve(like(data));
      else {
        const init = data.start as RunInit<PreopenSpec>;
        const preopens = images.complete(init.preopens);
        void serve({ init: { ...init, preopens }, channel: data.channel, many: data.many });
      }
    } else suspended?.receive(data);
  });
  post({ ready: true });
}

/** Such a run is told whole each time, and its files are not kept. */
function holdsFiles({ preopens }: RunInit<PreopenSpec>): boolean {
  return preopens.some(({ source }) => source.kind === "memory" && source.entries.length > 0);
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

if ("WorkerGlobalScope" in globalThis) serveWorker(globalThis);
