// One run as the page holds it: its streams, its stop, its deadlines, its result; page and Node.

import { type FrameDoor, openToolDoor } from "../door/create-tool-door.ts";
import { Deadlines, type Deadline } from "../tools/deadlines.ts";
import type { CallHandler } from "../wire/blocking-call.ts";
import type { RunOutcome, Transport } from "../wire/messages.ts";
import { onAbort } from "../tools/on-abort.ts";
import { closedError, type WorkerPool } from "./worker-pool.ts";
import { runSession } from "./guest-session.ts";
import { GuestTimer } from "./guest-timer.ts";
import type { LoadCode } from "./deferred-code.ts";
import type { Library } from "./library.ts";
import { hostHandler } from "./host-handler.ts";
import type { RunNetwork } from "./open-network.ts";
import { loadPart } from "./load-part.ts";
import { OutputListener } from "./output-listener.ts";
import { OutputStream, type RunOutput } from "./output-stream.ts";
import { PACKAGE_RUN } from "./package-run.ts";
import { prepareRun, type ModuleOfRun } from "./run-init.ts";
import { runFolders } from "./run-folders.ts";
import { takeRunOptions } from "./take-run-options.ts";
import {
  checkLimits,
  checkRunOptions,
  type CheckedLimits,
  type RunOptions,
} from "./run-options.ts";
import { runResult, type RunResult, type Stop } from "./run-result.ts";
import { StdinSource } from "./stdin-source.ts";
import { Stopping } from "./stopping.ts";

/** Of all runs: most are over long before. */
const walls = new Deadlines();

/** What a sandbox lends to its runs. */
export interface RunPlace extends ModuleOfRun {
  readonly pool: WorkerPool;
  readonly transport: Transport;
  /** Files that all runs find. */
  readonly library: Library | undefined;
  readonly code: LoadCode | undefined;
  readonly closed: boolean;
}

/** A guest at work. Made by `sandbox.run()`. */
export class Run {
  /** With `stdin: "interactive"`: text or bytes for the guest; closing it is the end of file. */
  readonly stdin: WritableStream<Uint8Array | string> | undefined;
  /**
   * Resolves for everything that a guest did. Rejects with SandboxError for what the page got wrong: `bad_option`,
   * `bad_tool`, `bad_path`, `no_entry`, `missing_import`, `worker_failed`, `closed`, `resource_exhausted`.
   */
  readonly result: Promise<RunResult>;

  private readonly place: RunPlace;
  private readonly output: Readonly<Record<1 | 2, RunOutput>>;
  private readonly stopping = new Stopping();
  private stdinSource: StdinSource | undefined;
  private stopped: Stop | undefined;
  private startedAt: number | undefined;
  private wallDeadline: Deadline | undefined;

  /** Not for callers: `sandbox.run()` makes runs. */
  constructor(place: RunPlace, given: RunOptions) {
    this.place = place;
    const checked = attempt(() => {
      if (place.closed) throw closedError();
      const options = takeRunOptions(given);
      checkRunOptions(options);
      return { options, limits: checkLimits(options.limits) };
    });
    this.output = "value" in checked ? outputOf(checked.value) : streams(0);
    if ("value" in checked) {
      const { options, limits } = checked.value;
      this.stdinSource = stdinOf(options);
      this.stdin = isFed(options) ? this.stdinSource?.writable : undefined;
      this.result = this.settle(options, limits);
    } else {
      this.result = Promise.reject(checked.error);
      this.endStreams();
    }
  }

  /** What the guest writes, as it comes. Reading is optional; whoever locks a stream sets its pace. */
  get stdout(): ReadableStream<Uint8Array> {
    return this.output[1].stream;
  }

  get stderr(): ReadableStream<Uint8Array> {
    return this.output[2].stream;
  }

  /** Stops the guest; `result` settles within 250 ms, whatever the guest does. */
  kill(reason = "kill"): void {
    this.stop({ status: "killed", reason });
  }

  private async settle(options: RunOptions, limits: CheckedLimits): Promise<RunResult> {
    const { signal } = options;
    const abort = (): void => this.kill("signal");
    let leave: (() => void) | undefined;
    try {
      if (signal?.aborted) abort();
      else leave = signal && onAbort(signal, abort);
      return await this.work(options, limits);
    } finally {
      this.endStreams();
      leave?.();
    }
  }

