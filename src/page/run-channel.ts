// Joins a run to its worker by the rung that the sandbox uses; page and Node.

import { SandboxError } from "../errors.ts";
import type { CallHandler } from "../wire/blocking-call.ts";
import type { RunChannel, Transport, WorkerMessage } from "../wire/messages.ts";
import { createChannelBuffer } from "../wire/channel-buffer.ts";
import { createOutputRing } from "../wire/output-ring.ts";
import { serveSharedMemory } from "../wire/shared-memory.ts";
import { serveSuspending } from "../wire/suspending.ts";
import type { GuestTimer } from "./guest-timer.ts";
import type { GuestWorker } from "./guest-worker.ts";

/** The page's end of one run's blocking calls. */
export interface RunConnection {
  /** What the worker needs to know of it. */
  readonly channel: RunChannel;
  /** A call, or the ring for one. */
  hear(message: WorkerMessage): void;
  /** Stops the guest where it can be reached; no call is answered after. */
  stop(): void;
}

let runs = 0;

/** Makes a fresh connection; a buffer is never used for a second run. Throws SandboxError `resource_exhausted`. */
export function connectRun(
  transport: Transport,
  worker: GuestWorker,
  handler: CallHandler,
  timer: GuestTimer,
): RunConnection {
  const run = ++runs;
  const timed = clockAround(handler, timer);
  if (transport === "shared-memory") {
    const { buffer, output } = allocate();
    const server = serveSharedMemory(buffer, timed);
    timer.follow(server);
    const ring = !("waitAsync" in Atomics);
    return {
      channel: { run, transport, buffer, output, ring },
      hear: () => server.ring(),
      stop: () => server.stop(),
    };
  }
  if (transport === "none") return { channel: { run, transport }, hear: () => {}, stop: () => {} };
  let spentMs = 0;
  timer.follow({ spentMs: () => spentMs, waiting: () => false });
  const server = serveSuspending(
    (message, transfer) => worker.endpoint.post({ run, ...message }, transfer),
    timed,
  );
  return {
    channel: { run, transport },
    hear: (message) => {
      if (!("call" in message)) return;
      spentMs = message.spentMs ?? spentMs;
      server.receive(message);
    },
    stop: () => server.stop(),
  };
}

/** The guest's clock stands still while the page is asked; polling is the guest's own time. */
function clockAround(handler: CallHandler, timer: GuestTimer): CallHandler {
  const resume = (): void => timer.resume();
  return (kind, request) => {
    if (kind === "poll") return handler(kind, request);
    timer.pause();
    const answer = handler(kind, request);
    if (answer instanceof Promise) answer.then(resume, resume);
    else resume();
    return answer;
  };
}

function allocate(): { buffer: SharedArrayBuffer; output: SharedArrayBuffer } {
  try {
    return { buffer: createChannelBuffer(), output: createOutputRing() };
  } catch (cause) {
    throw new SandboxError("resource_exhausted", "the browser gives no more shared memory", {
      cause,
    });
  }
}
