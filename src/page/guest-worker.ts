// One worker as the page sees it: started under a deadline, spoken to through Comlink, its end noticed; page and Node.

import * as Comlink from "comlink";
import { SandboxError } from "../errors.ts";
import { fromFailure, workerFailed } from "./worker-errors.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import { UNWIND_MS, WORKER_BEGIN_MS, WORKER_READY_MS } from "../limits.ts";
import type {
  PageMessage,
  RunInit,
  WorkerApi,
  RunMessage,
  WorkerMessage,
} from "../wire/messages.ts";
import type { Channel } from "../wire/channel-buffer.ts";
import type { SnapshotImage, SnapshotSpec } from "../wire/snapshot.ts";
import { readEnd } from "../wire/run-words.ts";
import type { RunConnection, RunMemory } from "./run-channel.ts";
import { workers } from "./many-memories.ts";
import { RunTeller } from "./tell-run.ts";
import { initFailed, initTimedOut } from "./snapshot-failed.ts";

/** A worker of any kind: a page's Worker, or Node's worker_threads behind the same few functions. */
export interface WorkerEndpoint {
  /** Where its script came from, for messages to people. */
  readonly source: string;
  post(message: PageMessage, transfer: Transferable[]): void;
  /** Hears the worker's messages, and its end (an `error` event, an exit) with what is known of the cause. */
  listen(hear: (message: WorkerMessage) => void, ended: (cause: string) => void): void;
  terminate(): void;
  /** Node only: whether the worker keeps the process alive. */
  hold?(busy: boolean): void;
}

/** What a run hears of its worker. */
export interface RunEar {
  readonly run: number;
  hear(message: RunMessage): void;
  /** The worker ended; nothing more comes. */
  lost(error: unknown): void;
}

/** A worker that is up and has its control port. */
export class GuestWorker {
  readonly endpoint: WorkerEndpoint;
  private readonly api: Comlink.Remote<WorkerApi>;
  private readonly gone: Promise<never>;
  private readonly end: (error: SandboxError) => void;
  private ear: RunEar | undefined;
  private silence: ReturnType<typeof setTimeout> | undefined;
  /** Questions that keep Node's process until they are answered. */
  private asked = 0;
  /** True once it ended or was terminated. */
  over = false;
  private readonly teller: RunTeller;
  /** What it shares with the page, when the next run may use it again. */
  kept: RunMemory | undefined;
  /** Guests' memories that its engine holds, dead ones included. */
  memories = 0;

  private constructor(endpoint: WorkerEndpoint, port: MessagePort) {
    this.endpoint = endpoint;
    this.teller = new RunTeller(endpoint);
    this.api = Comlink.wrap<WorkerApi>(port);
    // Node counts an open port as work to do; the worker itself is what holds the process, while a guest runs.
    (port as { unref?: () => void }).unref?.();
    let end!: (error: SandboxError) => void;
    this.gone = new Promise((_, reject) => {
      end = reject;
    });
    workers.add(this);
    this.gone.catch(() => {}); // whoever waits for an answer hears it; nobody has to
    this.end = (error) => {
      this.over = true;
      workers.delete(this);
      port.close();
      end(error);
      this.ear?.lost(error);
    };
  }

