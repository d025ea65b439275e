// The interpreter as a program: arguments, exit codes, tracebacks, streams, and the door; page and Node.

import { assert } from "chai";
import { pythonCases, runPython, type PythonEnv } from "./python-case.ts";

const lookup = (env: PythonEnv) =>
  env.api.tool({
    name: "lookup_region",
    description: "Region of a code",
    inputSchema: {
      type: "object",
      properties: { code: { type: "string" } },
      required: ["code"],
    },
    execute: async ({ code }) => ({ region: `region of ${code}` }),
  });

export const interpreter = pythonCases({
  "-c, a file, -m, stdin, with their sys.argv and exit codes": async (env) => {
    const show = "import sys\nprint(sys.argv, __name__)";
    const files = { "/main.py": show, "/pkg/__init__.py": "", "/pkg/tool.py": show };
    const cases: [string[], string][] = [
      [["-c", show, "a", "-b"], "['-c', 'a', '-b'] __main__\n"],
      [["/main.py", "ä"], "['/main.py', 'ä'] __main__\n"],
      [["-m", "pkg.tool", "x"], "['/pkg/tool.py', 'x'] __main__\n"],
      [["-", "y"], "['-', 'y'] __main__\n"],
    ];
    for (const [args, expected] of cases) {
      // oxlint-disable-next-line no-await-in-loop
      const { out, exitCode, err } = await runPython(env, args, { files, stdin: show });
      assert.deepEqual([out, exitCode], [expected, 0], err);
    }
  },
  "SystemExit: numbers, text, nothing": async (env) => {
    for (const [program, code, text] of [
      ["raise SystemExit", 0, ""],
      ["import sys; sys.exit(7)", 7, ""],
      ["exit('goodbye')", 1, "goodbye\n"],
      ["import os; os._exit(9)", 9, ""],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { exitCode, err } = await runPython(env, program);
      assert.deepEqual([exitCode, err], [code, text]);
    }
  },
  "an uncaught exception shows the guest's own lines": async (env) => {
    const files = {
      "/main.py": "import helper\n\ndef go():\n    helper.fail(0)\n\ngo()\n",
      "/helper.py": "def fail(n):\n    return 1 / n\n",
    };
    const { exitCode, err } = await runPython(env, ["/main.py"], { files });
    assert.equal(exitCode, 1);
    assert.match(
      err,
      /^Traceback \(most recent call last\):\n {2}File "\/main.py", line 6, in <module>\n {4}go\(\)\n/,
    );
    assert.include(err, 'File "/helper.py", line 2, in fail\n    return 1 / n\n');
    assert.match(err, /ZeroDivisionError: division by zero\n$/);
  },
  "a syntax error points at its place": async (env) => {
    const { exitCode, err } = await runPython(env, ["/bad.py"], {
      files: { "/bad.py": "x = (\n" },
    });
    assert.equal(exitCode, 1);
    assert.match(
      err,
      /File "\/bad.py", line 1\n {4}x = \(\n {8}\^\nSyntaxError: '\(' was never closed/,
    );
  },
  "environment, PYTHONPATH, atexit and flushing at the end": async (env) => {
    const { out, err } = await runPython(
      env,
      "import atexit, os, mine, sys\natexit.register(print, 'bye')\nprint(os.environ['A'], mine.X, end='')\nsys.stderr.write('e')",
      { env: { A: "ü", PYTHONPATH: "/mods" }, files: { "/mods/mine.py": "X = 5" } },
    );
    assert.deepEqual([out, err], ["ü 5bye\n", "e"]);
  },
  "input() and sys.stdin, with an end of file": async (env) => {
    const { out, err } = await runPython(
      env,
      "import sys\nprint(input('? ').upper())\nprint(sys.stdin.read().split())\ntry: input()\nexcept EOFError: print('eof')",
      { stdin: "ada\none two\nthree" },
    );
    assert.equal(out, "? ADA\n['one', 'two', 'three']\neof\n", err);
  },
  "input() of a person, as it is typed": async (env) => {
    const sandbox = await env.sandbox();
    const run = sandbox.run({
      args: ["-u", "-c", "print('hi', input('name? '))"],
      stdin: "interactive",
    });
    const reader = run.stdout.getReader();
    let seen = "";
    while (!seen.includes("name? ")) {
      // oxlint-disable-next-line no-await-in-loop
      const { value, done } = await reader.read();
      if (done) break;
      seen += new TextDecoder().decode(value);
    }
    const writer = run.stdin!.getWriter();
    await writer.write("Ada\n");
    reader.releaseLock();
    const { stdoutText, stderrText } = await run.result;
    assert.equal(stdoutText, "name? hi Ada\n", stderrText);
  },
  "tools of the page, and what they refuse": async (env) => {
    const { out, err, calls } = await runPython(
      env,
      `from host import tools, ToolArgumentError
print(tools.lookup_region("EMEA")["region"])
try: tools.lookup_region(code=5)
except ToolArgumentError as error: print(error.kind)
print([t for t in dir(tools) if not t.startswith("_")])`,
      { tools: [lookup(env)] },
    );
    assert.equal(out, "region of EMEA\ninvalid_arguments\n['lookup_region']\n", err);
    assert.equal(calls.length, 2);
  },
  "a megabyte to a tool and back": async (env) => {
    const echo = env.api.tool({
      name: "echo",
      description: "Gives back",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
      execute: ({ text }) => text,
    });
    const { out, err } = await runPython(
      env,
      "from host import tools\ntext = 'é' * 450000\nprint(tools.echo(text=text) == text)",
      { tools: [echo] },
    );
    assert.equal(out, "True\n", err);
  },
  "HTTP through the page": async (env) => {
    const { out, err } = await runPython(
      env,
      `from host import http
answer = http.request("POST", "https://api.example.com/orders", json={"order": 1042})
print(answer.status, answer.json())
try: http.get("https://evil.example/")
except http.HttpError as error: print(error.kind)`,
      {
        network: { allow: ["api.example.com"] },
        http: { fetch: async () => new Response('{"status":"shipped"}') },
      },
    );
    assert.equal(out, "200 {'status': 'shipped'}\nhost_not_allowed\n", err);
  },
  "a run that is stopped ends at once: no KeyboardInterrupt, no finally, no atexit": async (
    env,
  ) => {
    const program = `import atexit, time
atexit.register(print, "at exit", flush=True)
try:
    print("begun", flush=True)
    time.sleep(60)
except BaseException as error: print(repr(error), flush=True)
finally: print("finally", flush=True)`;
    const sandbox = await env.sandbox();
    const run = sandbox.run({ args: ["-c", program] });
    await run.stdout.getReader().read();
    const before = performance.now();
    run.kill();
    const { status, stdoutText, stderrText } = await run.result;
    assert.isBelow(performance.now() - before, 1_000);
    assert.deepEqual([status, stdoutText, stderrText], ["killed", "begun\n", ""]);
    // A program's own is an exception like others.
    const own = await runPython(env, "try: raise KeyboardInterrupt\nfinally: print('finally')");
    assert.deepEqual([own.status, own.exitCode, own.out], ["exited", 130, "finally\n"]);
    assert.match(own.err, /KeyboardInterrupt\n$/);
  },
  "a limit ends a loop, and what was written before is there": async (env) => {
    const sandbox = await env.sandbox();
    const { status, stdoutText } = await sandbox.run({
      args: ["-u", "-c", "print('before')\nwhile True: pass"],
      limits: { timeoutMs: 2_000 },
    }).result;
    assert.deepEqual([status, stdoutText], ["timeout", "before\n"]);
  },
});

export const door = pythonCases(
  {
    "tools go over the import: no device is opened": async (env) => {
      const { out, err } = await runPython(
        env,
        "import _hostdoor\nfrom host import tools, _door\nprint(tools.lookup_region('A')['region'], _door._way is _hostdoor.call)",
        { tools: [lookup(env)] },
      );
      assert.equal(out, "region of A True\n", err);
    },
    "a raw door: bytes in, bytes out, and its failures": async (env) => {
      const program = `import _hostdoor
try: print(_hostdoor.call(b"ab"), len(_hostdoor.call(bytes(1000))), _hostdoor.call(memoryview(b"")))
except OSError as error: print(error)`;
      const back = await runPython(env, program, { door: (bytes) => bytes.slice().reverse() });
      assert.equal(back.out, "b'ba' 1000 b''\n", back.err);
      const failed = await runPython(env, program, {
        door: () => {
          throw new Error("no");
        },
      });
      assert.equal(failed.out, "the host failed (the door gave -2)\n", failed.err);
      assert.equal((await runPython(env, program)).out, "nobody serves the door\n");
    },
    "10,000 door calls leave no memory behind": async (env) => {
      const { out, err } = await runPython(
        env,
        "import _hostdoor\nfor _ in range(10000):\n    assert len(_hostdoor.call(bytes(5000))) == 5000\nprint('done')",
        { door: (bytes) => bytes },
      );
      assert.equal(out, "done\n", err);
    },
    "wheels in /packages: pure ones are found, native ones say why not": async (env) => {
      const { out, err } = await runPython(
        env,
        "import pure_thing\nprint(pure_thing.WHO)\nimport native_thing",
        {
          files: {
            "/packages/pure_thing-1.0-py3-none-any.whl": wheel(
              "pure_thing/__init__.py",
              "WHO = 'a wheel'\n",
            ),
            "/packages/native_thing-2.0-cp311-cp311-linux_x86_64.whl": wheel(
              "native_thing/core.so",
              "x",
            ),
          },
        },
      );
      assert.equal(out, "a wheel\n", err);
      assert.match(
        err,
        /ImportError: native_thing comes from \/packages\/native_thing-2.0.*native code/,
      );
    },
  },
  "the stock build has no import and no wheels folder",
);

/** A zip of one stored file, which is all that a wheel has to be to be imported. */
function wheel(name: string, text: string): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [path, body] = [encoder.encode(name), encoder.encode(text)];
  const crc = crc32(body);
  const bytes = new Uint8Array(30 + path.length + body.length + 46 + path.length + 22);
  const view = new DataView(bytes.buffer);
  const header = (at: number, signature: number, skip: number): void => {
    view.setUint32(at, signature, true);
    view.setUint16(at + 4, 20, true);
    view.setUint32(at + skip + 14, crc, true);
    view.setUint32(at + skip + 18, body.length, true);
    view.setUint32(at + skip + 22, body.length, true);
    view.setUint16(at + skip + 26, path.length, true);
  };
  header(0, 0x04034b50, 0);
  bytes.set(path, 30);
  bytes.set(body, 30 + path.length);
  const directory = 30 + path.length + body.length;
  header(directory, 0x02014b50, 2);
  bytes.set(path, directory + 46);
  const end = directory + 46 + path.length;
  view.setUint32(end, 0x06054b50, true);
  view.setUint16(end + 8, 1, true);
  view.setUint16(end + 10, 1, true);
  view.setUint32(end + 12, end - directory, true);
  view.setUint32(end + 16, directory, true);
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
