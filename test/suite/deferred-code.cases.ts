// Code that is loaded when a guest asks for it: it works as if it had been there, and leaves nothing for other runs; page and Node.

import { assert } from "chai";
import type { Sandbox } from "../../src/index.ts";
import { bytes, cases, rejection, sleep, type SuiteEnv } from "./case.ts";

const open = (env: SuiteEnv, options: object = {}) => {
  const [module, deferredCode] = [env.guest("load-code"), env.guest("deferred-code")];
  return env.api.createSandbox({ module, deferredCode, ...options });
};

/** A number of the binary format. */
const leb = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];

/** What the guest prints that loaded its code. */
const LOADED = "1\n0\n42\n";

/** What runs do, one after the other; and what they print, and how they end. */
const KINDS = [
  { args: [], prints: "1\n", status: "exited" },
  { args: ["load"], prints: LOADED, status: "exited" },
  { args: ["x"], prints: LOADED, status: "exited" },
  { args: ["trap"], prints: LOADED, status: "trapped" },
] as const;

/** Each other kind comes after so many runs that load nothing that it has an instance which could be put back. */
const kindOf = (run: number) =>
  KINDS[run % 6 < 5 ? 0 : 1 + (Math.floor(run / 6) % (KINDS.length - 1))]!;

/**
 * One of many runs. Where its instance was put back, the code of an earlier run may be there before this one loads it; it is
 * the same then as afterwards. With a snapshot, first comes the errno that its init was given: 58 (notsup).
 */
async function follows(sandbox: Sandbox, run: number, withSnapshot: boolean): Promise<void> {
  const { args, prints, status } = kindOf(run);
  const result = await sandbox.run({ args }).result;
  const said = (withSnapshot ? "58\n" : "") + prints;
  const put = (withSnapshot ? "58\n" : "") + prints.replace("1", "42");
  assert.equal(result.status, status, `run ${run}`);
  assert.include([said, put], result.stdoutText, `run ${run}`);
}

