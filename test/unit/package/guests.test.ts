// The packages that we wrote, with each kit: discover, list and call in Node's own WASI, one request on stdin; Node.

import { mkdirSync, mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WASI } from "node:wasi";
import wabtFactory from "wabt";
import { describe, expect, test } from "vitest";
import { decodeBase64 } from "../../../src/package/base64.ts";
import { imageFacts } from "../../../src/package/image-kind.ts";
import { inspectModule } from "../../../src/package/inspect-module.ts";
import { RequestMaker, type Request } from "../../../src/package/requests.ts";
import { readTools } from "../../../src/package/tool-listing.ts";

const root = new URL("../../../", import.meta.url);
const PACKAGES = ["greet", "smallest", "chart", "misbehave", "todo", "skills"];
const maker = new RequestMaker({ name: "test", version: "1" });
const wasm = (name: string) => readFileSync(new URL(`test/guests/packages/${name}.wasm`, root));

async function stub(): Promise<WebAssembly.Exports> {
  const wabt = await wabtFactory();
  const text = readFileSync(new URL("guests/subako_http_stub.wat", root), "utf8");
  const module = wabt.parseWat("stub.wat", text);
  const { buffer } = module.toBinary({});
  module.destroy();
  return new WebAssembly.Instance(new WebAssembly.Module(buffer as BufferSource)).exports;
}

/** A folder for the preopens of a package. */
function place(): { readonly folder: string; readonly preopens: Record<string, string> } {
  const folder = mkdtempSync(join(tmpdir(), "package-"));
  const preopens: Record<string, string> = {};
  for (const name of ["volume/tmp", "volume/data", "package", "skills"]) {
    mkdirSync(join(folder, name), { recursive: true });
    preopens[`/${name}`] = join(folder, name);
  }
  return { folder, preopens };
}

interface Answer {
  readonly id: string;
  readonly result: Record<string, unknown> & {
    readonly content: { type: string; text?: string }[];
  };
}

/** Runs a package with its requests on stdin, one line each; every line on stdout is an answer. */
async function ask(
  name: string,
  requests: readonly (Request | string)[],
  preopens = place().preopens,
): Promise<Answer[]> {
  const folder = mkdtempSync(join(tmpdir(), "ask-"));
  const lines = requests.map((one) =>
    typeof one === "string" ? one : new TextDecoder().decode(one.line),
  );
  writeFileSync(join(folder, "in"), lines.join(""));
  const stdout = openSync(join(folder, "out"), "w");
  const wasi = new WASI({
    version: "preview1",
    args: [name],
    env: { NODE: "node" }, // Node's WASI fails with no variables at all
    preopens,
    stdin: openSync(join(folder, "in"), "r"),
    stdout,
    returnOnExit: true,
  });
  const imports = { ...(wasi.getImportObject() as WebAssembly.Imports), subako_http: await stub() };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(wasm(name)), imports);
  expect(wasi.start(instance)).toBe(0);
  const text = readFileSync(join(folder, "out"), "utf8");
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Answer);
}

async function call(
  name: string,
  tool: string,
  args: object,
  preopens?: Record<string, string>,
): Promise<Answer["result"]> {
  const [answer] = await ask(name, [maker.callTool(tool, args)], preopens);
  return answer!.result;
}

describe.each(PACKAGES)("%s", (name) => {
  test("is a package", async () => {
    expect((await inspectModule(wasm(name))).problems).toEqual([]);
  });

  test("answers server/discover and tools/list, echoing ids, and ends with code 0", async () => {
    const requests = [maker.discover(), maker.listTools()];
    const note = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}\n';
    const answers = await ask(name, [requests[0]!, note, requests[1]!]);
    expect(answers.map(({ id }) => id)).toEqual(requests.map(({ id }) => id));
    expect(answers[0]!.result).toMatchObject({
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
    });
    expect(readTools(answers[1]!.result["tools"] as unknown[]).length).toBeGreaterThan(0);
  });
});

describe.each(PACKAGES.filter((name) => name !== "misbehave"))("%s", (name) => {
  test.each([["7"], ['"text"'], ['"\\u00fc \\ud83d\\ude00"']])("echoes the id %s", async (id) => {
    const line = `{"jsonrpc":"2.0","id":${id},"method":"server/discover","params":{}}\n`;
    expect((await ask(name, [line]))[0]!.id).toEqual(JSON.parse(id));
  });

  test("says what it cannot answer as a JSON-RPC error", async () => {
    const lines = [
      "no JSON\n",
      '{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}\n',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"no_such_tool"}}\n',
    ];
    const answers = (await ask(name, lines)) as unknown as {
      id: unknown;
      error: { code: number };
    }[];
    expect(answers.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32700],
      [1, -32601],
      [2, -32602],
    ]);
  });
});

