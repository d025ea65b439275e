// Tells a worker of its next run, in as few words as that takes; page and Node.

import { SentImages } from "../files/image-cache.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import { resetState, type Channel } from "../wire/channel-buffer.ts";
import type { RunInit } from "../wire/messages.ts";
import { handOver, letGo, writeRun, type LikeRun } from "../wire/run-words.ts";
import type { WorkerEndpoint } from "./guest-worker.ts";
import { manyMemories } from "./many-memories.ts";
import type { RunConnection } from "./run-channel.ts";
import { isSameRun, plainRun, type PlainRun } from "./same-run.ts";
import { notSent } from "./worker-errors.ts";

/** What one worker has been told. */
export class RunTeller {
  /** Where the worker may be waiting for its next run, or has been: it hears no message then. */
  waitsAt: Channel | undefined;
  private readonly endpoint: WorkerEndpoint;
  /** What of the images it has already. */
  private readonly images = new SentImages();
  private last: PlainRun | undefined;

  constructor(endpoint: WorkerEndpoint) {
    this.endpoint = endpoint;
  }

  /** Throws SandboxError `bad_option` for what cannot be sent. */
  tell(init: RunInit<PreopenSpec>, { channel, memory, again }: RunConnection): void {
    const { last } = this;
    const plain = plainRun(init);
    this.last = undefined;
    const like = last && plain && !channel.buffer && isSameRun(last, plain);
    const { timeoutMs, stdin } = init;
    const told: LikeRun = { run: channel.run, timeoutMs, stdin, many: manyMemories() };
    if (like && again && writeRun(memory!.channel, told)) {
      if (!handOver(memory!.channel)) this.endpoint.post(told.run, []);
    } else {
      this.letGo();
      if (again) resetState(memory!.channel);
      try {
        if (like) this.endpoint.post(told, []);
        else {
          const start = { ...init, preopens: this.images.lean(init.preopens) };
          this.endpoint.post({ start, channel, many: told.many }, []);
        }
      } catch (error) {
        notSent(error);
      }
    }
    this.last = plain;
  }

  /** The worker is to hear messages. */
  letGo(): void {
    if (this.waitsAt) letGo(this.waitsAt);
  }
}
