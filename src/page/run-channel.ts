// Joins a run to its worker by the rung that the sandbox uses; page and Node.

import { SandboxError } from "../errors.ts";
import type { CallHandler } from "../wire/blocking-call.ts";
import type { RunChannel, RunMessage, Transport } from "../wire/messages.ts";
import { createChannelBuffer, renewChannelBuffer, stopChannel } from "../wire/channel-buffer.ts";
import { createOutputRing, quietOutputRing } from "../wire/output-ring.ts";
import { serveSharedMemory, type SharedMemoryServer } from "../wire/serve-shared-memory.ts";
import { serveSuspending } from "../wire/serve-suspending.ts";
import type { GuestTimer } from "./guest-timer.ts";
import type { GuestWorker } from "./guest-worker.ts";

/** The page's end of one run's blocking calls. */
export interface RunConnection {
  /** What the worker needs to know of it. */
  readonly channel: RunChannel;
  /** The shared memory for small writes. */
  readonly output?: SharedArrayBuffer;
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
  const answered = (): void => timer.resume();
  if (transport === "shared-memory") {
    if (short) return connectShort(run, worker, handler, timer);
    const memory = allocate();
    worker.kept = undefined;
    const server = serveSharedMemory(memory.buffer, handler, answered);
    timer.follow(server);
    return {
      channel: { run, transport, ...memory, ring: MUST_RING },
      output: memory.output,
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
  const again = kept !== undefined && renewChannelBuffer(kept.buffer);
  const memory = again ? kept : allocate();
  worker.kept = undefined;
  quietOutputRing(memory.output);
  let server: SharedMemoryServer | undefined;
  const listen = (): void => {
    if (server) return;
    server = serveSharedMemory(memory.buffer, handler, () => timer.resume());
    timer.follow(server);
  };
  return {
    channel: {
      run,
      transport: "shared-memory",
      ...(again ? {} : memory),
      ring: MUST_RING,
    },
    output: memory.output,
    listen,
    hear: () => {
      listen();
      server!.ring();
    },
    stop: () => {
      if (server) server.stop();
      else stopChannel(memory.buffer);
    },
    end: () => {
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
  readonly buffer: SharedArrayBuffer;
  readonly output: SharedArrayBuffer;
}

function allocate(): RunMemory {
  try {
    return { buffer: createChannelBuffer(), output: createOutputRing() };
  } catch (cause) {
    throw new SandboxError("resource_exhausted", "the browser gives no more shared memory", {
      cause,
    });
  }
}
