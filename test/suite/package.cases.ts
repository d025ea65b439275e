// Function packages as a page uses them: calls, every way to crash, what an instance sees; page and Node.

import { assert } from "chai";
import type { FunctionPackage, PackageCallOptions, PackageOptions } from "../../src/package.ts";
import { bytes, cases, rejection, sleep, type SuiteEnv } from "./case.ts";

type Act = (how: string, args?: object, options?: PackageCallOptions) => Promise<string>;

/** Loads a package of test/guests/packages for the length of a case. */
async function withPackage(
  env: SuiteEnv,
  name: string,
  work: (loaded: FunctionPackage) => Promise<void>,
  options: PackageOptions = {},
): Promise<void> {
  const loaded = await env.packages.loadPackage(await env.guestBytes(`packages/${name}`), options);
  try {
    await work(loaded);
  } finally {
    loaded.close();
  }
}

/** The package that breaks any rule; `act` gives the text of its answer. */
function misbehaving(
  env: SuiteEnv,
  work: (act: Act, loaded: FunctionPackage) => Promise<void>,
  options: PackageOptions = {},
): Promise<void> {
  return withPackage(env, "misbehave", (loaded) => work(actor(loaded), loaded), options);
}

function actor(loaded: FunctionPackage): Act {
  return async (how, args = {}, options = {}) => {
    const { content } = await loaded.call("act", { how, ...args }, options);
    return content[0]?.["text"] as string;
  };
}

interface Crash extends Error {
  readonly reason: string;
  readonly stderr: string;
  readonly exitCode?: number;
}

async function crash(env: SuiteEnv, call: Promise<unknown>): Promise<Crash> {
  const error = await rejection(call);
  assert.instanceOf(error, env.packages.PackageCrash, String(error));
  return error;
}

/** Each breaks the call at once, or within the time given. */
const CRASHES: readonly [how: string, reason: string, n?: number, timeoutMs?: number][] = [
  ["error", "json_rpc_error"],
  ["result-type", "result_type"],
  ["no-content", "bad_result"],
  ["noise", "not_a_message"],
  ["blank", "not_a_message"],
  ["latin", "not_a_message"],
  ["pretty", "not_a_message"],
  ["tail", "not_a_message"],
  ["deep", "not_a_message", 600],
  ["wrong-id", "wrong_id"],
  ["number-id", "wrong_id"],
  ["twice", "wrong_id"],
  ["request", "request"],
  ["early", "exited_early", 0],
  ["early", "exited_early", 3],
  ["no-newline", "exited_early"],
  ["code", "exit_code", 3],
  ["linger", "late_exit", 3_000],
  ["linger-spin", "late_exit"],
  ["trap", "trapped"],
  ["trap-late", "trapped"],
  ["overflow", "trapped"],
  ["spin", "timeout", 0, 400],
  ["sleep", "timeout", 60_000, 400],
  ["until-end", "timeout", 0, 400],
  ["flood", "stdout_limit"],
];

