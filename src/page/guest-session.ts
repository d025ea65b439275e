// Takes one worker through one run, to the guest's end or until a stopped guest has had its time; page and Node.

import type { PreopenSpec } from "../files/preopens.ts";
import { UNWIND_MS } from "../limits.ts";
import type { CallHandler } from "../wire/blocking-call.ts";
import type { Failure, RunInit, RunOutcome, Transport } from "../wire/messages.ts";
import type { GuestWorker } from "./guest-worker.ts";
import { fromFailure } from "./worker-errors.ts";
import { Deadlines, type Deadline } from "../tools/deadlines.ts";
import { OutputRingReader } from "../wire/output-ring.ts";
import type { GuestTimer } from "./guest-timer.ts";
import type { RunOutput } from "./output-stream.ts";
import { connectRun, type RunConnection } from "./run-channel.ts";
import type { Stopping } from "./stopping.ts";
import type { WorkerPool } from "./worker-pool.ts";

/** Milliseconds until the page listens to a short run. */
const LOOK_MS = 10;
const looks = new Deadlines();

/** What a session is made of. */
export interface SessionParts {
  readonly pool: WorkerPool;
  readonly transport: Transport;
  readonly init: RunInit<PreopenSpec>;
  readonly handler: CallHandler;
  readonly timer: GuestTimer;
  readonly output: Readonly<Record<1 | 2, RunOutput>>;
  /** The guest's first instruction is about to run. */
  readonly started: () => void;
  readonly stopping: Stopping;
}

/**
 * Runs the guest. Undefined when it was stopped and did not unwind in time: its worker is terminated then, and its files
 * are lost. Rejects with SandboxError for what the page got wrong, or when the worker died.
 */
export async function runSession(parts: SessionParts): Promise<RunOutcome | undefined> {
  const first = await attempt(parts);
  if (!isExhausted(first)) return outcomeOf(first);
  // Dead memories of idle workers count toward the browser's limit until these are gone. No guest code has run yet.
  parts.pool.drain();
  return outcomeOf(await attempt(parts));
}

type Reply = RunOutcome | { readonly failure: Failure } | undefined;

function isExhausted(reply: Reply): boolean {
  return reply !== undefined && "failure" in reply && reply.failure.code === "resource_exhausted";
}

function outcomeOf(reply: Reply): RunOutcome | undefined {
  if (reply && "failure" in reply) throw fromFailure(reply.failure);
  return reply;
}

async function attempt(parts: SessionParts): Promise<Reply> {
  const { pool, stopping } = parts;
  const worker = await pool.acquire(stopping);
  if (stopping.stopped) {
    pool.release(worker);
    throw stopping.reason;
  }
  let reply: Reply;
  let computing = false;
  let guest: HeardGuest | undefined;
  let connection: RunConnection | undefined;
  let leave: (() => void) | undefined;
  const deadline = new UnwindDeadline();
  try {
    const joined = (connection = connectRun({ ...parts, worker, short: isShort(parts.init) }));
    leave = stopping.onStop(() => {
      joined.stop();
      deadline.start();
    });
    guest = startGuest(parts, worker, joined);
    reply = await Promise.race([guest.finished, deadline.passed]);
    guest.readRest();
    computing = reply === undefined;
  } finally {
    guest?.dispose();
    if (reply) connection?.end();
    else connection?.stop(); // whatever came of it: nothing is answered any more
    deadline.dispose();
    leave?.();
    worker.detach();
    if (reply && !isExhausted(reply)) pool.release(worker);
    else pool.discard(worker, computing);
  }
  return reply;
}

/** A guest that was started, and what it says. */
interface HeardGuest {
  readonly finished: Promise<Reply>;
  /** Takes output that nobody was told of. */
  readRest(): void;
  dispose(): void;
}

function startGuest(
  { init, output, started }: SessionParts,
  worker: GuestWorker,
  joined: RunConnection,
): HeardGuest {
  const receive = (stream: 1 | 2, bytes: Uint8Array): void => output[stream].receive(bytes);
  const ring = joined.memory && new OutputRingReader(joined.memory.output, receive);
  let look: Deadline | undefined;
  const neverLook = (): void => {
    if (look) looks.delete(look);
  };
  let listening = joined.listen === undefined;
  const listen = (): void => {
    neverLook();
    listening = true;
    joined.listen?.();
    if (ring?.look() !== true) worker.watchSilence();
  };
  const finished = new Promise<Reply>((resolve, lost) =>
    worker.start(init, joined, {
      run: joined.channel.run,
      hear(message) {
        if ("outcome" in message) return resolve(message.outcome);
        if (!listening) listen();
        if ("output" in message) {
          if (ring) ring.message(message.output, message.bytes);
          else receive(message.output, message.bytes);
        } else if ("written" in message) ring?.read();
        else if ("started" in message) started();
        else joined.hear(message);
      },
      lost,
    }),
  );
  joined.watch?.();
  if (listening) worker.watchSilence();
  else {
    look = looks.add(performance.now(), LOOK_MS, listen);
    started();
  }
  return { finished, readRest: () => ring?.read(), dispose: neverLook };
}

/** Most are that have nothing to ask of the page. */
function isShort({ door, http, stdin, preopens }: RunInit<PreopenSpec>): boolean {
  if (door || http) return false;
  const given = stdin.kind === "bytes" || (stdin.kind === "lines" && !stdin.more);
  return given && preopens.every(({ source }) => source.kind !== "folder");
}

/** The time that a stopped guest gets to unwind. */
class UnwindDeadline {
  readonly passed: Promise<undefined>;
  private pass!: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.passed = new Promise((resolve) => {
      this.pass = () => resolve(undefined);
    });
  }

  start(): void {
    this.timer = setTimeout(this.pass, UNWIND_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
