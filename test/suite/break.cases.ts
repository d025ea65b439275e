// What a hostile or careless page does: odd options, odd moments, objects that change or go away; page and Node.

import { assert } from "chai";
import { bytes, cases, rejection, sleep, type SuiteEnv } from "./case.ts";

/** Pages that allow a worker from a blob, which these cases make late with. */
const LATE_WORKERS = {
  skip: ({ mode }: { mode: string }) =>
    mode === "node" || mode.startsWith("csp") ? "no worker from a blob here" : undefined,
};

const open = (env: SuiteEnv, name: string, options: object = {}) =>
  env.api.createSandbox({ module: env.guest(name), ...options });

/** Takes the bytes away, as postMessage with a transfer list does. */
function detached(size = 4): Uint8Array<ArrayBuffer> {
  const given = new Uint8Array(size);
  structuredClone(given, { transfer: [given.buffer] });
  return given;
}

/** Nobody else gets a turn. */
function blockPage(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** The worker's script, imported by a script that lets `ms` pass first. */
function lateWorker(env: SuiteEnv, ms: number): Worker {
  const script = JSON.stringify(env.url("/dist/worker.js"));
  const source = `setTimeout(() => import(${script}), ${ms});`;
  return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), {
    type: "module",
  });
}

const OPTIONS = [
  ..."args argv0 env stdin files mounts tools gate budget onCall door network http".split(" "),
  ..."guestHalves entry limits terminal tty deterministic signal".split(" "),
];