export default [
  ...cases("package", {
    "greets, and reports its own failures as results": async (env) =>
      withPackage(env, "greet", async (greet) => {
        assert.deepEqual(
          greet.tools.map(({ name, description }) => [name, description]),
          [["greet", "Greet someone by name."]],
        );
        const result = await greet.call("greet", { name: "Ada" });
        assert.deepEqual(JSON.parse(JSON.stringify(result)), {
          content: [{ type: "text", text: "Hello, Ada!" }],
          structuredContent: { message: "Hello, Ada!" },
        });
        const failed = await greet.call("greet", {});
        assert.isTrue(failed.isError);
        assert.equal((await rejection(greet.call("other", {}))).code, "unknown_tool");
        assert.equal((await rejection(greet.call("greet", [] as never))).code, "bad_option");
      }),

    "is a provider: entries without output schemas, envelopes for everything": async (env) =>
      withPackage(env, "greet", async (greet) => {
        const [entry] = greet.listTools();
        assert.deepEqual(Object.keys(entry!), ["name", "description", "parameters"]);
        assert.isDefined(greet.tools[0]!.outputSchema);
        const { status, result, is_error } = await greet.callTool("greet", { name: "Ada" });
        assert.deepEqual([status, result, is_error], ["ok", { message: "Hello, Ada!" }, false]);
        const unknown = await greet.callTool("other", {});
        assert.deepEqual([unknown.status, unknown.is_error], ["error", true]);
      }),

    "a crash is an envelope that holds the last of stderr": async (env) =>
      misbehaving(env, async (_, loaded) => {
        const envelope = await loaded.callTool("act", { how: "stderr", n: 5_000, text: "the end" });
        assert.isTrue(envelope.is_error);
        assert.include(envelope.error, "the function crashed");
        assert.isTrue(envelope.error!.endsWith("the end"));
      }),

    "each call is a fresh instance: nothing of one reaches the next": async (env) =>
      misbehaving(env, async (act) => {
        const pages = await act("pages");
        for (let i = 0; i < 3; i++) assert.equal(await act("count"), "1");
        await crash(env, act("grow", {}, { memoryBytes: 8 * 2 ** 20 }));
        await crash(env, act("trap"));
        assert.equal(await act("pages"), pages);
        assert.equal(await act("count"), "1");
        assert.equal(await act("list", { path: "/volume/tmp" }), '[".",".."]');
      }),

    "eight calls at once, and a hundred one after the other": [
      async (env) =>
        misbehaving(env, async (act) => {
          const texts = Array.from({ length: 16 }, (_, index) => `call ${index}`);
          const said = await Promise.all(texts.map((text) => act("say", { text })));
          assert.deepEqual(said, texts);
          for (let i = 0; i < 100; i++) assert.equal(await act("count"), "1");
        }),
      { timeoutMs: 40_000 },
    ],

    "the module is compiled once, and workers are used again": [
      async (env) => {
        const { compile, compileStreaming } = WebAssembly;
        let compiled = 0;
        let started = 0;
        const counted = <Work extends (...all: never[]) => unknown>(work: Work): Work =>
          ((...all: never[]) => (compiled++, work(...all))) as Work;
        WebAssembly.compile = counted(compile);
        WebAssembly.compileStreaming = counted(compileStreaming);
        const address = new URL("../dist/worker.js", location.href);
        const worker = (): Worker => (started++, new Worker(address, { type: "module" }));
        try {
          await misbehaving(
            env,
            async (act) => {
              await act("count"); // a package that was asked for its tools before is compiled by its first call
              const atFirst = compiled;
              for (let i = 0; i < 30; i++) await act("count");
              await Promise.all(Array.from({ length: 30 }, () => act("count")));
              assert.deepEqual([atFirst, compiled], [1, 1]);
              assert.isAtMost(started, 9); // eight at once, and a spare
            },
            { worker },
          );
        } finally {
          Object.assign(WebAssembly, { compile, compileStreaming });
        }
      },
      {
        once: true,
        skip: ({ mode }) => (mode === "node" ? "Node's workers are not the page's" : undefined),
      },
    ],

    "sees one argument, no variables, and the preopens in their order": async (env) =>
      misbehaving(env, async (act) => {
        const volume = env.packages.memoryVolume();
        const skills = { b: { "SKILL.md": "b" }, a: { "SKILL.md": "a" } };
        const alone = JSON.parse(await act("environment")) as object;
        assert.deepEqual(alone, {
          argv: ["package"],
          variables: 0,
          preopens: ["/volume/tmp", "/skills"],
        });
        const full = JSON.parse(await act("environment", {}, { volume, skills })) as {
          preopens: string[];
        };
        assert.deepEqual(full.preopens, [
          "/volume/tmp",
          "/volume/data",
          "/skills",
          "/skills/b",
          "/skills/a",
        ]);
        const without = await act("environment", {}, { volume, data: false });
        assert.notInclude(without, "/volume/data");
        assert.equal(await act("list", { path: "/skills" }, { skills }), '[".","..","b","a"]');
        assert.equal(await act("read", { path: "/skills/a/SKILL.md" }, { skills }), "a");
        assert.equal(await act("write", { path: "/skills/a/x", text: "x" }, { skills }), "69"); // EROFS
      }),

    "fd_allocate is not supported, no socket is handed out, descriptors are bounded": async (env) =>
      misbehaving(env, async (act) => {
        assert.equal(await act("allocate", { path: "/volume/tmp/x" }), "58"); // ENOTSUP
        // ENOTSOCK for a stream, EBADF for a folder and for what is not open.
        assert.equal(await act("sockets", { n: 0 }), "57 57 57 57");
        assert.equal(await act("sockets", { n: 3 }), "8 8 8 8");
        assert.equal(await act("sockets", { n: 99 }), "8 8 8 8");
        // Three streams and two preopens are open already.
        assert.equal(await act("descriptors"), "251");
      }),

    "reads stdin by poll, without blocking, and finds its end after the answer": async (env) =>
      misbehaving(env, async (act) => {
        assert.equal(await act("poll", { n: 20 }), "0");
      }),

    "notifications and stderr are no trouble": async (env) =>
      misbehaving(env, async (act) => {
        let said = "";
        const onStderr = (text: string): void => void (said += text);
        assert.equal(await act("notify"), "notified");
        assert.equal(await act("log", { text: "wärm" }, { onStderr }), "logged");
        assert.equal(said, "wärm");
      }),

    "a listener that throws ends its call with what it threw, and no other": async (env) =>
      misbehaving(env, async (act) => {
        const thrown = new Error("not now");
        const onStderr = (): void => {
          throw thrown;
        };
        const error: unknown = await act("log", { text: "x" }, { onStderr }).catch((e) => e);
        assert.equal(error, thrown);
        assert.equal(await act("say", { text: "still there" }), "still there");
      }),

    "calls of every length and kind follow one another in the same worker": async (env) =>
      misbehaving(env, async (act) => {
        for (let round = 0; round < 3; round++) {
          assert.equal(await act("say", { text: `first ${round}` }), `first ${round}`);
          const signal = AbortSignal.timeout(round * 15);
          const stopped = await rejection(act("sleep", { n: 60_000 }, { signal }));
          assert.equal(stopped.code, "aborted");
          assert.equal(await act("linger", { n: 30 * round }), "and stay");
          // More than may be on its way unheard.
          let heard = 0;
          const onStderr = (text: string): void => void (heard += text.length);
          const error = await crash(
            env,
            act("stderr", { n: 1_000_000, text: "end" }, { onStderr }),
          );
          assert.equal(error.stderr.slice(-3), "end");
          assert.isAtLeast(heard, 1_000_000);
          for (let i = 0; i < 20; i++) assert.equal(await act("say", { text: `${i}` }), `${i}`);
        }
      }),

    "the last 4 KiB of stderr are in the crash": async (env) =>
      misbehaving(env, async (act) => {
        const error = await crash(env, act("stderr", { n: 100_000, text: "the end" }));
        assert.equal(error.reason, "exited_early");
        assert.equal(error.exitCode, 3);
        assert.equal(error.stderr.length, 4_096);
        assert.isTrue(error.stderr.endsWith("the end"));
      }),

    "running out of memory is told from other traps": async (env) =>
      misbehaving(env, async (act) => {
        const options = { memoryBytes: 4 * 2 ** 20, timeoutMs: 10_000 };
        assert.equal((await crash(env, act("grow", {}, options))).reason, "out_of_memory");
        assert.equal((await crash(env, act("trap", {}, options))).reason, "trapped");
      }),

    "a signal ends a call, before and while it runs; close ends all": async (env) =>
      misbehaving(env, async (act, loaded) => {
        const aborted = await rejection(act("say", {}, { signal: AbortSignal.abort() }));
        assert.equal(aborted.code, "aborted");
        const stop = new AbortController();
        const spinning = rejection(act("spin", {}, { signal: stop.signal }));
        setTimeout(() => stop.abort("enough"), 100);
        const error = await spinning;
        assert.deepEqual([error.code, (error as { cause?: unknown }).cause], ["aborted", "enough"]);
        const sleeping = rejection(act("sleep", { n: 60_000 }));
        await sleep(100);
        loaded.close();
        assert.equal((await sleeping).code, "closed");
        assert.equal((await rejection(act("say"))).code, "closed");
      }),

    "HTTP: none without a network, and with one the answer lands in the volume": async (env) =>
      misbehaving(env, async (act) => {
        const text = JSON.stringify({
          url: "https://api.example.com/data",
          output: { type: "file", path: "/volume/data/out.txt" },
        });
        assert.include(await act("http", { text }), '"kind":');
        const volume = env.packages.memoryVolume();
        const asked: string[] = [];
        const http = {
          fetch: async (input: RequestInfo | URL) => {
            asked.push(String(input instanceof Request ? input.url : input));
            return new Response("from afar");
          },
        };
        const network = { allow: ["api.example.com"] };
        const answer = await act("http", { text }, { volume, network, http });
        assert.include(answer, '"bytes":9');
        assert.deepEqual(asked, ["https://api.example.com/data"]);
        assert.equal(await act("read", { path: "/volume/data/out.txt" }, { volume }), "from afar");
        const other = JSON.stringify({ url: "https://evil.example.com/" });
        assert.include(await act("http", { text: other }, { network, http }), "host_not_allowed");
        const preopens = await act("environment", {}, { network, http });
        assert.notInclude(preopens, "/dev");
      }),

    "the time of a call holds while HTTP is awaited": async (env) =>
      misbehaving(env, async (act) => {
        let stopped = false;
        const http = {
          fetch: (input: RequestInfo | URL, init?: RequestInit) =>
            new Promise<Response>((_, reject) => {
              const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
              signal?.addEventListener("abort", () => {
                stopped = true;
                reject(signal.reason as Error);
              });
            }),
        };
        const text = JSON.stringify({ url: "https://api.example.com/slow" });
        const options = { network: { allow: ["api.example.com"] }, http, timeoutMs: 300 };
        const begin = performance.now();
        assert.equal((await crash(env, act("http", { text }, options))).reason, "timeout");
        assert.isBelow(performance.now() - begin, 2_000);
        assert.isTrue(stopped);
      }),

    "a page where guests cannot block at all runs packages, too": async (env) =>
      misbehaving(
        env,
        async (act) => {
          assert.equal(await act("say", { text: "hello" }), "hello");
          assert.equal((await crash(env, act("early", { n: 3 }))).reason, "exited_early");
          // What has to be waited for is the page's lack, and no crash.
          assert.equal((await rejection(act("sleep", { n: 10 }))).code, "unsupported");
        },
        { transport: "none" },
      ),

    "options that are wrong are named": async (env) =>
      misbehaving(env, async (act) => {
        const wrong: object[] = [
          { volume: {} },
          { timeoutMs: 0 },
          { memoryBytes: "1" },
          { skills: { "a/b": {} } },
          { skills: { a: 7 } },
          { onStderr: 1 },
          { nothing: 1 },
        ];
        for (const options of wrong) {
          const { code } = await rejection(act("say", {}, options));
          assert.match(String(code), /^bad_(option|path)$/, JSON.stringify(options));
        }
        const { code } = await rejection(
          env.packages.loadPackage(bytes(""), { nothing: 1 } as never),
        );
        assert.equal(code, "bad_option");
      }),
  }),

  ...cases(
    "package crash",
    Object.fromEntries(
      CRASHES.map(([how, reason, n = 0, timeoutMs = 10_000]) => [
        `${how}${n ? ` ${n}` : ""}: ${reason}`,
        async (env: SuiteEnv) =>
          misbehaving(env, async (act) => {
            const error = await crash(env, act(how, { n }, { timeoutMs }));
            assert.equal(error.reason, reason);
            assert.include(error.message, "the function crashed");
            assert.equal(await act("say", { text: "still there" }), "still there");
          }),
      ]),
    ),
  ),
];
