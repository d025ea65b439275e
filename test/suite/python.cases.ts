// Real CPython, unmodified, through the device door; page and Node.

import { assert } from "chai";
import { bytes, cases, sleep, text, type SuiteEnv } from "./case.ts";

let shared: ReturnType<SuiteEnv["api"]["createSandbox"]> | undefined;
/** One sandbox for all: the module is 26 MB. */
const python = (env: SuiteEnv) =>
  (shared ??= env.api.createSandbox({ module: env.interpreter("python") }));

const slowOptions = { timeoutMs: 60_000 };

function lookup(env: SuiteEnv) {
  return env.api.tool({
    name: "lookup_region",
    description: "Region of a code",
    inputSchema: {
      type: "object",
      properties: { code: { type: "string" }, deep: { type: "boolean" } },
      required: ["code"],
    },
    execute: async ({ code }, { signal }) => {
      await sleep(10);
      if (signal.aborted) throw new env.api.ToolError("aborted");
      return { region: `region of ${code}` };
    },
  });
}

async function runPython(env: SuiteEnv, code: string, options: object = {}) {
  const sandbox = await python(env);
  const result = await sandbox.run({ args: ["-c", code], ...options }).result;
  return { ...result, out: result.stdoutText, err: result.stderrText };
}

export default cases("python", {
  "says hello": [
    async (env) => {
      const { status, exitCode, out, err } = await runPython(env, "print('héllo', 6 * 7)");
      assert.deepEqual([status, exitCode, out], ["exited", 0, "héllo 42\n"], err);
    },
    slowOptions,
  ],

  "calls the page's async tool, by position and by keyword": [
    async (env) => {
      const { out, err, calls } = await runPython(
        env,
        `from host import tools
print(tools.lookup_region("EMEA"))
print(tools.lookup_region(code="APAC")["region"])`,
        { tools: [lookup(env)] },
      );
      assert.equal(out, "{'region': 'region of EMEA'}\nregion of APAC\n", err);
      assert.deepEqual(
        calls.map(({ name }) => name),
        ["lookup_region", "lookup_region"],
      );
    },
    slowOptions,
  ],

  "a gate refuses, and the guest sees PermissionError": [
    async (env) => {
      const { out, err } = await runPython(
        env,
        `from host import tools, ToolDenied
try:
    tools.lookup_region("EMEA")
except ToolDenied as error:
    print(isinstance(error, PermissionError), error.kind, error)`,
        {
          tools: [lookup(env)],
          gate: async () => {
            throw new env.api.ToolDenied("not today");
          },
        },
      );
      assert.match(out, /^True denied .*not today/, err);
    },
    slowOptions,
  ],

  "wrong arguments come back as ToolArgumentError": [
    async (env) => {
      const { out, err } = await runPython(
        env,
        `from host import tools, ToolArgumentError
try:
    tools.lookup_region(code=5)
except ToolArgumentError as error:
    print(error.kind)`,
        { tools: [lookup(env)] },
      );
      assert.equal(out, "invalid_arguments\n", err);
    },
    slowOptions,
  ],

  "without tools, from host import tools is an ImportError": [
    async (env) => {
      const { err, exitCode } = await runPython(env, "from host import tools");
      assert.equal(exitCode, 1);
      assert.match(err, /ImportError|ModuleNotFoundError/);
    },
    slowOptions,
  ],

  "bytes and large integers cross both ways": [
    async (env) => {
      const mirror = env.api.tool({
        name: "mirror",
        description: "Gives back",
        inputSchema: {
          type: "object",
          properties: {
            data: { type: "string", contentEncoding: "base64" },
            n: { type: "integer" },
          },
        },
        execute: ({ data, n }) => ({
          data,
          n,
          same: data instanceof Uint8Array && typeof n === "bigint",
        }),
      });
      const { out, err } = await runPython(
        env,
        `from host import tools
answer = tools.mirror(data=bytes(range(256)), n=2**80)
print(answer["data"] == bytes(range(256)), answer["n"] == 2**80, answer["same"])`,
        { tools: [mirror] },
      );
      assert.equal(out, "True True True\n", err);
    },
    slowOptions,
  ],

  "reads files given to it, and gives back what it wrote": [
    async (env) => {
      const { files, err } = await runPython(
        env,
        `import os
data = open("/data/in.csv", encoding="utf-8").read()
os.makedirs("/out/deep")
open("/out/deep/result.txt", "w").write(data.upper())
os.remove("/data/old")`,
        { files: { "/data/in.csv": bytes("é,b\n"), "/data/old": "x", "/data/kept": "k" } },
      );
      assert.ok(files, err);
      assert.equal(text(files["/out/deep/result.txt"]!), "É,B\n", err);
      assert.isNull(files["/data/old"]);
      assert.notProperty(files, "/data/kept");
      assert.notProperty(files, "/data/in.csv");
    },
    slowOptions,
  ],

  "a mounted image is read-only and shared": [
    async (env) => {
      const { out, err } = await runPython(
        env,
        `import sys
sys.path.insert(0, "/lib/mine")
import greeting
print(greeting.HELLO)
try:
    open("/lib/mine/new.py", "w")
except OSError as error:
    print(error.errno is not None)`,
        {
          files: {},
          mounts: {
            "/lib/mine": env.api.image({ "greeting.py": "HELLO = 'from an image'\n" }),
          },
        },
      );
      assert.equal(out, "from an image\nTrue\n", err);
    },
    slowOptions,
  ],

  "input() waits for a person": [
    async (env) => {
      const sandbox = await python(env);
      const run = sandbox.run({
        args: ["-c", "name = input('name? ')\nprint('hi', name)"],
        stdin: "interactive",
      });
      const reader = run.stdout.getReader();
      const prompt = await reader.read();
      assert.include(text(prompt.value!), "name? ");
      const writer = run.stdin!.getWriter();
      await writer.write("Ada\n");
      const { status, stdoutText, stderrText } = await Promise.race([
        (async () => {
          for (let next = await reader.read(); !next.done; next = await reader.read());
          return run.result;
        })(),
        run.result,
      ]);
      assert.equal(status, "exited", stderrText);
      assert.equal(stdoutText, "name? hi Ada\n");
    },
    slowOptions,
  ],

  "time.sleep sleeps, and is ended by kill": [
    async (env) => {
      const slept = await runPython(
        env,
        "import time\nt = time.monotonic()\ntime.sleep(0.2)\nprint(0.19 < time.monotonic() - t < 2)",
      );
      assert.equal(slept.out, "True\n", slept.err);
      const sandbox = await python(env);
      const run = sandbox.run({
        args: ["-c", "import time\nprint('zzz', flush=True)\ntime.sleep(600)"],
      });
      await run.stdout.getReader().read();
      const before = performance.now();
      run.kill();
      assert.equal((await run.result).status, "killed");
      assert.isBelow(performance.now() - before, 250);
    },
    slowOptions,
  ],

  "an endless loop ends by its limit": [
    async (env) => {
      const sandbox = await python(env);
      const { status } = await sandbox.run({
        args: ["-c", "while True: pass"],
        limits: { timeoutMs: 1500 },
      }).result;
      assert.equal(status, "timeout");
    },
    slowOptions,
  ],

  "a second stock interpreter calls tools through the device": [
    async (env) => {
      const sandbox = await env.api.createSandbox({ module: env.interpreter("quickjs") });
      const { out } = await (async () => {
        const result = await sandbox.run({
          args: ["/main.js"],
          files: {
            "/main.js": `import { tools } from "/lib/sallyport/javascript/host.js";
print(tools.lookup_region({ code: "EMEA" }).region);
`,
          },
          tools: [lookup(env)],
        }).result;
        return { out: result.stdoutText + result.stderrText };
      })();
      assert.equal(out, "region of EMEA\n");
      sandbox.close();
    },
    slowOptions,
  ],
});