  private async work(given: RunOptions, limits: CheckedLimits): Promise<RunResult> {
    // Where the wall's time is no longer than the guest's, one timer does for both.
    const guestMs = limits.wallMs <= limits.timeoutMs ? Infinity : limits.timeoutMs;
    const timer = new GuestTimer(guestMs, () =>
      this.stop({ status: "timeout", reason: "guest_time" }),
    );
    const { library, transport } = this.place;
    const options = library ? await library.joinTo(given, transport !== "none") : given;
    const toolDoor = this.toolDoor(options);
    const network = await this.network(options);
    const folders = runFolders(options.mounts);
    const init = await prepareRun(this.place, options, limits);
    // Most runs of packages ask nothing.
    let handler: CallHandler | undefined;
    const makeHandler = (): CallHandler =>
      hostHandler({
        toolDoor,
        rawDoor: options.door,
        http: network?.exchange,
        folders,
        code: this.place.code,
        stdin: this.stdinSource,
        output: this.output,
        stopping: this.stopping,
      });
    let outcome: RunOutcome | undefined;
    try {
      outcome = await runSession({
        ...this.place,
        init,
        handler: (kind, request) => (handler ??= makeHandler())(kind, request),
        timer,
        output: this.output,
        started: () => this.begin(timer, limits.wallMs),
        stopping: this.stopping,
      });
    } catch (error) {
      // A run that was stopped while it waited for a place was stopped, not refused; not by a sandbox that closed, either.
      if (!this.stopped) throw error;
    } finally {
      timer.stop();
      if (this.wallDeadline) walls.delete(this.wallDeadline);
    }
    const durationMs = this.startedAt === undefined ? 0 : performance.now() - this.startedAt;
    // The guest's side counts from a little earlier on.
    const spentMs = Math.min(timer.elapsedMs(), durationMs);
    const conflict = await folders?.writeBack(outcome?.folders ?? []);
    return runResult({
      outcome,
      conflict,
      stop: this.stopped,
      transport: this.place.transport,
      output: this.output,
      calls: toolDoor?.calls ?? [],
      requests: network?.requests ?? [],
      durationMs,
      guestMs: spentMs,
    });
  }

  private toolDoor({ tools, gate, budget, onCall }: RunOptions): FrameDoor | undefined {
    if (!tools) return undefined;
    const options = {
      signal: this.stopping.signal,
      ...(gate ? { gate } : {}),
      ...(budget ? { budget } : {}),
      ...(onCall ? { onCall } : {}),
    };
    return openToolDoor(tools, options, true);
  }

  private async network({ network, http }: RunOptions): Promise<RunNetwork | undefined> {
    if (!network) return undefined;
    const { openNetwork } = await loadPart(() => import("./open-network.ts"));
    return openNetwork(network, http, this.stopping.signal);
  }

  private begin(timer: GuestTimer, wallMs: number): void {
    if (this.startedAt !== undefined) return; // a second try, when the browser had no memory for the first
    this.startedAt = performance.now();
    timer.start();
    if (wallMs === Infinity) return;
    const passed = (): void => this.stop({ status: "timeout", reason: "wall_time" });
    this.wallDeadline = walls.add(this.startedAt, wallMs, passed);
  }

  /** The first reason is the one that counts. */
  private stop(stop: Stop): void {
    if (this.stopped) return;
    this.stopped = stop;
    this.stopping.stop(stop);
  }

  private endStreams(): void {
    this.output[1].end();
    this.output[2].end();
    this.stdinSource?.close();
  }
}

function outputOf(checked: {
  options: RunOptions;
  limits: CheckedLimits;
}): Record<1 | 2, RunOutput> {
  const hear = checked.options[PACKAGE_RUN]?.hear;
  if (!hear) return streams(checked.limits.outputBytes);
  return {
    1: new OutputListener((bytes) => hear(1, bytes)),
    2: new OutputListener((bytes) => hear(2, bytes)),
  };
}

function streams(capBytes: number): Record<1 | 2, RunOutput> {
  return { 1: new OutputStream(capBytes), 2: new OutputStream(capBytes) };
}

/** The page may write to stdin while the guest runs. */
function isFed(options: RunOptions): boolean {
  return options.stdin === "interactive" || options[PACKAGE_RUN]?.more === true;
}

function stdinOf(options: RunOptions): StdinSource | undefined {
  if (isFed(options)) return new StdinSource();
  const { stdin } = options;
  return stdin instanceof ReadableStream ? StdinSource.from(stdin) : undefined;
}

function attempt<T>(action: () => T): { value: T } | { error: unknown } {
  try {
    return { value: action() };
  } catch (error) {
    return { error };
  }
}