  /**
   * Waits until the worker's script runs. Rejects with SandboxError `worker_failed`, which names the script and what
   * keeps workers from starting: the browser itself gives no reason.
   */
  static start(endpoint: WorkerEndpoint, readyMs = WORKER_READY_MS): Promise<GuestWorker> {
    return new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      const worker = new GuestWorker(endpoint, port1);
      let ready = false;
      const fail = (cause: string): void => {
        clearTimeout(timer);
        const error = ready
          ? new SandboxError("worker_failed", `the worker ${endpoint.source} broke down: ${cause}`)
          : workerFailed(endpoint.source, cause);
        worker.end(error);
        reject(error); // first: what a page's own factory made may throw
        endpoint.terminate();
      };
      const timer = setTimeout(() => fail(`it said nothing for ${readyMs} ms`), readyMs);
      endpoint.listen((message) => {
        // A script around ours, a bundler's say, may send messages of its own.
        if (typeof message !== "object" || message === null) return;
        if (!("ready" in message)) return worker.dispatch(message);
        clearTimeout(timer);
        ready = true;
        endpoint.post({ connect: port2 }, [port2]);
        resolve(worker);
      }, fail);
    });
  }

  /** Gives this worker the module of its sandbox; `ahead` as the worker's `load` has it. */
  async load(
    module: WebAssembly.Module,
    checkPages: number | undefined,
    ahead: boolean,
  ): Promise<void> {
    const failure = await this.held(() => this.control(this.api.load(module, checkPages, ahead)));
    if (!failure) return;
    const advice = 'give its bytes or URL, which can be bounded, or set memoryBytes: "declared"';
    const message = `the compiled module may have ${failure.message}: ${advice}`;
    throw fromFailure({ ...failure, message });
  }

  /**
   * Makes a snapshot of the module. Rejects with SandboxError `bad_snapshot`, `missing_import`, `resource_exhausted`. An
   * init that does not end loses the worker.
   */
  async takeSnapshot(spec: SnapshotSpec, name: string): Promise<SnapshotImage> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      // The guest's own clock ends one that calls imports; this, one that only computes.
      timer = setTimeout(() => {
        reject(initTimedOut(spec));
        this.terminate("its snapshot took too long");
      }, spec.timeoutMs + UNWIND_MS);
    });
    const answer = await this.held(() =>
      Promise.race([
        late,
        this.control<Awaited<ReturnType<WorkerApi["takeSnapshot"]>>>(
          this.api.takeSnapshot(spec, name),
        ),
      ]),
    ).finally(() => clearTimeout(timer));
    if ("failure" in answer) throw fromFailure(answer.failure);
    if ("ended" in answer) throw initFailed(spec, answer.ended);
    return answer.image;
  }

  /** All runs of this worker start from the image. */
  async useSnapshot(image: SnapshotImage): Promise<void> {
    await this.held(() => this.control(this.api.useSnapshot(image)));
  }

  /** Deferred code for runs that cannot ask for it. Rejects with SandboxError `load_failed`. */
  async giveCode(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const refused = await this.held(() => this.control(this.api.giveCode(bytes)));
    if (!refused) return;
    const message = "the deferred code is no module, or none that may be loaded";
    throw new SandboxError("load_failed", message);
  }

  /** Instances may be put back from now on; nobody waits for it. */
  allowInPlace(): void {
    this.control(Promise.resolve(this.api.allowInPlace())).catch(() => {});
  }

  /** Starts a guest. Its run hears what comes of it; messages of earlier runs are dropped. */
  start(init: RunInit<PreopenSpec>, connection: RunConnection, ear: RunEar): void {
    this.ear = ear;
    this.endpoint.hold?.(true);
    this.teller.tell(init, connection);
  }

  /** The end of its run lies there, and it may be waiting for another. */
  ended(channel: Channel): void {
    this.teller.waitsAt = channel;
    this.dispatch(readEnd(channel));
  }

  detach(): void {
    this.breakSilence();
    this.ear = undefined;
    this.endpoint.hold?.(false);
  }

  terminate(why = "the worker was terminated"): void {
    if (this.over) return;
    this.teller.letGo();
    this.end(new SandboxError("worker_failed", why));
    this.endpoint.terminate();
  }

  /** Ends a worker that does not begin. It may be gone without a word: browsers say nothing when somebody else terminated it. */
  watchSilence(): void {
    const why = `the worker did not begin its run within ${WORKER_BEGIN_MS} ms; it may have been terminated`;
    this.silence = setTimeout(() => {
      // Once more, since a page that was held up hears its own timers first.
      this.silence = setTimeout(() => this.terminate(why), 100);
    }, WORKER_BEGIN_MS);
  }

  /** Node would end before the answer comes: an idle worker does not keep the process. */
  private async held<T>(ask: () => Promise<T>): Promise<T> {
    this.asked += 1;
    this.endpoint.hold?.(true);
    try {
      return await ask();
    } finally {
      this.asked -= 1;
      if (this.asked === 0) this.endpoint.hold?.(false);
    }
  }

  /** A pending Comlink call never settles once its worker is gone: every one is raced against that. */
  private control<T>(answer: Promise<T>): Promise<T> {
    this.teller.letGo();
    return Promise.race([answer, this.gone]);
  }

  private breakSilence(): void {
    clearTimeout(this.silence);
    this.silence = undefined;
  }

  private dispatch(message: RunMessage): void {
    const run = "length" in message ? message[0] : message.run;
    if (this.ear?.run !== run) return;
    if (this.silence !== undefined) this.breakSilence();
    if ("outcome" in message) this.memories = message.memories;
    this.ear.hear(message);
  }
}
