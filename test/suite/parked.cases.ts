// Runs that follow one another so closely that their worker waits for the next in place, and what may come instead; page and Node.

import { assert } from "chai";
import type { FunctionPackage, PackageCallOptions } from "../../src/package.ts";
import { cases, rejection, sleep, type SuiteEnv } from "./case.ts";

type Act = (how: string, args?: object, options?: PackageCallOptions) => Promise<string>;

/** As often as a worker waits in place without a break, and some more. */
const MANY = 80;

async function misbehaving(
  env: SuiteEnv,
  work: (act: Act, loaded: FunctionPackage) => Promise<void>,
  options: object = {},
): Promise<void> {
  const bytes = await env.guestBytes("packages/misbehave");
  const loaded = await env.packages.loadPackage(bytes, options);
  const act: Act = async (how, args = {}, more = {}) => {
    const { content } = await loaded.call("act", { how, ...args }, more);
    return content[0]?.["text"] as string;
  };
  try {
    await work(act, loaded);
  } finally {
    loaded.close();
  }
}

/** Enough calls to have the worker wait. */
async function warmUp(act: Act): Promise<void> {
  for (let i = 0; i < 5; i++) assert.equal(await act("say", { text: `${i}` }), `${i}`);
}

export default cases("parked", {
  "calls in a row are fresh instances, whatever their size and limits": async (env) =>
    misbehaving(env, async (act) => {
      for (let i = 0; i < MANY; i++) {
        const text = "ä".repeat([0, 1, 400, 1_000][i % 4]!) + i;
        const pad = "x".repeat(i % 5 === 0 ? 70_000 : 0); // more than lies in the buffer at rest
        const options = i % 7 === 0 ? { timeoutMs: 9_000.5 + i } : {};
        assert.equal(await act("say", { text, pad }, options), text);
        assert.equal(await act("count"), "1");
        assert.equal(await act("list", { path: "/volume/tmp" }), '[".",".."]');
      }
    }),

  "stderr and answers of every size come before the end": async (env) =>
    misbehaving(env, async (act) => {
      await warmUp(act);
      for (let i = 0; i < MANY; i++) {
        let heard = "";
        const text = "x".repeat((i * 97) % 3_000) + i;
        const onStderr = (more: string): void => void (heard += more);
        assert.equal(await act("log", { text }, { onStderr }), "logged");
        assert.equal(heard, text);
      }
    }),

  "a run unlike the last is told whole": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("hello") });
    for (let i = 0; i < MANY; i++) {
      const options = [{}, { args: [`${i}`] }, { stdin: `${i}` }, { files: { "/a": `${i}` } }];
      const { status, stdoutText } = await sandbox.run(options[i % options.length]).result;
      const said = `arg hello\n${["", `arg ${i}\n`, `${i}`, ""][i % options.length]}`;
      assert.deepEqual([status, stdoutText], ["exited", said]);
    }
    sandbox.close();
  },

  "a volume's files and a crash between calls that are alike": async (env) =>
    misbehaving(env, async (act) => {
      const volume = env.packages.memoryVolume();
      for (let i = 0; i < 12; i++) {
        await warmUp(act);
        const path = "/volume/data/x";
        assert.equal(await act("write", { path, text: `${i}` }, { volume }), "0");
        assert.equal(await act("read", { path }, { volume }), `${i}`);
        const crash = await rejection(act(i % 2 ? "trap" : "early", { n: 3 }));
        assert.equal((crash as { reason?: string }).reason, i % 2 ? "trapped" : "exited_early");
      }
    }),

  "a signal at any moment of the handing over ends that call alone": async (env) =>
    misbehaving(env, async (act) => {
      for (let hops = 0; hops < 60; hops += 2) {
        await warmUp(act);
        const stop = new AbortController();
        const started = performance.now();
        const spinning = rejection(act("sleep", { n: 60_000 }, { signal: stop.signal }));
        for (let i = 0; i < hops; i++) await Promise.resolve();
        stop.abort();
        assert.equal((await spinning).code, "aborted", `after ${hops} turns`);
        assert.isBelow(performance.now() - started, 1_000);
      }
      assert.equal(await act("say", { text: "well" }), "well");
    }),

  "closed while its worker waits: what is under way and what comes is refused": async (env) =>
    misbehaving(env, async (act, loaded) => {
      await warmUp(act);
      const last = rejection(act("sleep", { n: 60_000 }));
      loaded.close();
      assert.equal((await last).code, "closed");
      assert.equal((await rejection(act("say"))).code, "closed");
    }),

  "the worker hears the page again once nothing comes": async (env) =>
    misbehaving(env, async (act) => {
      for (let round = 0; round < 4; round++) {
        await warmUp(act);
        await sleep(15 + round * 5); // about as long as it waits
        assert.equal(await act("count"), "1");
      }
    }),

  "a worker that somebody ended while it waited does not hold a call up for ever": [
    async (env) => {
      let worker: Worker | undefined;
      const script = env.url("/dist/worker.js")!;
      const start = (): Worker => (worker = new Worker(script, { type: "module" }));
      await misbehaving(
        env,
        async (act) => {
          await warmUp(act);
          worker!.terminate();
          // It may still take a call before it goes.
          const outcomes: unknown[] = [];
          for (let i = 0; i < 3; i++) {
            const call = act("say", { text: "there" }, { timeoutMs: 300 });
            outcomes.push(await call.catch(({ reason }: { reason?: string }) => reason));
            await sleep(2_200);
          }
          assert.includeMembers(["there", "timeout"], outcomes);
          assert.equal(outcomes[2], "there");
        },
        { worker: start, maxGuests: 1 },
      );
    },
    {
      skip: ({ mode, transport }) =>
        transport !== "shared-memory" || mode === "node"
          ? "for a page's own Worker that waits in place"
          : undefined,
      timeoutMs: 30_000,
    },
  ],
});
