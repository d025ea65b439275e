// The C and AssemblyScript halves, through the real import, against the vectors of all halves; Node.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  comparableFrame,
  frameOf,
  halfVectors,
  outcomeOf,
  outcomeOfLine,
  vectorHost,
} from "./half-host.ts";
import { runGuest, type GuestOptions } from "./shim-host.ts";

const folder = new URL("../../guests/", import.meta.url);

describe.each(["door-echo", "door-echo-assemblyscript"])("%s", (name: string) => {
  const module = new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, folder)));
  const run = (options: GuestOptions) => runGuest(module, options);

  test.each(halfVectors)("$name", (vector) => {
    const { door, frames } = vectorHost([vector]);
    const { exitCode, stdout, stderr } = run({ args: ["echo", vector.args ?? "{}"], door });
    const line = exitCode === 0 ? `value ${stdout}` : `error ${stderr.replace(/\n$/, "")}`;
    expect(outcomeOfLine(line, vector)).toBe(outcomeOf(vector));
    expect(frames.map(comparableFrame)).toEqual([frameOf(vector)]);
  });

  test("lists the tools", () => {
    const tools = ["a", "b_2"].map((tool) => ({
      name: tool,
      description: "Grüße",
      inputSchema: {},
    }));
    const door = (request: Uint8Array) => {
      const { id } = JSON.parse(Buffer.from(request).toString()) as { id: number };
      return Buffer.from(JSON.stringify({ v: 1, id, ok: true, tools }));
    };
    expect(run({ door })).toEqual({ exitCode: 0, stdout: "a\nb_2\n", stderr: "" });
  });

  test("a closed door", () => {
    expect(run({})).toEqual({ exitCode: 1, stdout: "", stderr: "no_host: no host answers\n" });
  });

  test("a host that fails", () => {
    const door = () => {
      throw new Error("host down");
    };
    expect(run({ door })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "no_answer: the host failed\n",
    });
  });

  test("arguments that are no object are not sent", () => {
    const door = () => {
      throw new Error("sent");
    };
    for (const args of ["[]", "{", '{"a":1', '{"a":1} x', "5", ""]) {
      expect(run({ args: ["echo", args], door }).stderr).toMatch(/^not_sent: /);
    }
  });

  test("an answer of several megabytes", () => {
    const text = "x".repeat(5_000_000);
    const { door } = vectorHost([
      { name: "", answer: `{"v":1,"id":$ID,"ok":true,"value":"${text}"}` },
    ]);
    expect(run({ args: ["echo"], door }).stdout).toBe(`"${text}"\n`);
  });
});

describe("header and module", () => {
  const run = (name: string, options: GuestOptions) =>
    runGuest(new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, folder))), options);

  test("the C header's own checks", () => {
    const door = (request: Uint8Array) => {
      const { id, args } = JSON.parse(Buffer.from(request).toString()) as {
        id: number;
        args: { size: number };
      };
      return Buffer.from(JSON.stringify({ v: 1, id, ok: true, value: "x".repeat(args.size) }));
    };
    expect(run("c-header", { door })).toEqual({ exitCode: 0, stdout: "checked 69\n", stderr: "" });
  });

  test.each([
    { name: "http-get", status: "201", rest: { method: "GET" } },
    { name: "http-get-assemblyscript", status: "201.5", rest: { timeout_ms: 1500 } },
  ])("$name", ({ name, status, rest }) => {
    const requests: unknown[] = [];
    const http = (request: Uint8Array) => {
      requests.push(JSON.parse(Buffer.from(request).toString()));
      const body = { type: "inline", text: "Grüße" };
      return Buffer.from(
        JSON.stringify({ ok: { status: 201, headers: { "content-type": "text/plain" }, body } }),
      );
    };
    const url = 'https://api.example.com/a?b="c"';
    expect(run(name, { args: [url, "x-note", "é"], http })).toEqual({
      exitCode: 0,
      stdout: `${status}\ntext/plain\nGrüße\n`,
      stderr: "",
    });
    expect(requests).toEqual([{ url, headers: { "x-note": "é" }, ...rest }]);
    const refuse = () => Buffer.from('{"error":{"kind":"host_not_allowed","message":"not there"}}');
    expect(run(name, { args: [url], http: refuse })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "host_not_allowed: not there\n",
    });
  });

  test.each(["http-get", "http-get-assemblyscript"])("%s imports no door", (name: string) => {
    const module = new WebAssembly.Module(readFileSync(new URL(`${name}.wasm`, folder)));
    const from = new Set(WebAssembly.Module.imports(module).map((entry) => entry.module));
    expect([...from].toSorted()).toEqual(["subako_http", "wasi_snapshot_preview1"]);
  });
});
