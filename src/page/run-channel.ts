// Joins a run to its worker by the rung that the sandbox uses; page and Node.

import { SandboxError } from "../errors.ts";
import type { CallHandler } from "../wire/blocking-call.ts";
import { Channel, createChannelBuffer, renewChannel, stopChannel } from "../wire/channel-buffer.ts";
import type { RunChannel, RunMessage, Transport } from "../wire/messages.ts";
import { createOutputRing, quietOutputRing } from "../wire/output-ring.ts";
import { serveSharedMemory, type SharedMemoryServer } from "../wire/serve-shared-memory.ts";
import { serveSuspending } from "../wire/serve-suspending.ts";
import { watchRun } from "../wire/watch-run.ts";
import type { GuestTimer } from "./guest-timer.ts";
import type { GuestWorker } from "./guest-worker.ts";

/** The page's end of one run's blocking calls. */
export interface RunConnection {
  /** What the worker needs to know of it. */
  readonly channel: RunChannel;
  /** What it shares with the worker. */
  readonly memory?: RunMemory;
  /** The worker knows that memory from its last run. */
  readonly again?: boolean;
  /** Looks for the end of the run, which may be told in the memory; to be called once the run was started. */
  readonly watch?: () => void;
  /** The worker says nothing, and calls are not answered, before this. Not there where both happen from the start. */
  readonly listen?: () => void;
  /** A call, or the ring for one. */
  hear(message: RunMessage): void;
  /** Stops the guest where it can be reached; no call is answered after. */
  stop(): void;
  /** The guest has ended, and its worker has said so. */
  end(): void;
}

/** What joins a run. */
export interface ConnectionParts {
  readonly transport: Transport;
  readonly worker: GuestWorker;
  readonly handler: CallHandler;
  readonly timer: GuestTimer;
  /** The run is likely to be over before anybody has to listen. */
  readonly short: boolean;
}

let runs = 0;

/** Makes a connection. Throws SandboxError `resource_exhausted`. */
export function connectRun(parts: ConnectionParts): RunConnection {
  const { transport, worker, timer, short } = parts;
  const run = ++runs;
  if (transport === "none")
    return { channel: { run, transport }, hear: () => {}, stop: () => {}, end: () => {} };
  const handler = pausing(parts.handler, timer);
  const answered = (now?: number): void => timer.resume(now);
  if (transport === "shared-memory") {
    if (short) return connectShort(run, worker, handler, timer);
    const memory = allocate();
    worker.kept = undefined;
    const server = serveSharedMemory(memory.channel, handler, answered, () =>
      worker.ended(memory.channel),
    );
    timer.follow(server);
    return {
      channel: { run, transport, ...buffersOf(memory), ring: MUST_RING },
      memory,
      hear: () => server.ring(),
      stop: () => server.stop(),
      end: () => server.stop(), // its waiter on the page goes
    };
  }
  let spentMs = 0;
  timer.follow({ spentMs: () => spentMs, waiting: () => false });
  const server = serveSuspending(
    run,
    (message, transfer) => worker.endpoint.post(message, transfer),
    handler,
    answered,
  );
  return {
    channel: { run, transport },
    hear: (message) => {
      if (!("length" in message)) return;
      spentMs = message[4] ?? spentMs;
      server.receive(message);
    },
    stop: () => server.stop(),
    end: () => server.end(),
  };
}

/** Without it the worker sends a message for each call. */
const MUST_RING = !("waitAsync" in Atomics);

/**
 * A connection that costs nothing until somebody listens: most calls of packages are over before. Its memory is used
 * again in the same worker, unless calls were served through it: those may be answered late.
 */
function connectShort(
  run: number,
  worker: GuestWorker,
  handler: CallHandler,
  timer: GuestTimer,
): RunConnection {
  const { kept } = worker;
  const again = kept !== undefined && renewChannel(kept.channel);
  const memory = again ? kept : allocate();
  const { channel } = memory;
  worker.kept = undefined;
  quietOutputRing(memory.output);
  let server: SharedMemoryServer | undefined;
  let leave: (() => void) | undefined;
  const ended = (): void => worker.ended(channel);
  const listen = (): void => {
    if (server) return;
    leave?.();
    server = serveSharedMemory(channel, handler, (now) => timer.resume(now), ended);
    timer.follow(server);
  };
  return {
    channel: {
      run,
      transport: "shared-memory",
      ...(again ? {} : buffersOf(memory)),
      ring: MUST_RING,
    },
    memory,
    again,
    listen,
    ...(MUST_RING ? {} : { watch: () => (leave = watchRun(channel, { asked: listen, ended })) }),
    hear: () => {
      listen();
      server!.ring();
    },
    stop: () => stopChannel(channel),
    end: () => {
      leave?.();
      if (server) server.stop();
      else worker.kept = memory;
    },
  };
}

/** The guest's clock stands still while the page is asked; polling is the guest's own time. */
function pausing(handler: CallHandler, timer: GuestTimer): CallHandler {
  return (kind, request) => {
    if (kind !== "poll") timer.pause();
    return handler(kind, request);
  };
}

/** What a worker and its page share for a run. */
export interface RunMemory {
  readonly channel: Channel;
  /** For small writes. */
  readonly output: SharedArrayBuffer;
}

function buffersOf({ channel: { buffer }, output }: RunMemory) {
  return { buffer, output };
}

function allocate(): RunMemory {
  try {
    return { channel: new Channel(createChannelBuffer()), output: createOutputRing() };
  } catch (cause) {
    throw new SandboxError("resource_exhausted", "the browser gives no more shared memory", {
      cause,
    });
  }
}
