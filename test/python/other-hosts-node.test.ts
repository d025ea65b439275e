// Our build as a reactor, and in Node's own WASI: it asks for nothing but WASI and one function; Node.

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import type * as Sallyport from "../../src/index.ts";
import { PYTHON } from "./builds.ts";

const reactor = PYTHON.own.replace("python.wasm", "python-reactor.wasm");
const there = existsSync(PYTHON.own) && existsSync(reactor);

describe.skipIf(!there)("our own Python", () => {
  test("imports WASI and the door, and exports what its kind needs", () => {
    const names = (file: string): string[] =>
      WebAssembly.Module.exports(new WebAssembly.Module(readFileSync(file)))
        .map(({ name }) => name)
        .toSorted((a, b) => (a < b ? -1 : 1));
    const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(PYTHON.own)));
    expect(new Set(imports.map(({ module }) => module))).toEqual(
      new Set(["host", "wasi_snapshot_preview1"]),
    );
    expect(imports.filter(({ module }) => module === "host").map(({ name }) => name)).toEqual([
      "call",
    ]);
    expect(names(PYTHON.own)).toEqual([
      "__stack_pointer",
      "_start",
      "host_alloc",
      "memory",
      "snapshot_init",
      "snapshot_run",
    ]);
    expect(names(reactor)).toEqual(["_initialize", "host_alloc", "memory", "run"]);
  });

  test(
    "as a reactor: the command line, the exit code as a value, the door",
    { timeout: 60_000 },
    async () => {
      const api = (await import(
        new URL("../../dist/node.js", import.meta.url).href
      )) as typeof Sallyport;
      const sandbox = await api.createSandbox({ module: pathToFileURL(reactor) });
      const { status, exitCode, stdoutText } = await sandbox.run({
        args: [
          "-c",
          "import sys, _hostdoor\nprint(_hostdoor.call(b'ab'), sys.argv)\nraise SystemExit(3)",
          "x",
        ],
        door: (bytes) => bytes.slice().reverse(),
      }).result;
      expect([status, exitCode, stdoutText]).toEqual(["exited", 3, "b'ba' ['-c', 'x']\n"]);
      sandbox.close();
    },
  );

  test("in Node's own WASI", { timeout: 60_000 }, async () => {
    const script = `
      const { WASI } = require("node:wasi");
      const wasi = new WASI({ version: "preview1", args: ["python", "-c", "import json, sqlite3; print(json.dumps([1]))"] });
      const module = new WebAssembly.Module(require("node:fs").readFileSync(${JSON.stringify(PYTHON.own)}));
      const imports = { ...wasi.getImportObject(), host: { call: () => -1 } };
      process.exitCode = wasi.start(new WebAssembly.Instance(module, imports));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", "-e", script]);
    expect(stdout).toBe("[1]\n");
  });
});
