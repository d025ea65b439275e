// Large answers of a raw door to a real guest, beside the same bytes through one big shared buffer; page.

import type { BenchEnv } from "./bench-env.ts";
import { startBareCalls } from "./bare-calls.ts";
import { inTurns, Turnstile, type Samples, type Turns } from "./turns.ts";

/**
 * Microseconds per answer of `bytes` bytes, both sides signalled by `Atomics.waitAsync`, so that the ratio is that of the
 * bodies. The warm-up batches have grown our buffer before the first sample.
 */
export async function largeAnswers(
  env: BenchEnv,
  bytes: number,
  turns: Turns,
): Promise<Samples<"ours" | "floor">> {
  const answer = new Uint8Array(bytes).fill(97);
  const stamp = new DataView(answer.buffer);
  const turnstile = new Turnstile();
  let over = false;
  const door = async (request: Uint8Array): Promise<Uint8Array> => {
    const held = turnstile.hold();
    if (held) await held;
    if (over) return new Uint8Array(0);
    // The guest looks for the number of its request at both ends of the answer.
    const number = new DataView(request.buffer, request.byteOffset).getUint32(0, true);
    stamp.setUint32(0, number, true);
    stamp.setUint32(bytes - 4, number, true);
    return answer;
  };
  const sandbox = await env.api.createSandbox({
    module: env.guest("answer-loop"),
    transport: "shared-memory",
  });
  const run = sandbox.run({ door, limits: { timeoutMs: Infinity } });
  const broken = run.result.then(({ status, error }) => {
    throw new Error(`the guest ended early: ${status} ${error?.message ?? ""}`);
  });
  broken.catch(() => {});
  const floor = await startBareCalls(env, "wait", answer.slice());
  const ours = (count: number): Promise<number> => Promise.race([turnstile.batch(count), broken]);
  const samples = await inTurns({ ours, floor: floor.batch }, turns);
  over = true;
  await turnstile.release();
  const { status } = await run.result;
  if (status !== "exited") throw new Error(`the guest did not like an answer: ${status}`);
  sandbox.close();
  await floor.end();
  return samples;
}