export default cases("break", {
  "run() never throws: what is wrong with its options is in the result": async (env) => {
    const sandbox = await open(env, "hello");
    const wrong: unknown[] = [
      ...[null, 5, "x", true, () => 1],
      ...[{ limits: null }, { limits: 5 }, { files: 5 }, { mounts: null }, { env: ["A=B"] }],
      ...[
        { args: Object.assign([], { 1: "a" }) },
        { args: [String, "a"] },
        { http: 5, network: { allow: [] } },
      ],
      ...[{ network: null }, { guestHalves: 5 }, { budget: 5, tools: [] }, { tools: [null] }],
      ...[{ deterministic: true }, { deterministic: { seed: () => 1, timeMs: 0 } }],
      ...[{ terminal: true }, { terminal: { cols: 80 } }, { terminal: { columns: 0 } }],
      ...[
        { terminal: { rows: 1.5 } },
        { terminal: { rows: "24" } },
        { terminal: { rows: 65_536 } },
      ],
      ...[{ deterministic: { seed: 1, timeMs: -1 } }, { deterministic: { seed: 1, timeMs: 2e13 } }],
    ];
    for (const options of wrong) {
      const run = sandbox.run(options as object);
      const { code } = await rejection(run.result);
      assert.include(["bad_option", "bad_tool"], code, JSON.stringify(options));
      assert.isTrue((await run.stdout.getReader().read()).done);
    }
    for (const name of OPTIONS) {
      const mine = new Error(name);
      const options = {
        get [name]() {
          throw mine;
        },
      };
      assert.equal(await rejection(sandbox.run(options).result), mine);
    }
    const fake = sandbox.run({ signal: Object.create(AbortSignal.prototype) as AbortSignal });
    await rejection(fake.result);
    assert.isTrue((await fake.stdout.getReader().read()).done);
    sandbox.close();
  },

  "frozen, proxied and inherited options are options": async (env) => {
    const sandbox = await open(env, "hello");
    const plain = { args: ["a"], env: { B: "c" }, tty: [1] as const, limits: { timeoutMs: 9_000 } };
    const proxied = Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name, new Proxy(value, {})]),
    );
    for (const options of [
      Object.freeze(plain),
      new Proxy(proxied, {}),
      Object.create(plain) as object,
    ]) {
      const { stdoutText } = await sandbox.run(options).result;
      assert.include(stdoutText, "arg a\nenv B=c\n");
    }
    sandbox.close();
  },

  "a run has its options as they were when it was asked for": async (env) => {
    const sandbox = await open(env, "hello", { maxGuests: 1 });
    const options = { args: ["one"], env: { A: "1" }, stdin: bytes("in") };
    const run = sandbox.run(options);
    options.args[0] = "two";
    options.env.A = "2";
    structuredClone(options.stdin, { transfer: [options.stdin.buffer] });
    assert.include((await run.result).stdoutText, "arg one\nenv A=1\nin");
    sandbox.close();
  },

  "bytes that were transferred away are refused, and cost no place": async (env) => {
    const sandbox = await open(env, "hello", { maxGuests: 1 });
    for (const options of [{ stdin: detached() }, { files: { "/a": detached() } }]) {
      assert.equal((await rejection(sandbox.run(options).result)).code, "bad_option");
    }
    const before = performance.now();
    assert.equal((await sandbox.run().result).status, "exited");
    assert.isBelow(performance.now() - before, 2_000);
    sandbox.close();
    const response = new Response(await env.guestBytes("hello"));
    await response.arrayBuffer();
    for (const module of [detached(), detached().buffer, response]) {
      assert.equal((await rejection(env.api.createSandbox({ module }))).code, "bad_option");
    }
  },

  "an answer of the door that was transferred away is a failed host": async (env) => {
    const sandbox = await open(env, "door-raw");
    class Odd extends Uint8Array<ArrayBuffer> {
      override get byteLength(): number {
        return 3;
      }
    }
    for (const door of [() => detached(), async () => detached()]) {
      const { stdoutText } = await sandbox.run({ stdin: "x", door }).result;
      assert.include(stdoutText, "call -> -2");
    }
    // Whatever becomes of bytes that lie about themselves, the guest has an answer.
    const door = () => new Odd(new ArrayBuffer(200_000));
    assert.equal((await sandbox.run({ stdin: "x", door }).result).status, "exited");
    sandbox.close();
  },

  "polling tells input, its end and a clock apart": async (env) => {
    const sandbox = await open(env, "poll-stdin");
    const polled = async (feed: (writer: WritableStreamDefaultWriter) => unknown, ms = "5000") => {
      const run = sandbox.run({ args: [ms], stdin: "interactive" });
      const writer = run.stdin!.getWriter();
      await sleep(30);
      feed(writer);
      return (await run.result).exitCode;
    };
    assert.equal(await polled((writer) => writer.write("x")), 11);
    assert.equal(await polled((writer) => writer.close()), 11);
    assert.equal(await polled(() => {}, "60"), 10);
    sandbox.close();
  },

  "a limit of time that no timer can hold is no limit": async (env) => {
    const sandbox = await open(env, "poll-stdin");
    for (const timeoutMs of [2 ** 31, 1e12, Number.MAX_SAFE_INTEGER, Infinity]) {
      const run = sandbox.run({ stdin: "interactive", limits: { timeoutMs, wallMs: timeoutMs } });
      await sleep(60);
      await run.stdin!.getWriter().write("x");
      assert.equal((await run.result).status, "exited", String(timeoutMs));
    }
    sandbox.close();
  },

  "a reader that gives its lock back lets the guest go on": async (env) => {
    const sandbox = await open(env, "flood");
    const run = sandbox.run({ args: ["4000000"] });
    const reader = run.stdout.getReader();
    await reader.read();
    await sleep(150); // the guest is out of credit now
    reader.releaseLock();
    const { status, stdout } = await run.result;
    assert.deepEqual([status, stdout.length], ["exited", 4_000_000]);
    sandbox.close();
  },

  "a stream for stdin is cancelled once nobody reads it": async (env) => {
    const sandbox = await open(env, "never-blocks");
    let cancelled = false;
    const stdin = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await sleep(1);
        controller.enqueue(new Uint8Array(10));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    assert.equal((await sandbox.run({ stdin }).result).status, "exited");
    await sleep(20);
    assert.isTrue(cancelled);
    sandbox.close();
  },

  "input that breaks off is an error for the guest, not its end": async (env) => {
    const sandbox = await open(env, "hello"); // traps when it cannot read
    const stream = (start: (controller: ReadableStreamDefaultController) => void) =>
      new ReadableStream({ start });
    for (const stdin of [
      stream((controller) => controller.error(new Error("gone"))),
      stream((controller) => controller.enqueue(5)),
    ]) {
      assert.equal((await sandbox.run({ stdin }).result).status, "trapped");
    }
    const run = sandbox.run({ stdin: "interactive" });
    const written = await rejection(run.stdin!.getWriter().write(5 as never));
    assert.equal(written.code, "bad_option");
    assert.equal((await run.result).status, "trapped");
    sandbox.close();
  },

  "what a call waits for a busy page is not the guest's time": async (env) => {
    const sandbox = await open(env, "door-loop");
    const count = env.api.tool({
      name: "count",
      description: "Counts",
      inputSchema: { type: "object", additionalProperties: true },
      execute: ({ n }) => ({ n }),
    });
    const run = sandbox.run({
      args: ["100000000"],
      tools: [count],
      budget: { frames: Infinity, bytes: Infinity },
      limits: { timeoutMs: 600 },
    });
    let ended = false;
    void run.result.then(() => {
      ended = true;
    });
    await sleep(80);
    for (let n = 0; n < 3; n++) {
      blockPage(400);
      await sleep(1);
    }
    await sleep(40);
    assert.isFalse(ended);
    run.kill();
    const { guestMs } = await run.result;
    assert.isBelow(guestMs, 600);
    sandbox.close();
  },

  "runs of a sandbox that closes at once are killed, not refused": async (env) => {
    const sandbox = await open(env, "sleep", { maxGuests: 2 });
    const runs = Array.from({ length: 6 }, () => sandbox.run({ door: (request) => request }));
    sandbox.close();
    for (const { result } of runs) {
      const { status, reason } = await result;
      assert.deepEqual([status, reason], ["killed", "closed"]);
    }
  },

  "a run or a load that is stopped while a worker starts ends at once": [
    async (env) => {
      let late = 0;
      const sandbox = await open(env, "hello", { worker: () => lateWorker(env, late) });
      const first = sandbox.run({ stdin: "interactive" });
      late = 1_500;
      const controller = new AbortController();
      const stopped = [sandbox.run({ signal: controller.signal }), sandbox.run()];
      await sleep(50);
      const before = performance.now();
      controller.abort();
      stopped[1]!.kill();
      for (const { result } of stopped) {
        const { status, stdout, durationMs } = await result;
        assert.deepEqual([status, stdout.length, durationMs], ["killed", 0, 0]);
      }
      assert.isBelow(performance.now() - before, 250);
      // The worker that comes late is the next run's.
      assert.equal((await sandbox.run().result).status, "exited");
      first.kill();
      sandbox.close();

      const loading = new AbortController();
      const load = open(env, "hello", {
        worker: () => lateWorker(env, 1_500),
        signal: loading.signal,
      });
      setTimeout(() => loading.abort(new Error("no longer")), 50);
      assert.equal((await rejection(load)).message, "no longer");
      assert.isBelow(performance.now() - before, 4_000);
    },
    LATE_WORKERS,
  ],

  "a worker option that gives no worker, or one that talks, harms nobody": [
    async (env) => {
      for (const worker of [
        () => undefined,
        () => ({}),
        () => {
          throw new Error("no");
        },
      ]) {
        assert.equal((await rejection(open(env, "hello", { worker }))).code, "worker_failed");
      }
      const sandbox = await open(env, "hello", {
        worker: () => {
          const made = lateWorker(env, 0);
          for (const data of ["hi", null, 5])
            made.dispatchEvent(new MessageEvent("message", { data }));
          queueMicrotask(() => made.dispatchEvent(new MessageEvent("message", { data: "hi" })));
          return made;
        },
      });
      assert.equal((await sandbox.run().result).status, "exited");
      sandbox.close();
    },
    LATE_WORKERS,
  ],
});
