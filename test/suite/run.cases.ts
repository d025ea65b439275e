// Runs: entries, arguments, files, streams, ends of every kind; page and Node.

import { assert } from "chai";
import type { RunOptions } from "../../src/index.ts";
import { bytes, cases, rejection, sleep, text, type SuiteEnv } from "./case.ts";

const open = (env: SuiteEnv, name: string) => env.api.createSandbox({ module: env.guest(name) });

/** What `traces` does once it has looked, by the number of its arguments. */
const TRACES = [
  { args: [], status: "exited" },
  { args: ["grow"], status: "exited" },
  { args: ["a", "trap"], status: "trapped" },
  { args: ["a", "b", "return"], status: "exited" },
] as const;

export default cases("run", {
  "runs one after another find nothing of each other, whether their instance is put back or new": [
    async (env) => {
      const all = ["traces", "traces-table"].map(async (guest) => {
        // Of bytes a sandbox finds out whether their instances may be put back.
        const sandbox = await env.api.createSandbox({ module: await env.guestBytes(guest) });
        const kinds = guest === "traces" ? TRACES : [TRACES[0]];
        for (let i = 0; i < 60; i++) {
          // Long enough alike that instances are put back, then each other way to end.
          const { args, status } = kinds[i % 20 < 14 ? 0 : i % kinds.length]!;
          const result = await sandbox.run({ args }).result;
          const clean = status === "exited" ? 0 : undefined;
          assert.deepEqual([result.status, result.exitCode], [status, clean], `${guest}, run ${i}`);
        }
        sandbox.close();
      });
      await Promise.all(all);
    },
    { timeoutMs: 40_000 },
  ],

  "runs at once find nothing of each other, in workers that come later too": async (env) => {
    const sandbox = await open(env, "traces");
    for (let round = 0; round < 8; round++) {
      const many = Array.from({ length: 1 + (round % 6) }, () => sandbox.run().result);
      const codes = (await Promise.all(many)).map(({ exitCode }) => exitCode);
      assert.deepEqual(new Set(codes), new Set([0]));
    }
    sandbox.close();
  },

  "a command gets its arguments, environment and stdin": async (env) => {
    const sandbox = await open(env, "hello");
    const { status, exitCode, stdout, stdoutText } = await sandbox.run({
      args: ["a b", "é€😀", ""],
      argv0: "me",
      env: { NAME: "wörld", EMPTY: "" },
      stdin: "line\nend",
    }).result;
    assert.equal(status, "exited");
    assert.equal(exitCode, 0);
    assert.instanceOf(stdout, Uint8Array);
    assert.equal(text(stdout), stdoutText);
    for (const part of [
      "arg me\n",
      "arg a b\n",
      "arg é€😀\n",
      "arg \n",
      "env NAME=wörld\n",
      "line\nend",
    ]) {
      assert.include(stdoutText, part);
    }
    sandbox.close();
  },

  "argv[0] is the file's name by default": async (env) => {
    const sandbox = await open(env, "hello");
    assert.include((await sandbox.run().result).stdoutText, "arg hello\n");
    sandbox.close();
  },

  "stdin from bytes and from a stream": async (env) => {
    const sandbox = await open(env, "hello");
    const fromBytes = await sandbox.run({ stdin: bytes("bytes é") }).result;
    assert.include(fromBytes.stdoutText, "bytes é");
    const stream = new ReadableStream({
      async start(controller) {
        controller.enqueue(bytes("first "));
        await sleep(30);
        controller.enqueue("second");
        controller.close();
      },
    });
    const fromStream = await sandbox.run({ stdin: stream }).result;
    assert.equal(fromStream.status, "exited");
    assert.include(fromStream.stdoutText, "first second");
    sandbox.close();
  },

  "stdin of any length, from bytes, a stream or a writer": async (env) => {
    const sandbox = await open(env, "hello");
    const long = new Uint8Array(6 * 2 ** 20 + 1).map((_, i) => (i * 7919) >> 5);
    const part = 100_001;
    const parts = Array.from({ length: Math.ceil(long.length / part) }, (_, i) =>
      long.slice(i * part, (i + 1) * part),
    );
    const checked = (stdout: Uint8Array): void => {
      const echoed = stdout.subarray("arg hello\n".length);
      assert.equal(echoed.length, long.length);
      assert.equal(
        echoed.findIndex((byte, i) => byte !== long[i]),
        -1,
      );
    };
    checked((await sandbox.run({ stdin: long }).result).stdout);
    const stream = new Blob(parts).stream();
    checked((await sandbox.run({ stdin: stream }).result).stdout);
    const run = sandbox.run({ stdin: "interactive" });
    const writer = run.stdin!.getWriter();
    for (const chunk of parts) await writer.write(chunk);
    await writer.close();
    checked((await run.result).stdout);
    sandbox.close();
  },

  "text for stdin may be cut anywhere, also in the middle of a character": async (env) => {
    const sandbox = await open(env, "hello");
    const chunks = ["a\ud83d", "", "\ude00b", "\ud83d", bytes("c"), "\ude00", "\ud83d"];
    const expected = "arg hello\na😀b\ufffdc\ufffd\ufffd";
    const stream = new ReadableStream<string | Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    assert.equal((await sandbox.run({ stdin: stream }).result).stdoutText, expected);
    const run = sandbox.run({ stdin: "interactive" });
    const writer = run.stdin!.getWriter();
    for (const chunk of chunks) await writer.write(chunk);
    await writer.close();
    assert.equal((await run.result).stdoutText, expected);
    sandbox.close();
  },

  "a deterministic run repeats exactly, and sleeps in no time": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.interpreter("python") });
    const code = `
import os, random, tempfile, time, uuid
print(time.time(), time.time_ns(), time.monotonic_ns(), os.urandom(8).hex(), uuid.uuid4(), random.random())
time.sleep(3600)
print(time.time(), os.stat(tempfile.mkdtemp()).st_mtime, hash("text"))`;
    const said = async (seed: number): Promise<string> => {
      const deterministic = { seed, timeMs: 1_700_000_000_000 };
      const options = { args: ["-c", code], files: { "/tmp": {} }, deterministic };
      return (await sandbox.run(options).result).stdoutText;
    };
    const [one, again, other] = [await said(1), await said(1), await said(2)];
    assert.equal(again, one);
    assert.notEqual(other, one);
    assert.match(one, /^1700000000\.0 1700000000000000000 /);
    assert.match(one, /\n1700003600\.0\d* /);
    sandbox.close();
  },

  "interactive stdin: the guest waits for what is written": async (env) => {
    const sandbox = await open(env, "hello");
    const run = sandbox.run({ stdin: "interactive" });
    const writer = run.stdin!.getWriter();
    await writer.write("typed ");
    await sleep(50);
    await writer.write("later");
    await writer.close();
    const { status, stdoutText } = await run.result;
    assert.equal(status, "exited");
    assert.include(stdoutText, "typed later");
    sandbox.close();
  },

  "a terminal, in part or whole, of the size that is asked for": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.interpreter("python") });
    const code =
      "import os, shutil; print(*map(os.isatty, (0, 1, 2)), *shutil.get_terminal_size((1, 2)))";
    const said = async (options: RunOptions): Promise<string> =>
      (await sandbox.run({ args: ["-c", code], ...options }).result).stdoutText.trim();
    assert.equal(await said({}), "False False False 1 2");
    assert.equal(await said({ terminal: {} }), "True True True 80 24");
    assert.equal(await said({ terminal: { columns: 132, rows: 43 } }), "True True True 132 43");
    assert.equal(await said({ terminal: { rows: 50 }, tty: [2] }), "False False True 80 50");
    assert.equal(await said({ tty: [0, 1] }), "True True False 1 2");
    const set = { COLUMNS: "33" };
    assert.equal(await said({ terminal: { columns: 132 }, env: set }), "True True True 33 24");
    sandbox.close();
  },

  "exit codes": async (env) => {
    const sandbox = await open(env, "exit-code");
    for (const [args, code] of [
      [[], 0],
      [["0"], 0],
      [["7"], 7],
      [["255"], 255],
    ] as const) {
      const { status, exitCode } = await sandbox.run({ args: [...args] }).result;
      assert.deepEqual({ status, exitCode }, { status: "exited", exitCode: code });
    }
    sandbox.close();
  },

  "a reactor is initialised, then its run export gives the exit code": async (env) => {
    const sandbox = await open(env, "reactor");
    const { status, exitCode, stdoutText } = await sandbox.run().result;
    assert.deepEqual([status, exitCode, stdoutText], ["exited", 7, "run\n"]);
    const second = await sandbox.run({ entry: "second" }).result;
    assert.equal(second.exitCode, 3);
    const silent = await sandbox.run({ entry: "silent" }).result;
    assert.deepEqual([silent.status, silent.exitCode], ["exited", 0]);
    sandbox.close();
  },

  "an entry that is not there lists the exports": async (env) => {
    const sandbox = await open(env, "no-entry");
    const error = await rejection(sandbox.run().result);
    assert.equal(error.code, "no_entry");
    assert.include(error.message, "add");
    const named = await rejection(sandbox.run({ entry: "nope" }).result);
    assert.equal(named.code, "no_entry");
    assert.include(named.message, "nope");
    sandbox.close();
  },

  "traps say what happened and where": async (env) => {
    for (const [name, reason] of [
      ["trap", "unreachable"],
      ["trap-named", "unreachable"],
      ["stack-overflow", "stack_overflow"],
      ["out-of-bounds", "memory_out_of_bounds"],
      ["divide-by-zero", "divide_by_zero"],
      ["bad-indirect", "bad_indirect_call"],
    ] as const) {
      const sandbox = await open(env, name);
      const result = await sandbox.run().result;
      assert.deepEqual(
        [name, result.status, result.reason],
        [name, "trapped", reason],
        result.error?.message,
      );
      assert.isUndefined(result.exitCode);
      assert.instanceOf(result.error, Error);
      if (name === "trap") assert.equal(result.stdoutText.trim(), "before");
      if (name === "trap-named") assert.include(result.error.message, "check_the_total");
      sandbox.close();
    }
  },

  "two runs at once, each with its own instance": async (env) => {
    const sandbox = await open(env, "hello");
    const runs = ["one", "two", "three"].map((word) => sandbox.run({ args: [word], stdin: word }));
    const results = await Promise.all(runs.map((run) => run.result));
    results.forEach(({ stdoutText }, index) => {
      assert.include(stdoutText, `arg ${["one", "two", "three"][index]}\n`);
    });
    sandbox.close();
  },

  "a guest that never blocks needs nothing of the page": async (env) => {
    const sandbox = await env.api.createSandbox({
      module: env.guest("never-blocks"),
      transport: "none",
    });
    assert.equal(sandbox.transport, "none");
    const { status, stdoutText } = await sandbox.run().result;
    assert.deepEqual([status, stdoutText.trim()], ["exited", "done"]);
    sandbox.close();
  },

  "a guest that has to block where nothing can is unsupported, and told what to change": async (
    env,
  ) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("sleep"), transport: "none" });
    const { status, error, exitCode } = await sandbox.run().result;
    assert.equal(status, "unsupported");
    assert.isUndefined(exitCode);
    assert.match(error!.message, /Cross-Origin-Opener-Policy.*Cross-Origin-Embedder-Policy/s);
    assert.equal((error as { code?: string }).code, "unsupported");
    sandbox.close();
  },

  "a guest that swallows that it cannot wait has no more effect": async (env) => {
    const module = env.guest("catch-all-stop");
    const sandbox = await env.api.createSandbox({ module, transport: "none" });
    const { status, stdoutText } = await sandbox.run().result;
    assert.deepEqual([status, stdoutText.trim()], ["unsupported", "waiting"]);
    sandbox.close();
  },

  "a start function waits where it can, and is unsupported where it cannot": async (env) => {
    for (const transport of [env.transport, "none"] as const) {
      const sandbox = await env.api.createSandbox({ module: env.guest("start-sleeps"), transport });
      const { status, reason, error, stdoutText } = await sandbox.run().result;
      if (transport === "shared-memory") {
        assert.deepEqual([status, stdoutText], ["exited", "slept\n"]);
      } else {
        assert.deepEqual([status, reason, stdoutText], ["unsupported", "sleep", ""]);
        assert.equal((error as { code?: string }).code, "unsupported");
        assert.match(error!.message, /Cross-Origin-Opener-Policy/);
        assert.equal(/start function/.test(error!.message), transport === "suspending");
      }
      sandbox.close();
    }
  },

  "the sandbox says which rung it uses": async (env) => {
    const sandbox = await open(env, "hello");
    assert.equal(sandbox.transport, env.transport);
    sandbox.close();
  },

  "after close, a run is refused and its streams end": async (env) => {
    const sandbox = await open(env, "sleep");
    const running = sandbox.run();
    await sleep(50);
    sandbox.close();
    const { status, reason } = await running.result;
    assert.deepEqual([status, reason], ["killed", "closed"]);
    const late = sandbox.run();
    assert.equal((await rejection(late.result)).code, "closed");
    assert.isTrue((await late.stdout.getReader().read()).done);
  },

  "wrong options are named": async (env) => {
    const sandbox = await open(env, "hello");
    const tool = env.api.tool({
      name: "t",
      description: "T",
      inputSchema: { type: "object" },
      execute: () => 1,
    });
    const wrong: [string, object][] = [
      ["args", { args: "hello" }],
      ["args", { args: [1] }],
      ["args", { args: ["a\0b"] }],
      ["env", { env: { "A=B": "c" } }],
      ["env", { env: { A: 1 } }],
      ["stdin", { stdin: 5 }],
      ["tools", { tools: {} }],
      ["door", { door: 1 }],
      ["door", { door: () => bytes(""), tools: [tool] }],
      ["gate", { gate: true, tools: [tool] }],
      ["entry", { entry: 1 }],
      ["signal", { signal: {} }],
      ["limits.timeoutMs", { limits: { timeoutMs: -1 } }],
      ["limits.timeoutMs", { limits: { timeoutMs: "1" } }],
      ["limits.outputBytes", { limits: { outputBytes: Number.NaN } }],
      ["limits.nope", { limits: { nope: 1 } }],
      ["nope", { nope: 1 }],
    ];
    for (const [name, options] of wrong) {
      const error = await rejection(sandbox.run(options).result);
      assert.equal(error.code, "bad_option", `${name}: ${error.message}`);
      assert.include(error.message, name);
    }
    const twice = await rejection(sandbox.run({ tools: [tool, tool] }).result);
    assert.equal(twice.code, "bad_tool");
    assert.throws(() =>
      env.api.tool({
        name: "no-good",
        description: "N",
        inputSchema: { type: "object" },
        execute: () => 1,
      }),
    );
    sandbox.close();
  },
});