export default cases("deferred code", {
  "a function of the table is another one afterwards, on every rung": async (env) => {
    for (const transport of [env.transport, "none"] as const) {
      const sandbox = await open(env, { transport });
      for (const { args, prints, status } of KINDS) {
        const result = await sandbox.run({ args }).result;
        assert.deepEqual([result.status, result.stdoutText], [status, prints], args[0]);
        if (status === "exited") assert.equal(result.exitCode, args[0] === "x" ? 9 : 0);
      }
      sandbox.close();
    }
  },

  "loaded code waits for stdin, and for the page's tools": async (env) => {
    const sandbox = await open(env);
    const reads = sandbox.run({ args: ["read"], stdin: "interactive" });
    const writer = reads.stdin!.getWriter();
    await writer.write("typed ");
    await sleep(30);
    await writer.write("later\n");
    await writer.close();
    assert.equal((await reads.result).stdoutText, `${LOADED}typed later\n`);

    const slow = env.api.tool({ name: "slow", description: "Slow", execute: () => sleep(1) });
    const asked = await sandbox.run({ args: ["ask"], tools: [slow] }).result;
    assert.match(asked.stdoutText, /^1\n0\n42\ncall -> 0\n\{"v":1,"id":1,.*"slow".*\}\n0\n$/);
    const within = await sandbox.run({ args: ["early"], tools: [slow] }).result;
    assert.match(within.stdoutText, /^1\n0\ncall -> 0\n\{"v":1,"id":1,.*"slow".*\}\n42\n$/);
    sandbox.close();
  },

  "loaded code that has to wait where nothing can is unsupported": async (env) => {
    const sandbox = await open(env, { transport: "none" });
    const { status, stdoutText } = await sandbox.run({ args: ["read"], stdin: "interactive" })
      .result;
    assert.deepEqual([status, stdoutText], ["unsupported", LOADED]);
    assert.equal((await sandbox.run().result).stdoutText, "1\n");
    sandbox.close();
  },

  "loaded code has the limits of the guest's own": async (env) => {
    const sandbox = await open(env, { memoryBytes: 2 ** 20 });
    const { status, stdoutText } = await sandbox.run({ args: ["grow"] }).result;
    assert.deepEqual([status, stdoutText], ["exited", `${LOADED}16\n`]);
    sandbox.close();
  },

  "what is no such code, or is not there, leaves the guest as it was": async (env) => {
    for (const [deferredCode, errno] of [
      [new Uint8Array(0), 45],
      [await env.guestBytes("hello"), 45],
      [undefined, 29],
    ] as const) {
      const sandbox = await open(env, { deferredCode });
      for (const args of [["load"], ["load"], []]) {
        const { status, stdoutText } = await sandbox.run({ args }).result;
        const prints = args.length > 0 ? `1\n${errno}\n1\n` : "1\n";
        assert.deepEqual([status, stdoutText], ["exited", prints]);
      }
      sandbox.close();
    }
  },

  "a run finds no more of others than the code itself, in whatever worker and instance": [
    async (env) => {
      // Of bytes a sandbox finds out whether their instances may be put back.
      const module = await env.guestBytes("load-code");
      const sandboxes = [open(env, { module, maxGuests: 1 }), open(env)];
      const snapshot = { init: "init", run: "go" };
      sandboxes.push(open(env, { snapshot, maxGuests: 1 }));
      for (const [at, sandbox] of (await Promise.all(sandboxes)).entries()) {
        for (let i = 0; i < 70; i++) await follows(sandbox, i, at === 2);
        const kinds = KINDS.flatMap((kind) => [kind, KINDS[0]]);
        const results = await Promise.all(kinds.map(({ args }) => sandbox.run({ args }).result));
        results.forEach(({ status }, i) => assert.equal(status, kinds[i]!.status));
        sandbox.close();
      }
    },
    { timeoutMs: 40_000 },
  ],

  "code with data of its own is there with it in every run that loads it": [
    async (env) => {
      const module = await env.guestBytes("load-code");
      const deferredCode = env.guest("deferred-data");
      const snapshot = { init: "init", run: "go" };
      for (const more of [{ module }, { snapshot }]) {
        const sandbox = await open(env, { ...more, deferredCode, maxGuests: 1 });
        for (let i = 0; i < 40; i++) {
          const args = i % 6 === 5 ? ["load"] : [];
          const { stdoutText } = await sandbox.run({ args }).result;
          // Its instances are not put back.
          const prints = `${"snapshot" in more ? "58\n" : ""}${args[0] ? LOADED : "1\n"}`;
          assert.equal(stdoutText, prints, `run ${i}`);
        }
        sandbox.close();
      }
    },
    { timeoutMs: 40_000 },
  ],

  "loaded code that spins is killed, and times out, as any other": async (env) => {
    const sandbox = await open(env);
    const late = await sandbox.run({ args: ["spin"], limits: { timeoutMs: 300 } }).result;
    assert.deepEqual([late.status, late.stdoutText], ["timeout", LOADED]);
    const run = sandbox.run({ args: ["spin"] });
    await sleep(150);
    const before = performance.now();
    run.kill();
    const { status, stdoutText } = await run.result;
    assert.isBelow(performance.now() - before, 250);
    assert.deepEqual([status, stdoutText], ["killed", LOADED]);
    assert.equal((await sandbox.run().result).stdoutText, "1\n");
    sandbox.close();
  },

  "who waits for code that never comes is killed, and times out; without it runs go on": async (
    env,
  ) => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const sandbox = await open(env, { deferredCode: new Response(body) });
    const late = await sandbox.run({ args: ["load"], limits: { wallMs: 300 } }).result;
    assert.deepEqual([late.status, late.reason, late.stdoutText], ["timeout", "wall_time", "1\n"]);
    const run = sandbox.run({ args: ["load"] });
    await sleep(150);
    const before = performance.now();
    run.kill();
    assert.equal((await run.result).status, "killed");
    assert.isBelow(performance.now() - before, 250);
    assert.equal((await sandbox.run().result).stdoutText, "1\n");
    sandbox.close();
  },

  "code of as many types as would end the tab is refused": async (env) => {
    const code = (types: number): Uint8Array<ArrayBuffer> => {
      const all = Array.from({ length: types }, () => [0x60, 0, 0]).flat();
      const size = leb(types).length + all.length;
      return new Uint8Array([
        0,
        0x61,
        0x73,
        0x6d,
        1,
        0,
        0,
        0,
        1,
        ...leb(size),
        ...leb(types),
        ...all,
      ]);
    };
    for (const [types, errno] of [
      [1_000, 0],
      [50_001, 45],
    ] as const) {
      const sandbox = await open(env, { deferredCode: code(types) });
      const { stdoutText } = await sandbox.run({ args: ["load"] }).result;
      assert.equal(stdoutText, `1\n${errno}\n1\n`);
      sandbox.close();
    }
  },

  "a guest that asks for ever runs out of its own time": async (env) => {
    // (loop $more (drop (call $load_code)) (br $more))
    const module = new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 8, 2, 0x60, 0, 1, 0x7f, 0x60, 0, 0],
      ...[2, 23, 1, 9, ...bytes("sallyport"), 9, ...bytes("load_code"), 0, 0, 3, 2, 1, 1],
      ...[5, 3, 1, 0, 1, 7, 19, 2, 6, ...bytes("memory"), 2, 0, 6, ...bytes("_start"), 0, 1],
      ...[10, 12, 1, 10, 0, 3, 0x40, 0x10, 0, 0x1a, 0x0c, 0, 0x0b, 0x0b],
    ]);
    for (const deferredCode of [undefined, new Uint8Array(0)]) {
      const sandbox = await open(env, { module, deferredCode });
      const limits = { timeoutMs: 400, wallMs: 8_000 };
      const { status, reason } = await sandbox.run({ limits }).result;
      assert.deepEqual([status, reason], ["timeout", "guest_time"]);
      sandbox.close();
    }
  },

  "bytes may change, or go, once there is a sandbox": async (env) => {
    const deferredCode = await env.guestBytes("deferred-code");
    const sandbox = await open(env, { deferredCode });
    structuredClone(deferredCode, { transfer: [deferredCode.buffer] });
    assert.equal((await sandbox.run({ args: ["load"] }).result).stdoutText, LOADED);
    sandbox.close();
    const gone = await rejection(open(env, { deferredCode }));
    assert.equal(gone.code, "bad_option");
  },

  "a sandbox that is closed, or never was, waits for no code any more": async (env) => {
    const { fetch } = globalThis;
    const deferredCode = "https://example.invalid/code.wasm";
    const signals: AbortSignal[] = [];
    globalThis.fetch = (source, init) => {
      if (source !== deferredCode) return fetch(source, init);
      signals.push(init!.signal!);
      return new Promise(() => {});
    };
    try {
      const sandbox = await open(env, { deferredCode });
      const run = sandbox.run({ args: ["load"] });
      while (signals.length === 0) await sleep(5);
      assert.isFalse(signals[0]!.aborted);
      sandbox.close();
      assert.equal((await run.result).status, "killed");
      const ending = new AbortController();
      const never = open(env, { deferredCode, transport: "none", signal: ending.signal });
      while (signals.length === 1) await sleep(5);
      ending.abort(new Error("no longer"));
      assert.equal((await rejection(never)).message, "no longer");
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [true, true],
      );
    } finally {
      globalThis.fetch = fetch;
    }
  },

  "a package that wants to load code is refused": async (env) => {
    const error = await rejection(env.packages.loadPackage(await env.guestBytes("load-code")));
    assert.equal(error.code, "bad_package");
    assert.include(JSON.stringify(error.data), "sallyport.load_code");
  },
});
