// The conformance vectors of tool protocol v1 against our host; Node.

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createToolDoor } from "../../src/door/create-tool-door.ts";
import { tool } from "../../src/tools/tool.ts";
import { ToolDenied, ToolError } from "../../src/tools/tool-error.ts";
import { readVectors } from "./read-vectors.ts";
import { runVector } from "./run-vector.ts";

const folder = new URL("tool-protocol/", import.meta.url);
const host = { tool, createToolDoor, ToolError, ToolDenied };
const texts = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => [name, readFileSync(new URL(name, folder), "utf8")] as const);
const files = readVectors(Object.fromEntries(texts));

for (const [file, vectors] of Object.entries(files)) {
  describe(file, () => {
    test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", async (_, vector) => {
      expect(await runVector(host, vector)).toEqual([]);
    });
  });
}

test("there are enough vectors, and no two of one name in a file", () => {
  const all = Object.values(files);
  expect(all.flat().length).toBeGreaterThanOrEqual(300);
  for (const vectors of all) {
    const names = vectors.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});

test("a vector that is wrong is found to be wrong", async () => {
  const echo = { name: "echo", description: "", does: { echo: true } } as const;
  const request = '{"v":1,"id":1,"op":"call","tool":"echo","args":{}}';
  const base = { name: "x", source: "x", tools: [echo], request };
  const ok = { v: 1, id: 1, ok: true, value: {} };
  expect(await runVector(host, { ...base, answer: ok })).toEqual([]);
  expect(await runVector(host, { ...base, answer: { ...ok, id: 2 } })).toHaveLength(1);
  expect(await runVector(host, { ...base, answer: { ...ok, value: [] } })).toHaveLength(1);
  const denied = { v: 1, id: 1, ok: false, error: { kind: "denied" } };
  expect(await runVector(host, { ...base, answer: denied })).toHaveLength(1);
  const gate = { raise: "ToolDenied", message: "no" } as const;
  const wrong = { ...base, gate, answer: denied, message: { is: "yes" } };
  expect(await runVector(host, wrong)).toHaveLength(1);
  expect(await runVector(host, { ...base, refused: {} })).toHaveLength(1);
});
