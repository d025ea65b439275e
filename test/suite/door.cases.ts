// The door: host::call by its contract, hostile guests, tools over it; page and Node.

import { assert } from "chai";
import { bytes, cases, sleep, text, type SuiteEnv } from "./case.ts";

/** The door's answer code for a hostile host_alloc, or how the run ends. */
const HOSTILE: Readonly<Record<string, string>> = {
  honest: "call -> 0",
  missing: "call -> -2",
  "no-function": "call -> -2",
  traps: "call -> -2",
  throws: "call -> -2",
  recurses: "call -> -2",
  zero: "call -> -2",
  negative: "call -> -2",
  "near-end": "call -> -2",
  "out-of-range": "call -> -2",
  "gives-i64": "call -> -2",
  "gives-nothing": "call -> -2",
  "gives-two": "call -> -2",
  "takes-i64": "call -> -2",
  grows: "call -> 0",
  "overlaps-request": "call -> 0",
};

const echo = (request: Uint8Array): Uint8Array => request;

async function raw(
  env: SuiteEnv,
  door?: (request: Uint8Array) => Uint8Array | Promise<Uint8Array>,
) {
  const sandbox = await env.api.createSandbox({ module: env.guest("door-raw") });
  const result = await sandbox.run({ stdin: "hello door", ...(door ? { door } : {}) }).result;
  sandbox.close();
  return result.stdoutText;
}

const count = (env: SuiteEnv) =>
  env.api.tool({
    name: "count",
    description: "Counts",
    inputSchema: {
      type: "object",
      properties: { n: { type: "integer" }, pad: { type: "string" } },
    },
    execute: async ({ n }) => ({ n }),
  });

