// doctor(), and what it takes to keep a page healthy over many runs; page and Node.

import { assert } from "chai";
import { cases, sleep, type SuiteEnv } from "./case.ts";

const HUNDREDS = 200;

/** Bytes of this page with its workers, after a collection; undefined where it cannot be told. */
async function pageBytes(): Promise<number | undefined> {
  const measuring = (
    performance as { measureUserAgentSpecificMemory?: () => Promise<{ bytes: number }> }
  ).measureUserAgentSpecificMemory;
  if (!measuring) return undefined;
  const { bytes } = await measuring.call(performance);
  return bytes;
}

export default cases("health", {
  "doctor names the rung, and every failed line says the fix": async (env: SuiteEnv) => {
    const diagnosis = await env.api.doctor();
    assert.equal(diagnosis.transport, env.transport);
    assert.isTrue(diagnosis.ok, String(diagnosis));
    for (const { name, ok, found, fix } of diagnosis.findings) {
      assert.isNotEmpty(found, name);
      assert.equal(ok, fix === undefined, name);
    }
    assert.include(String(diagnosis), "blocking");
    assert.include(String(diagnosis), env.transport);
    const names = diagnosis.findings.map(({ name }) => name);
    for (const name of ["isolation", "JSPI", "worker", "memory", "persistent files", "versions"]) {
      assert.include(names, name);
    }
  },

  "doctor tells a worker that does not load": [
    async (env) => {
      const diagnosis = await env.api.doctor({
        worker: () => {
          const url = env.url("/no-such-worker.js")!;
          const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: Function } };
          if (!trustedTypes) return new Worker(url, { type: "module" });
          const policy = trustedTypes.createPolicy("suite", {
            createScriptURL: (own: string) => own,
          });
          return new Worker(policy.createScriptURL(url), { type: "module" });
        },
      });
      assert.isFalse(diagnosis.ok);
      const worker = diagnosis.findings.find(({ name }) => name === "worker")!;
      assert.isFalse(worker.ok);
      assert.isNotEmpty(worker.fix);
    },
    { skip: ({ mode }) => (mode === "node" ? "its worker is always there" : undefined) },
  ],

  "200 runs and 200 kills leave nothing behind": [
    async (env) => {
      const hello = await env.api.createSandbox({ module: env.guest("hello") });
      const sleeper = await env.api.createSandbox({ module: env.guest("sleep") });
      await hello.run().result;
      const before = await pageBytes();
      for (let n = 0; n < HUNDREDS; n++) {
        const { status } = await hello.run({ args: [String(n)] }).result;
        assert.equal(status, "exited");
      }
      for (let n = 0; n < HUNDREDS; n++) {
        const run = sleeper.run();
        if (n % 10 === 0) await sleep(20);
        run.kill();
        assert.equal((await run.result).status, "killed");
      }
      const after = await pageBytes();
      if (before !== undefined && after !== undefined) {
        assert.isBelow(after - before, 64 * 2 ** 20, `${before} to ${after} bytes`);
      }
      const { stdoutText } = await hello.run({ args: ["last"] }).result;
      assert.include(stdoutText, "last");
      hello.close();
      sleeper.close();
    },
    {
      timeoutMs: 120_000,
      skip: ({ mode }) =>
        mode === "coi" || mode === "plain" || mode === "node"
          ? undefined
          : "the same code as in coi or plain",
    },
  ],

  "a worker that dies under a run is told within 100 ms": [
    async (env) => {
      const workers: Worker[] = [];
      const policy = (
        globalThis as { trustedTypes?: { createPolicy: Function } }
      ).trustedTypes?.createPolicy("suite", { createScriptURL: (own: string) => own });
      const sandbox = await env.api.createSandbox({
        module: env.guest("sleep"),
        worker: () => {
          const url = env.url("/dist/worker.js")!;
          const worker = new Worker(policy ? policy.createScriptURL(url) : url, { type: "module" });
          workers.push(worker);
          return worker;
        },
      });
      const run = sandbox.run();
      await sleep(100);
      const before = performance.now();
      workers.at(-1)!.dispatchEvent(new ErrorEvent("error", { message: "it died" }));
      const error = await run.result.then(
        () => undefined,
        (reason: { code?: string }) => reason,
      );
      assert.equal(error?.code, "worker_failed");
      assert.isBelow(performance.now() - before, 100);
      sandbox.close();
    },
    { skip: ({ mode }) => (mode === "node" ? "a page's worker" : undefined) },
  ],
});
