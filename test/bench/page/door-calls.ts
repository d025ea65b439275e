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
  private owned: Sallyport.Sandbox | undefined;
  private readonly run: Sallyport.Run;
  private readonly calls: number;

  /** `calls` is how many the guest makes in all: the batches, and one more that ends the last of them. */
  constructor(env: BenchEnv, sandbox: Sallyport.Sandbox, calls: number) {
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

  /** Where its guest comes from. */
  static sandbox(env: BenchEnv, transport: Sallyport.Transport): Promise<Sallyport.Sandbox> {
    return env.api.createSandbox({ module: env.guest("door-loop"), transport });
  }

  /** In a sandbox of its own, which ends with it. */
  static async start(
    env: BenchEnv,
    transport: Sallyport.Transport,
    calls: number,
  ): Promise<DoorLoop> {
    const sandbox = await DoorLoop.sandbox(env, transport);
    const loop = new DoorLoop(env, sandbox, calls);
    loop.owned = sandbox;
    return loop;
  }

  /** Lets the guest make the rest of its calls, and sees that every answer was the right one. */
  async end(): Promise<void> {
    await this.turnstile.release();
    const { exitCode, stdoutText } = await this.run.result;
    this.owned?.close();
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

/** Calls before the tool's first measured ones, and before the last. */
const FEW = 10;
const MANY = 10_000;

/**
 * One guest's calls from the tenth on, and from the ten-thousandth on, a thousand each: microseconds per call. All guests
 * run in one worker, so that the first one, which is left out, has warmed it up, and all of them on the core it sits on.
 */
export async function lateDoorCalls(
  env: BenchEnv,
  guests: number,
): Promise<Samples<"late" | "early">> {
  const samples: Samples<"late" | "early"> = { late: [], early: [] };
  const sandbox = await DoorLoop.sandbox(env, "shared-memory");
  const timed = 1_000;
  for (let guest = -1; guest < guests; guest++) {
    const loop = new DoorLoop(env, sandbox, MANY + timed + 1);
    await loop.batch(FEW);
    const early = await loop.batch(timed);
    await loop.batch(MANY - FEW - timed);
    const late = await loop.batch(timed);
    await loop.end();
    if (guest < 0) continue;
    samples.early.push((early * 1000) / timed);
    samples.late.push((late * 1000) / timed);
  }
  sandbox.close();
  return samples;
}

async function endAll(loops: readonly (DoorLoop | BareCalls)[]): Promise<void> {
  for (const loop of loops) await loop.end();
}
