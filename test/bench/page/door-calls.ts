// Whole door calls of a real guest, with an async tool, 100 bytes each way; page.

import { startBareCalls, type BareCalls } from "./bare-calls.ts";
import type { BenchEnv, Sallyport } from "./bench-env.ts";
import { callsInTurns, inTurns, Turnstile, type Batch, type Samples, type Turns } from "./turns.ts";

/** Makes the tool's answer frame 100 bytes long, as long as the request is. */
const PAD = "the answer of the page is a hundred bytes too";

/** A guest that calls the tool `count` without a pause, as long as the page lets it. */
export class DoorLoop {
  readonly batch: Batch;
  private readonly turnstile = new Turnstile();
  private readonly sandbox: Sallyport.Sandbox;
  private readonly run: Sallyport.Run;
  private readonly calls: number;

  private constructor(env: BenchEnv, sandbox: Sallyport.Sandbox, calls: number) {
    this.sandbox = sandbox;
    this.calls = calls;
    const count = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: {
        type: "object",
        properties: { n: { type: "integer" }, pad: { type: "string" } },
        required: ["n", "pad"],
      },
      execute: async ({ n }) => {
        const held = this.turnstile.hold();
        if (held) await held;
        return { n, pad: PAD };
      },
    });
    this.run = sandbox.run({
      args: [String(calls)],
      tools: [count],
      budget: { frames: Infinity, bytes: Infinity },
      limits: { timeoutMs: Infinity },
    });
    const early = this.run.result.then(({ status, exitCode, stdoutText }) => {
      throw new Error(`the door loop ended early: ${status} ${exitCode} ${stdoutText}`);
    });
    early.catch(() => {});
    this.batch = (wanted) => Promise.race([this.turnstile.batch(wanted), early]);
  }

  /** `calls` is how many the guest makes in all: the batches, and one more that ends the last of them. */
  static async start(
    env: BenchEnv,
    transport: Sallyport.Transport,
    calls: number,
  ): Promise<DoorLoop> {
    const module = env.guest("door-loop");
    return new DoorLoop(env, await env.api.createSandbox({ module, transport }), calls);
  }

  /** Lets the guest make the rest of its calls, and sees that every answer was the right one. */
  async end(): Promise<void> {
    await this.turnstile.release();
    const { exitCode, stdoutText } = await this.run.result;
    this.sandbox.close();
    // The guest prints the length of the last answer and how many calls it made.
    if (exitCode !== 0 || stdoutText.trim() !== `100\n${this.calls}`) {
      throw new Error(`the door loop went wrong: ${exitCode}, ${JSON.stringify(stdoutText)}`);
    }
  }
}

/** Rung 1 beside its two floors: microseconds per call. */
export async function sharedDoorCalls(
  env: BenchEnv,
  turns: Turns,
): Promise<Samples<"ours" | "postMessage" | "waitAsync">> {
  const ours = await DoorLoop.start(env, "shared-memory", callsInTurns(turns, 3) + 1);
  const byMessage = await startBareCalls(env, "message");
  const byWait = await startBareCalls(env, "wait");
  const batches = { ours: ours.batch, postMessage: byMessage.batch, waitAsync: byWait.batch };
  const samples = await inTurns(batches, turns);
  await endAll([ours, byMessage, byWait]);
  return samples;
}

/** Rung 2 beside its floor. */
export async function suspendingDoorCalls(
  env: BenchEnv,
  turns: Turns,
): Promise<Samples<"ours" | "floor">> {
  const ours = await DoorLoop.start(env, "suspending", callsInTurns(turns, 2) + 1);
  const floor = await startBareCalls(env, "suspend");
  const samples = await inTurns({ ours: ours.batch, floor: floor.batch }, turns);
  await endAll([ours, floor]);
  return samples;
}

/** A guest past its ten-thousandth call beside one that has made ten (and the few that warm its worker up). */
export async function lateDoorCalls(
  env: BenchEnv,
  turns: Turns,
): Promise<Samples<"late" | "early">> {
  const [many, few] = [10_000, 10];
  const measured = callsInTurns(turns, 2) + 1;
  const late = await DoorLoop.start(env, "shared-memory", many + measured);
  await late.batch(many);
  const early = await DoorLoop.start(env, "shared-memory", few + measured);
  await early.batch(few);
  const samples = await inTurns({ late: late.batch, early: early.batch }, turns);
  await endAll([late, early]);
  return samples;
}

async function endAll(loops: readonly (DoorLoop | BareCalls)[]): Promise<void> {
  for (const loop of loops) await loop.end();
}
