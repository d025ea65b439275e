// Code that is loaded when a guest asks for it: it works as if it had been there, and no other run sees it; page and Node.

import { assert } from "chai";
import { cases, rejection, sleep, type SuiteEnv } from "./case.ts";

const open = (env: SuiteEnv, options: object = {}) => {
  const [module, deferredCode] = [env.guest("load-code"), env.guest("deferred-code")];
  return env.api.createSandbox({ module, deferredCode, ...options });
};

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

  "no run finds what another has loaded, in whatever worker and instance": [
    async (env) => {
      // Of bytes a sandbox finds out whether their instances may be put back.
      const module = await env.guestBytes("load-code");
      const alone = open(env, { module, maxGuests: 1 });
      const many = open(env);
      for (const sandbox of await Promise.all([alone, many])) {
        for (let i = 0; i < 70; i++) {
          const { args, prints, status } = kindOf(i);
          const result = await sandbox.run({ args }).result;
          assert.deepEqual([result.status, result.stdoutText], [status, prints], `run ${i}`);
        }
        const at = KINDS.flatMap((kind) => [kind, KINDS[0]]);
        const results = await Promise.all(at.map(({ args }) => sandbox.run({ args }).result));
        results.forEach(({ stdoutText }, i) =>
          assert.equal(stdoutText, at[i]!.prints, `at once, ${i}`),
        );
        sandbox.close();
      }
    },
    { timeoutMs: 40_000 },
  ],

  "nor where runs start from a snapshot, in which no code can be": [
    async (env) => {
      const sandbox = await open(env, { snapshot: { init: "init", run: "go" }, maxGuests: 1 });
      for (let i = 0; i < 50; i++) {
        const { args, prints, status } = kindOf(i);
        const result = await sandbox.run({ args }).result;
        // The errno that the init was given: 58 (notsup).
        assert.deepEqual([result.status, result.stdoutText], [status, `58\n${prints}`], `run ${i}`);
      }
      sandbox.close();
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

  "a package that wants to load code is refused": async (env) => {
    const error = await rejection(env.packages.loadPackage(await env.guestBytes("load-code")));
    assert.equal(error.code, "bad_package");
    assert.include(JSON.stringify(error.data), "sallyport.load_code");
  },
});
