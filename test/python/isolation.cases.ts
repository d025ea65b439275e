// Nothing of one run is seen by the next, whatever the first one did; most of all where both start from one snapshot; page and Node.

import { assert } from "chai";
import type { SandboxOptions } from "../../src/index.ts";
import { pythonCases, runPython, type PythonEnv } from "./python-case.ts";

type SnapshotOptions = NonNullable<SandboxOptions["snapshot"]>;

/** A program that leaves traces, and one that looks for them and says what it found. */
function noTrace(leave: string, look: string, clean: string) {
  return async (env: PythonEnv): Promise<void> => {
    const before = await runPython(env, look);
    assert.equal(before.out, clean, before.err);
    const left = await runPython(env, leave, { env: { CANARY: "x" }, files: { "/c.txt": "c" } });
    assert.equal(left.out, "left\n", left.err);
    const after = await runPython(env, look);
    assert.equal(after.out, clean, after.err);
  };
}

const OWN_ONLY = [
  "open descriptors",
  "a run that was killed, that crashed, that ran out of time or memory",
];

export const isolation = pythonCases({
  "globals, modules, builtins, interned state": noTrace(
    `import builtins, json, sys, random
global_canary = 1
builtins.canary = 1; json.canary = 1; sys.canary = 1; sys.path.append("/canary")
sys.modules["canary"] = sys; sys.setrecursionlimit(500)
json.dumps = None; random.random = None
list_type = type([]); sys.stdout.write("left\\n"); sys.flags_canary = 1
builtins.print = None; sys.excepthook = None; builtins.__import__ = None`,
    `import builtins, json, random, sys
print("global_canary" in globals(), hasattr(builtins, "canary"), hasattr(json, "canary"), hasattr(sys, "canary"), "/canary" in sys.path, "canary" in sys.modules, sys.getrecursionlimit(), json.dumps(1), 0 <= random.random() < 1)`,
    "False False False False False False 1000 1 True\n",
  ),
  "files, working folder, environment, arguments": noTrace(
    `import os, tempfile
os.makedirs("/tmp/x"); open("/tmp/x/canary", "w").write("c"); os.chdir("/tmp/x")
os.environ["LEFT"] = "1"; os.putenv("LEFT2", "1"); tempfile.tempdir = "/tmp/x"
print("left")`,
    `import os, sys
print(sorted(n for n in os.listdir("/") if n not in ("dev", "lib")), os.getcwd(), [k for k in ("CANARY", "LEFT", "LEFT2") if k in os.environ or os.getenv(k)], sys.argv)`,
    "[] / [] ['-c']\n",
  ),
  "open descriptors": noTrace(
    `import os
os.makedirs("/tmp")
kept = [os.open(f"/tmp/{n}", os.O_CREAT | os.O_RDWR) for n in range(40)]
print("left")
os._exit(0) if False else None`.replace("\nos._exit(0) if False else None", ""),
    `import os
def alive(fd):
    try: os.fstat(fd); return True
    except OSError: return False
open_now = [fd for fd in range(3, 60) if alive(fd)]
fd = os.open("/probe", os.O_CREAT | os.O_RDWR)
print(len(open_now) < 6, fd <= max(open_now) + 1)`,
    "True True\n",
  ),
  "a run that was killed, that crashed, that ran out of time or memory": async (env) => {
    const sandbox = await env.sandbox();
    const look = "import sys\nprint('fine', hasattr(sys, 'canary'))";
    const ends: string[] = [];
    for (const program of [
      "import sys, os; sys.canary = 1; os.abort()",
      "import sys; sys.canary = 1\nwhile True: pass",
      "import sys; sys.canary = 1\nx = bytearray(60 << 20)\nprint(len(x))",
      "import sys; sys.canary = 1\nx = []\nwhile True: x.append(bytearray(1 << 20))",
      "import sys; sys.canary = 1\ndef f(n):\n    if n == 0:\n        import os; os._exit(5)\n    sorted([1], key=lambda _: f(n - 1))\nf(100)",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const result = await sandbox.run({ args: ["-c", program], limits: { timeoutMs: 3_000 } })
        .result;
      ends.push(`${result.status} ${result.exitCode ?? ""}`.trim());
      // oxlint-disable-next-line no-await-in-loop
      const { out, err } = await runPython(env, look);
      assert.equal(out, "fine False\n", `${program}\n${err}`);
    }
    assert.deepEqual(ends, ["trapped", "timeout", "exited 0", "exited 1", "exited 5"]);
  },
  "what is random differs from run to run; what a program seeds does not": async (env) => {
    const program = `import os, random, secrets, tempfile, uuid
print(random.random())
print(random.getrandbits(64))
print(random.gauss(0, 1))
print(hash(random.getstate()[1][:9]))
print(random.Random().random())
print(random.sample(range(10 ** 9), 3))
print(secrets.token_hex(8))
print(os.urandom(8).hex())
print(uuid.uuid4())
print(tempfile.mktemp())
random.seed(42); print(random.random(), random.Random(7).random())`;
    const lines: string[][] = [];
    for (let at = 0; at < 3; at += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const { out, err } = await runPython(env, program);
      lines.push(out.trim().split("\n"));
      assert.equal(lines.at(-1)!.length, 11, err);
    }
    for (let at = 0; at < 10; at += 1) {
      const values = new Set(lines.map((run) => run[at]));
      assert.equal(values.size, 3, `line ${at + 1}: ${[...values].join(" ")}`);
    }
    assert.deepEqual(
      lines.map((run) => run[10]),
      Array(3).fill("0.6394267984578837 0.32383276483316237"),
    );
  },
  "300 runs that leave from deep inside": async (env) => {
    if (env.build === "stock") return;
    const program =
      "import os\ndef f(n):\n    if n == 0: os._exit(3)\n    sorted([1], key=lambda _: f(n - 1))\nf(60)";
    for (let at = 0; at < 300; at += 1) {
      // oxlint-disable-next-line no-await-in-loop
      assert.equal((await runPython(env, program)).exitCode, 3);
    }
    assert.equal((await runPython(env, "print(sum(range(10)))")).out, "45\n");
  },
}).map((entry) =>
  OWN_ONLY.includes(entry.name)
    ? {
        ...entry,
        skip: (build: string) =>
          build === "stock" ? "its descriptors and its ends are others" : undefined,
      }
    : entry,
);

/** They make sandboxes of their own, of the whole Python. */
const OWN_SANDBOX = [
  "an image is stored, and fits nothing but what it was made of",
  "an image is kept for the next visit",
  "an init that fails says why",
];

export const snapshotOnly = pythonCases(
  {
    "mounts, files and tools may change from run to run": async (env) => {
      const { image, memory } = env.api;
      // What comes with the core lies in /lib.
      const show =
        "import os\nprint(sorted(n for n in os.listdir('/') if n != 'lib'), open('/m/a').read())";
      const one = await runPython(env, show, { mounts: { "/m": memory({ a: "1" }) } });
      const two = await runPython(env, show, {
        mounts: { "/m": image({ a: "2" }) },
        files: { "/f": "" },
      });
      assert.deepEqual([one.out, two.out], ["['m'] 1\n", "['f', 'm'] 2\n"], one.err + two.err);
      const changed = await runPython(
        env,
        "open('/m/b', 'w').write('new')\nopen('/g', 'w').write('g')",
        {
          mounts: { "/m": memory({ a: "1" }) },
        },
      );
      assert.deepEqual(Object.keys(changed.files!).toSorted(), ["/g", "/m/b"], changed.err);
    },
    "code written by a run is found by its imports": async (env) => {
      const { out, err } = await runPython(
        env,
        "import sys\nopen('/fresh.py', 'w').write('X = 7')\nimport fresh\nprint(fresh.X)",
      );
      assert.equal(out, "7\n", err);
    },
    "an image is stored, and fits nothing but what it was made of": async (env) => {
      const spec = { init: "snapshot_init", run: "snapshot_run", args: ["json"] };
      const seedOf = async (snapshot: SnapshotOptions): Promise<string> => {
        const sandbox = await env.api.createSandbox({ module: env.module, snapshot });
        const { stdoutText } = await sandbox.run({ args: ["-c", "print(hash('a'))"] }).result;
        sandbox.close();
        return stdoutText;
      };
      const first = await env.api.createSandbox({ module: env.module, snapshot: spec });
      const image = (await first.snapshotImage())!;
      const { stdoutText } = await first.run({ args: ["-c", "print(hash('a'))"] }).result;
      first.close();
      assert.isBelow(image.length, 2 ** 21);
      assert.equal(await seedOf({ ...spec, image }), stdoutText);
      assert.notEqual(await seedOf(spec), stdoutText);
      const damaged = image.slice(0, -20);
      for (const [options, bytes] of [
        [{ ...spec, args: [] }, image],
        [spec, damaged],
        [spec, new Uint8Array(9)],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop
        const error = await seedOf({ ...options, image: bytes }).catch((reason: Error) => reason);
        assert.propertyVal(error, "code", "bad_snapshot");
      }
    },
    "an image is kept for the next visit": async (env) => {
      if (!("caches" in globalThis)) return;
      const spec = { init: "snapshot_init", run: "snapshot_run", args: ["re"], cache: true };
      const seeds: string[] = [];
      for (let visit = 0; visit < 2; visit += 1) {
        // oxlint-disable-next-line no-await-in-loop
        const sandbox = await env.api.createSandbox({ module: env.module, snapshot: spec });
        // oxlint-disable-next-line no-await-in-loop
        seeds.push((await sandbox.run({ args: ["-c", "print(hash('a'))"] }).result).stdoutText);
        sandbox.close();
        // It is stored behind the first sandbox's back.
        for (let tries = 0; tries < 100; tries += 1) {
          // oxlint-disable-next-line no-await-in-loop
          const entries = await (await caches.open("sallyport-snapshots")).keys();
          if (entries.length > 0) break;
          // oxlint-disable-next-line no-await-in-loop
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
      assert.equal(seeds[1], seeds[0]);
    },
    "an init that fails says why": async (env) => {
      const error = await env.api
        .createSandbox({
          module: env.module,
          snapshot: { init: "snapshot_init", run: "snapshot_run", args: ["no_such_module"] },
        })
        .catch((reason: Error) => reason);
      assert.propertyVal(error, "code", "bad_snapshot");
      assert.match((error as Error).message, /No module named 'no_such_module'/);
    },
    "an uncaught exception of -c shows the program's own lines, and no others": async (env) => {
      const program = `def fail(n):
    return 1 / n

def go():
    try:
        fail(0)
    except ZeroDivisionError as error:
        exec("\\n\\nraise ValueError('x') from error")

exec("# not this line\\ngo()")`;
      const { exitCode, out, err } = await runPython(env, program);
      assert.deepEqual([exitCode, out], [1, ""]);
      assert.equal(
        err,
        `Traceback (most recent call last):
  File "<string>", line 6, in go
    fail(0)
  File "<string>", line 2, in fail
    return 1 / n
           ~~^~~
ZeroDivisionError: division by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<string>", line 10, in <module>
    exec("# not this line\\ngo()")
  File "<string>", line 2, in <module>
  File "<string>", line 8, in go
    exec("\\n\\nraise ValueError('x') from error")
  File "<string>", line 3, in <module>
ValueError: x
`,
      );
      const hooked = await runPython(
        env,
        "import sys\nsys.excepthook = lambda kind, *_: print(kind.__name__)\n1 / 0",
      );
      assert.deepEqual([hooked.exitCode, hooked.out, hooked.err], [1, "ZeroDivisionError\n", ""]);
    },
    "the package host need not be compiled, unless its text is another": async (env) => {
      const program = `import _host_half, _imp, os
from importlib.machinery import SourceFileLoader
root = "/lib/sallyport/python/host/"
texts = {root + name: open(root + name, "rb").read() for name in os.listdir(root) if name.endswith(".py")}
known = {path: digest for path, (digest, _) in _host_half.COMPILED.items()}
print(known == {path: _imp.source_hash(0, text) for path, text in texts.items()}, len(known) > 5)
for path, text in texts.items():
    loader = SourceFileLoader("host", path)
    assert loader.source_to_code(text, path) == compile(text, path, "exec"), path
    assert loader.source_to_code(b"other = 1", path).co_names == ("other",)`;
      const { out, err } = await runPython(env, program, { door: (bytes) => bytes });
      assert.equal(out, "True True\n", err);
    },
    "what a started interpreter cannot do is said": async (env) => {
      const { exitCode, err } = await runPython(env, ["-O", "-c", "pass"]);
      assert.equal(exitCode, 2);
      assert.match(err, /-O \(optimization\) cannot be given to a started interpreter/);
    },
    "PYTHONUNBUFFERED, -B, -W and an entry of one's own": async (env) => {
      const { out, err } = await runPython(
        env,
        [
          "-W",
          "error::UserWarning",
          "-B",
          "-c",
          "import sys, warnings\nprint(sys.dont_write_bytecode)\nwarnings.warn('w')",
        ],
        { env: { PYTHONUNBUFFERED: "1" } },
      );
      assert.equal(out, "True\n");
      assert.match(err, /UserWarning: w/);
      const sandbox = await env.sandbox();
      const refused = await sandbox.run({ entry: "_start" }).result.catch((error: Error) => error);
      assert.propertyVal(refused, "code", "bad_option");
    },
  },
  "only where runs start from a snapshot",
).map((entry) => ({
  ...entry,
  skip: (build: string) =>
    build === "snapshot" || (build === "shipped" && !OWN_SANDBOX.includes(entry.name))
      ? undefined
      : "only where runs start from a snapshot",
}));