describe("calls", () => {
  test("greet (C)", async () => {
    expect(await call("greet", "greet", { name: 'Ada "Ü" 😀\n' })).toMatchObject({
      content: [{ type: "text", text: 'Hello, Ada "Ü" 😀\n!' }],
      structuredContent: { message: 'Hello, Ada "Ü" 😀\n!' },
    });
    for (const args of [{}, { name: "" }, { name: 7 }, { name: "x".repeat(200) }]) {
      expect(await call("greet", "greet", args)).toMatchObject({ isError: true });
    }
    expect((await call("greet", "greet", { name: "x".repeat(199) }))["isError"]).toBeUndefined();
  });

  test("smallest (C): the example of the page for authors, as it stands there", async () => {
    const read = (path: string): string => readFileSync(new URL(path, root), "utf8");
    const source = read("test/guests/source/packages/smallest.c");
    const shown = read("docs/package-authors.md").match(/```c\n([\s\S]*?)```/)![1]!;
    expect(source.slice(source.indexOf("\n") + 1)).toBe(shown);
    expect(await call("smallest", "greet", { name: "Ada" })).toMatchObject({
      content: [{ type: "text", text: "Ada" }],
    });
    expect(await call("smallest", "greet", { name: "" })).toMatchObject({ isError: true });
  });

  test("the exchanges of the page for authors, as they stand there", async () => {
    const page = readFileSync(new URL("docs/package-authors.md", root), "utf8");
    const [request, answer] = page.match(/```json\n(.*)\n(.*)\n```/)!.slice(1) as [string, string];
    expect((await ask("greet", [`${request}\n`]))[0]).toMatchObject(JSON.parse(answer) as object);
    const printed = page.match(/printf '%s\\n' '(.*)' \|/)![1]!;
    expect((await ask("greet", [`${printed}\n`]))[0]).toMatchObject({
      id: 1,
      result: { content: [{ text: "Hello, Ada!" }] },
    });
  });

  test("chart (C): a PNG in /volume/tmp and a link to it, colors from /package", async () => {
    const { folder, preopens } = place();
    const drawn = await call("chart", "bar_chart", { values: [1, 2.5, 0], title: "Ü" }, preopens);
    expect(drawn.content).toEqual([
      { type: "text", text: "Ü" },
      { type: "resource_link", uri: "volume:///tmp/chart.png", name: "chart.png" },
    ]);
    const file = join(folder, "volume/tmp/chart.png");
    const first = readFileSync(file);
    expect(imageFacts(first)).toEqual({ mimeType: "image/png", width: 320, height: 200 });
    writeFileSync(join(folder, "package/colors.txt"), "ff0000\n00ff00\n");
    await call("chart", "bar_chart", { values: [1, 2.5, 0] }, preopens);
    expect(readFileSync(file)).not.toEqual(first);
    for (const values of [[], [-1], ["1"], Array(33).fill(1), undefined]) {
      expect(await call("chart", "bar_chart", { values }, preopens)).toMatchObject({
        isError: true,
      });
    }
    expect(
      (await call("chart", "bar_chart", { values: Array(32).fill(0) }, preopens)).content,
    ).toHaveLength(2);
  });

  test("chart (C): an image inside the result", async () => {
    const { content } = await call("chart", "swatch", { color: "2f6fde" });
    const [block] = content as unknown as { mimeType: string; data: string }[];
    expect(imageFacts(decodeBase64(block!.data)!)).toEqual({
      mimeType: "image/png",
      width: 16,
      height: 16,
    });
    expect(await call("chart", "swatch", { color: "red" })).toMatchObject({ isError: true });
  });

  test("todo (AssemblyScript): a list that lasts, and a result that says when it cannot", async () => {
    const { preopens } = place();
    await call("todo", "add", { text: "water the plants" }, preopens);
    expect(await call("todo", "add", { text: "«ü» 😀" }, preopens)).toMatchObject({
      content: [{ type: "text", text: "1. water the plants\n2. «ü» 😀" }],
      structuredContent: { items: ["water the plants", "«ü» 😀"] },
    });
    await call("todo", "done", { number: 1 }, preopens);
    expect(await call("todo", "list", {}, preopens)).toMatchObject({
      structuredContent: { items: ["«ü» 😀"] },
    });
    expect(await call("todo", "done", { number: 2 }, preopens)).toMatchObject({ isError: true });
    expect(await call("todo", "add", { text: " " }, preopens)).toMatchObject({ isError: true });
    const { "/volume/data": _, ...without } = preopens;
    expect(await call("todo", "add", { text: "a" }, without)).toMatchObject({ isError: true });
    expect(await call("todo", "list", {}, without)).toMatchObject({
      structuredContent: { items: [] },
    });
  });

  test("skills (Rust): lists and reads /skills", async () => {
    const { folder, preopens } = place();
    mkdirSync(join(folder, "skills/tea"));
    writeFileSync(join(folder, "skills/tea/SKILL.md"), "# Make tea\n\nBoil water.\n");
    writeFileSync(join(folder, "skills/tea/more.md"), "More ü");
    expect(await call("skills", "list_skills", {}, preopens)).toMatchObject({
      content: [{ type: "text", text: "tea: Make tea" }],
      structuredContent: { skills: [{ name: "tea", about: "Make tea" }] },
    });
    expect(
      (await call("skills", "read_skill", { name: "tea", file: "more.md" }, preopens)).content,
    ).toEqual([{ type: "text", text: "More ü" }]);
    for (const args of [{}, { name: "gone" }, { name: "../x" }, { name: 7 }]) {
      expect(await call("skills", "read_skill", args, preopens)).toMatchObject({ isError: true });
    }
  });

  test("a request that is longer than any buffer, in one line", async () => {
    const name = "y".repeat(300_000);
    for (const [which, tool] of [
      ["greet", "greet"],
      ["todo", "add"],
      ["skills", "read_skill"],
    ] as const) {
      const { content } = await call(which, tool, { name, text: name });
      expect(content).toHaveLength(1);
    }
  });
});

describe("the stub of subako_http", () => {
  test("every request fails, and the package can say so", async () => {
    const answer = await call("misbehave", "act", { how: "http", text: '{"url":"https://a.b/"}' });
    expect(answer.content).toEqual([{ type: "text", text: "-1" }]);
  });
});
