// Frames of a megabyte made to be slow: judged, checked and answered in a time that no quadratic step would keep; Node.

import { expect, test } from "vitest";
import { createToolDoor } from "../../../src/door/create-tool-door.ts";
import { tool } from "../../../src/tools/tool.ts";
import { hostileFrames } from "../../bench/hostile-frames.ts";

/** A quadratic step takes minutes for a megabyte; a busy machine takes a second. */
const LIMIT_MS = 5_000;

const t = tool({
  name: "t",
  description: "",
  inputSchema: {
    type: "object",
    additionalProperties: {
      anyOf: [
        { type: "string", contentEncoding: "base64", maxLength: 10 },
        { type: "object", minProperties: 2, additionalProperties: { type: "null" } },
        { uniqueItems: true, maxItems: 10, items: { $ref: "#/$defs/any" } },
      ],
    },
    $defs: {
      any: {
        oneOf: [{ type: "array", items: { $ref: "#/$defs/any" } }, { enum: [[1], { a: 1 }, "x"] }],
      },
    },
  },
  execute: (args) => args,
});
const unique = tool({
  name: "unique",
  description: "",
  inputSchema: { type: "object", properties: { a: { uniqueItems: true } } },
  execute: () => true,
});

test.each(Object.entries(hostileFrames))("%s", async (_, make) => {
  const frame = make(2 ** 20);
  const start = performance.now();
  const answer = await createToolDoor([t]).call(frame);
  expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  const { ok, error } = JSON.parse(new TextDecoder().decode(answer));
  expect(ok ? "ok" : error.kind).toMatch(/^(?:ok|protocol|invalid_arguments)$/);
});

test.each<[string, (i: number) => string, boolean]>([
  ["integers", (i) => `${i}`, true],
  ["integers, the last one twice", (i) => `${Math.min(i, 9_999)}`, false],
  ["whole floats", (i) => `${i}.0`, true],
  ["text", (i) => `"t${i}"`, true],
  ["arrays", (i) => `[[${i}],{"a":${i}}]`, true],
  ["large integers", (i) => `${10n ** 40n + BigInt(i)}`, true],
])("uniqueItems over ten thousand %s", async (_, item, fits) => {
  const items = Array.from({ length: 10_001 }, (__, i) => item(i)).join(",");
  const frame = `{"v":1,"id":1,"op":"call","tool":"unique","args":{"a":[${items}]}}`;
  const start = performance.now();
  const answer = await createToolDoor([unique]).call(new TextEncoder().encode(frame));
  expect(performance.now() - start).toBeLessThan(LIMIT_MS);
  expect(JSON.parse(new TextDecoder().decode(answer)).ok).toBe(fits);
});