export default cases("door", {
  "without a host function it answers -1": async (env) => {
    assert.include(await raw(env), "call -> -1");
  },

  "a raw function gets the bytes and gives the answer, at once or later": async (env) => {
    assert.include(await raw(env, (request) => bytes(`got ${text(request)}`)), "got hello door");
    const later = await raw(env, async (request) => {
      await sleep(30);
      return bytes(`late ${text(request)}`);
    });
    assert.include(later, "call -> 0");
    assert.include(later, "late hello door");
  },

  "an empty answer is an answer": async (env) => {
    assert.include(await raw(env, () => new Uint8Array(0)), "call -> 0");
  },

  "a raw function that fails in any way gives -2": async (env) => {
    const failing: (() => never | Promise<never>)[] = [
      () => {
        throw new Error("no");
      },
      () => Promise.reject(new Error("no")),
      () => "text" as never,
      () => undefined as never,
      () => new Uint8Array(16 * 2 ** 20 + 1) as never,
    ];
    for (const door of failing) assert.include(await raw(env, door), "call -> -2");
  },

  "host_alloc is not trusted": [
    async (env) => {
      for (const [name, answer] of Object.entries(HOSTILE)) {
        const sandbox = await env.api.createSandbox({ module: env.guest(`host-alloc/${name}`) });
        const { status, stdoutText } = await sandbox.run({
          door: echo,
          limits: { timeoutMs: 5_000 },
        }).result;
        assert.equal(
          `${name}: ${status} ${stdoutText.split("\n").includes(answer)}`,
          `${name}: exited true`,
          stdoutText,
        );
        sandbox.close();
      }
    },
    { timeoutMs: 60_000 },
  ],

  "host_alloc cannot enter the door again": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("host-alloc/calls-door") });
    let calls = 0;
    const { stdoutText } = await sandbox.run({
      door: (request) => {
        calls += 1;
        return request;
      },
    }).result;
    assert.match(stdoutText, /-2/);
    assert.include(stdoutText, "call -> 0");
    assert.equal(calls, 1);
    sandbox.close();
  },

  "host_alloc may end the run, sleep or spin; the run ends all the same": async (env) => {
    for (const name of ["exits", "catch-all"]) {
      const sandbox = await env.api.createSandbox({ module: env.guest(`host-alloc/${name}`) });
      const { status, exitCode } = await sandbox.run({ door: echo }).result;
      assert.deepEqual([name, status, exitCode], [name, "exited", 5]);
      sandbox.close();
    }
    for (const name of ["sleeps", "spins"]) {
      const sandbox = await env.api.createSandbox({ module: env.guest(`host-alloc/${name}`) });
      const { status } = await sandbox.run({ door: echo, limits: { timeoutMs: 300 } }).result;
      assert.deepEqual([name, status], [name, "timeout"]);
      sandbox.close();
    }
  },

  "bad pointers give -2 before anything happens": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("door-pointers") });
    let calls = 0;
    const door = (request: Uint8Array): Uint8Array => {
      calls += 1;
      return request;
    };
    const call = async (...pointers: (string | number)[]): Promise<string> => {
      const { stdoutText } = await sandbox.run({ args: pointers.map(String), door }).result;
      return /call -> (-?\d+)/.exec(stdoutText)?.[1] ?? stdoutText;
    };
    const pages = 16; // the guest itself grows to hold its arguments
    const end = pages * 65536;
    assert.equal(await call(1024, 26, 96, 100, pages), "0");
    const seen = calls;
    for (const pointers of [
      [1024, 26, end - 3, 100],
      [1024, 26, 96, end - 3],
      [1024, 26, 4294967295, 100],
      [1024, 26, 96, 2147483648],
      [end - 1, 26, 96, 100],
      [4294967295, 1, 96, 100],
      [2147483648, 26, 96, 100],
      [1024, 4294967295, 96, 100],
      [0, end + 1, 96, 100],
    ]) {
      assert.equal(await call(...pointers, pages), "-2", pointers.join(" "));
    }
    assert.equal(calls, seen);
    assert.equal(await call(end, 0, 96, 100, pages), "0"); // an empty range at the end is a range
    sandbox.close();
  },

  "answers of every size arrive whole": [
    async (env) => {
      const sandbox = await env.api.createSandbox({ module: env.guest("door-raw") });
      for (const size of [1, 65_471, 65_472, 65_473, 2 ** 20, 8 * 2 ** 20 + 3]) {
        const answer = new Uint8Array(size).map((_, index) => 97 + (index % 26));
        const { stdout, status } = await sandbox.run({
          stdin: "x",
          door: () => answer,
          limits: { outputBytes: 2 ** 24 },
        }).result;
        assert.equal(status, "exited");
        const at = stdout.length - size - (stdout.at(-1) === 10 ? 1 : 0);
        const part = stdout.subarray(at, at + size);
        assert.isTrue(
          part.every((byte, index) => byte === answer[index]),
          `${size} bytes`,
        );
      }
      sandbox.close();
    },
    { timeoutMs: 60_000 },
  ],

  "frames are bytes, whatever their values, both ways": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("door-raw") });
    for (const size of [1, 255, 256, 511, 512, 513, 4096, 4097]) {
      const request = Uint8Array.from({ length: size }, (_, index) => (index * 7 + 128) & 0xff);
      let heard: Uint8Array | undefined;
      const door = (asked: Uint8Array): Uint8Array => {
        heard = asked;
        return asked.map((byte) => byte ^ 0xff);
      };
      const { stdout } = await sandbox.run({ stdin: request, door }).result;
      assert.deepEqual(heard, request);
      const end = stdout.length - (stdout.at(-1) === 10 ? 1 : 0);
      assert.deepEqual(
        stdout.slice(end - size, end),
        request.map((byte) => byte ^ 0xff),
      );
    }
    sandbox.close();
  },

  "requests up to 1 MiB are copied; longer ones are judged by their length": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("door-raw") });
    let seen = 0;
    const door = (request: Uint8Array): Uint8Array => {
      seen = request.length;
      return bytes("ok");
    };
    const most = await sandbox.run({ stdin: "x".repeat(2 ** 20), door }).result;
    assert.include(most.stdoutText, "call -> 0");
    assert.equal(seen, 2 ** 20);
    const more = await sandbox.run({ stdin: "x".repeat(2 ** 20 + 1), door }).result;
    assert.include(more.stdoutText, "call -> -2");
    const tools = await sandbox.run({ stdin: "x".repeat(2 ** 20 + 1), tools: [count(env)] }).result;
    assert.match(tools.stdoutText, /"id":null.*"too_large"/s);
    sandbox.close();
  },

  "a guest calls a tool again and again, and each answer is its own": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("door-loop") });
    const run = sandbox.run({ args: ["500"], tools: [count(env)] });
    const { status, exitCode, calls, stdoutText } = await run.result;
    assert.deepEqual([status, exitCode], ["exited", 0], stdoutText);
    assert.equal(calls.length, 500);
    assert.equal(calls[0]!.name, "count");
    sandbox.close();
  },

  "the budget ends, the guest runs on": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("door-loop") });
    const { status, exitCode } = await sandbox.run({
      args: ["20"],
      tools: [count(env)],
      budget: { frames: 10 },
    }).result;
    assert.deepEqual([status, exitCode], ["exited", 1]); // its 11th answer carries no number
    sandbox.close();
  },

  "a C guest lists the tools and calls one over the real import": async (env) => {
    const region = env.api.tool({
      name: "lookup_region",
      description: "Region of a code",
      inputSchema: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
      execute: async ({ code }) => {
        await sleep(20);
        return { code, region: "Europe" };
      },
    });
    const sandbox = await env.api.createSandbox({ module: env.guest("door-echo") });
    const listed = await sandbox.run({ tools: [region] }).result;
    assert.deepEqual([listed.status, listed.stdoutText], ["exited", "lookup_region\n"]);
    const called = await sandbox.run({
      args: ["lookup_region", '{"code":"EMEA"}'],
      tools: [region],
    }).result;
    assert.deepEqual(
      [called.status, called.exitCode, called.stdoutText],
      ["exited", 0, '{"code":"EMEA","region":"Europe"}\n'],
    );
    const refused = await sandbox.run({ args: ["lookup_region", '{"code":5}'], tools: [region] })
      .result;
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderrText, /^invalid_arguments: /);
    sandbox.close();
  },
});
