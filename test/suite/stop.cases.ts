// Kill, signal, deadline: every wait has an end, and it comes in time; page and Node.

import { assert } from "chai";
import { cases, sleep, type SuiteEnv } from "./case.ts";

const never = (): Promise<never> => new Promise(() => {});

/** Guests in every state that a stop can find them in. */
const STATES = ["spin", "spin-calling", "sleep", "catch-all-loop"] as const;

/** What "within 250 ms" allows on a loaded machine. */
const SETTLE_MS = 250;

async function startedGuest(env: SuiteEnv, name: string, options: object = {}) {
  const sandbox = await env.api.createSandbox({ module: env.guest(name) });
  const run = sandbox.run(options);
  await sleep(150);
  return { sandbox, run };
}

export default cases("stop", {
  "kill settles within 250 ms, whatever the guest does": [
    async (env) => {
      for (const name of STATES) {
        const { sandbox, run } = await startedGuest(env, name);
        const before = performance.now();
        run.kill();
        const { status, reason, exitCode } = await run.result;
        const took = performance.now() - before;
        assert.deepEqual([name, status, reason], [name, "killed", "kill"]);
        assert.isUndefined(exitCode);
        assert.isBelow(took, SETTLE_MS, `${name} took ${took} ms`);
        sandbox.close();
      }
    },
    { timeoutMs: 40_000 },
  ],

  "a guest that waits or calls unwinds at once and keeps its files; one that computes is terminated":
    async (env) => {
      const shared = env.transport === "shared-memory";
      for (const [name, unwinds] of [
        ["sleep", true],
        ["spin-calling", shared], // its next import sees the stop in shared memory
        ["spin", false],
      ] as const) {
        const { sandbox, run } = await startedGuest(env, name, { files: { "/kept": "x" } });
        const before = performance.now();
        run.kill();
        const { files } = await run.result;
        const took = performance.now() - before;
        if (shared && unwinds) assert.isBelow(took, 25, `${name} took ${took} ms`);
        assert.deepEqual([name, files === undefined], [name, !unwinds]);
        sandbox.close();
      }
    },

  "kill while a tool is awaited aborts the tool's signal": async (env) => {
    const seen: AbortSignal[] = [];
    const slow = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", additionalProperties: true },
      execute: (_arguments, { signal }) => {
        seen.push(signal);
        return never();
      },
    });
    const { sandbox, run } = await startedGuest(env, "door-loop", { args: ["1"], tools: [slow] });
    const before = performance.now();
    run.kill();
    const { status } = await run.result;
    assert.isBelow(performance.now() - before, SETTLE_MS);
    assert.equal(status, "killed");
    assert.equal(seen.length, 1);
    assert.isTrue(seen[0]!.aborted);
    sandbox.close();
  },

  "a signal stops a run; an aborted one never starts it": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("sleep") });
    const controller = new AbortController();
    const run = sandbox.run({ signal: controller.signal });
    await sleep(100);
    controller.abort();
    const { status, reason } = await run.result;
    assert.deepEqual([status, reason], ["killed", "signal"]);
    const late = await sandbox.run({ signal: controller.signal }).result;
    assert.deepEqual([late.status, late.stdout.length], ["killed", 0]);
    sandbox.close();
  },

  "one signal stops any number of runs, and Node sees no leak in that": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("sleep") });
    const warnings: unknown[] = [];
    const { process } = globalThis as {
      process?: Record<"on" | "off", (event: "warning", heard: (warning: unknown) => void) => void>;
    };
    const hear = (warning: unknown): void => void warnings.push(warning);
    process?.on("warning", hear);
    const controller = new AbortController();
    const runs = Array.from({ length: 30 }, () => sandbox.run({ signal: controller.signal }));
    await sleep(50);
    controller.abort();
    const ends = await Promise.all(runs.map((run) => run.result));
    assert.deepEqual(
      ends.map(({ status, reason }) => `${status} ${reason}`),
      Array.from(runs, () => "killed signal"),
    );
    await sleep(0);
    process?.off("warning", hear);
    assert.deepEqual(warnings, []);
    sandbox.close();
  },

  "a guest that uses up its time ends as timeout": [
    async (env) => {
      for (const name of STATES) {
        const sandbox = await env.api.createSandbox({ module: env.guest(name) });
        // The first run pays for the worker; the clock starts with the guest's first instruction.
        const result = await sandbox.run({ limits: { timeoutMs: 300 } }).result;
        assert.deepEqual([name, result.status, result.reason], [name, "timeout", "guest_time"]);
        assert.isAtLeast(result.durationMs, 290);
        assert.isBelow(result.durationMs, 300 + SETTLE_MS, `${name} took ${result.durationMs} ms`);
        sandbox.close();
      }
    },
    { timeoutMs: 40_000 },
  ],

  "while a guest spins, the page's own timers go on": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("spin") });
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 10);
    const { status } = await sandbox.run({ limits: { timeoutMs: 500 } }).result;
    clearInterval(timer);
    assert.equal(status, "timeout");
    assert.isAbove(ticks, 20);
    sandbox.close();
  },

  "while a guest asks without a pause, the page's own timers go on, and a stop is heard": async (
    env,
  ) => {
    const count = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", additionalProperties: true },
      execute: ({ n }) => ({ n }),
    });
    const sandbox = await env.api.createSandbox({ module: env.guest("door-loop") });
    const run = sandbox.run({
      args: ["1000000000"],
      tools: [count],
      budget: { frames: Infinity, bytes: Infinity },
    });
    const gaps: number[] = [];
    const until = performance.now() + 500;
    for (let last = performance.now(); last < until;) {
      await sleep(1);
      gaps.push(performance.now() - last);
      last = performance.now();
    }
    run.kill();
    const { status, calls } = await run.result;
    assert.equal(status, "killed");
    assert.isAbove(calls.length, 100);
    assert.isBelow(gaps.sort((a, b) => a - b)[gaps.length >> 1]!, 20);
    sandbox.close();
  },

  "the guest's clock stands still while a tool is awaited": async (env) => {
    const slow = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", additionalProperties: true },
      execute: async ({ n }) => {
        await sleep(700);
        return { n };
      },
    });
    const sandbox = await env.api.createSandbox({ module: env.guest("door-loop") });
    const result = await sandbox.run({ args: ["1"], tools: [slow], limits: { timeoutMs: 500 } })
      .result;
    assert.deepEqual([result.status, result.exitCode], ["exited", 0]);
    assert.isAtLeast(result.durationMs, 690);
    assert.isBelow(result.guestMs, 500);
    sandbox.close();
  },

  "wallMs counts everything": async (env) => {
    const slow = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", additionalProperties: true },
      execute: never,
    });
    const sandbox = await env.api.createSandbox({ module: env.guest("door-loop") });
    const result = await sandbox.run({ args: ["1"], tools: [slow], limits: { wallMs: 300 } })
      .result;
    assert.deepEqual([result.status, result.reason], ["timeout", "wall_time"]);
    assert.isBelow(result.durationMs, 300 + SETTLE_MS);
    sandbox.close();
  },

  "no output arrives after the result": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("flood") });
    const run = sandbox.run();
    const reader = run.stdout.getReader();
    await reader.read();
    run.kill();
    await run.result;
    // What was in flight may still be read, then the stream is at its end.
    let after = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read())
      after += read.value.length;
    assert.isBelow(after, 2 ** 20);
    sandbox.close();
  },

  "a guest that swallows the stop is stopped all the same": async (env) => {
    const { sandbox, run } = await startedGuest(env, "catch-all-stop");
    run.kill();
    const { status, stdoutText, calls } = await run.result;
    assert.equal(status, "killed");
    assert.equal(stdoutText.trim(), "waiting");
    assert.equal(calls.length, 0);
    sandbox.close();
  },

  "a guest that swallows its own exit has exited": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("catch-all-exit") });
    const { status, exitCode, stdoutText } = await sandbox.run().result;
    assert.deepEqual([status, exitCode, stdoutText], ["exited", 3, ""]);
    sandbox.close();
  },

  "the worker of a stopped guest is not lost to the next runs": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("sleep"), maxGuests: 1 });
    for (let n = 0; n < 3; n++) {
      const run = sandbox.run();
      await sleep(80);
      run.kill();
      assert.equal((await run.result).status, "killed");
    }
    const { status } = await sandbox.run({ args: ["10"] }).result;
    assert.equal(status, "exited");
    sandbox.close();
  },

  "runs beyond the limit wait in order; beyond the queue they are refused": async (env) => {
    const sandbox = await env.api.createSandbox({
      module: env.guest("sleep"),
      maxGuests: 1,
      maxQueued: 1,
    });
    const first = sandbox.run({ args: ["300"] });
    const second = sandbox.run({ args: ["1"] });
    const third = sandbox.run({ args: ["1"] });
    const error = await third.result.then(
      () => undefined,
      (reason: { code?: string }) => reason,
    );
    assert.equal(error?.code, "resource_exhausted");
    assert.equal((await first.result).status, "exited");
    assert.equal((await second.result).status, "exited");
    const killed = sandbox.run({ args: ["1"] });
    killed.kill();
    assert.equal((await killed.result).status, "killed");
    sandbox.close();
  },
});
