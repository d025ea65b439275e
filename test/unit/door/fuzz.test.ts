// Ten thousand seeded frames: one verdict from both parsers, and never an exception, a hang or a changed prototype; Node.

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { createToolDoor } from "../../../src/door/create-tool-door.ts";
import { parseFrame, type ParsedFrame } from "../../../src/door/parse-frame.ts";
import { scanFrame } from "../../../src/door/scan.ts";
import { JsonProblem, parseStrictJson } from "../../../src/schema/strict-json.ts";
import { tool } from "../../../src/tools/tool.ts";
import { RandomFrames } from "./random-frames.ts";

const FRAMES = 10_000;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function strictly(text: string): ReturnType<typeof parseStrictJson> | undefined {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (error instanceof JsonProblem) return undefined;
    throw error;
  }
}

function leniently(bytes: Uint8Array): ParsedFrame | undefined {
  try {
    return parseFrame(bytes);
  } catch (error) {
    if (error instanceof JsonProblem) return undefined;
    throw error;
  }
}

/** Depth and colons outside strings, counted the plain way. */
function outsideStrings(text: string): { depth: number; colons: number } {
  let [depth, deepest, colons, inString] = [0, 0, 0, false];
  for (let i = 0; i < text.length; i++) {
    if (inString && text[i] === "\\") i++;
    else if (text[i] === '"') inString = !inString;
    else if (inString) continue;
    else if (text[i] === "{" || text[i] === "[") deepest = Math.max(deepest, ++depth);
    else if (text[i] === "}" || text[i] === "]") depth--;
    else if (text[i] === ":") colons++;
  }
  return { depth: deepest, colons };
}

/** The text of a frame that the strict parser may judge; undefined where rule 2 or 3 has the last word. */
function textOf(bytes: Uint8Array): string | undefined {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return undefined;
  }
  if (text.startsWith("\ufeff") || text.slice(0, 2).includes("\0")) return undefined;
  return outsideStrings(text).depth > 64 ? undefined : text;
}

describe("the quick parser and the strict one", () => {
  test.each([1, 2])("give one verdict and one value, seed %i", (seed) => {
    const random = new RandomFrames(seed);
    const seen = { quick: 0, exact: 0, refused: 0 };
    for (let i = 0; i < FRAMES; i++) {
      const bytes = i % 2 === 0 ? new TextEncoder().encode(random.frame()) : random.mutated();
      const text = textOf(bytes);
      const frame = leniently(bytes);
      const strict = text === undefined ? undefined : strictly(text);
      const same =
        isDeepStrictEqual(frame?.value, strict?.value) &&
        (frame?.loneSurrogate === undefined) === (strict?.loneSurrogate === undefined);
      expect([text, same]).toEqual([text, true]);
      if (strict !== undefined) {
        expect([text, scanFrame(bytes).colons]).toEqual([text, outsideStrings(text ?? "").colons]);
      }
      if (strict === undefined) seen.refused++;
      else seen[scanFrame(bytes).exactNumbers ? "exact" : "quick"]++;
      // What says that it has no whole floats must have none: they would reach the tool as objects.
      if (frame?.wholeFloats === false) expect(strict?.wholeFloats).toBe(false);
    }
    // Each way must have been gone often enough to mean something.
    expect(Math.min(seen.quick, seen.exact, seen.refused)).toBeGreaterThan(FRAMES / 20);
  });
});

const PROTOTYPES = [Object, Array, Function, String, Number, Uint8Array, Promise, Map].map(
  (constructor) => constructor.prototype as object,
);
const shapes = () => PROTOTYPES.map((one) => JSON.stringify(Reflect.ownKeys(one).map(String)));

describe("a door", () => {
  test("answers ten thousand frames, whatever they are", async () => {
    const names = ["echo", "constructor", "toString", "hasOwnProperty", "valueOf", "isPrototypeOf"];
    const open = { type: "object" } as const;
    const strict = {
      type: "object",
      properties: {
        constructor: { type: "integer" },
        code: { type: "string", contentEncoding: "base64" },
        k0: {
          anyOf: [{ type: "string" }, { type: "array", uniqueItems: true }, { $ref: "#/$defs/t" }],
        },
      },
      additionalProperties: { type: ["number", "null", "object"] },
      $defs: { t: { type: "object", additionalProperties: { $ref: "#/$defs/t" } } },
    } as const;
    const tools = names.map((name) =>
      tool({ name, description: "", inputSchema: open, execute: (args) => args }),
    );
    const merge = tool({
      name: "strict",
      description: "",
      inputSchema: strict,
      execute: async (args) => Object.assign({}, args),
    });
    const before = shapes();
    const budget = { frames: Infinity, bytes: Infinity };
    const door = createToolDoor([...tools, merge], { budget });
    const random = new RandomFrames(3);
    const kinds = new Map<string, number>();
    let slowest = 0;
    for (let i = 0; i < FRAMES; i++) {
      const bytes = random.mutated();
      const start = performance.now();
      const answer = await door.call(bytes);
      slowest = Math.max(slowest, performance.now() - start);
      expect(answer.every((byte) => byte < 0x80)).toBe(true);
      const {
        v,
        id,
        ok,
        error,
        value,
        tools: listed,
      } = JSON.parse(new TextDecoder().decode(answer));
      expect(v).toBe(1);
      expect(id === null || (Number.isSafeInteger(id) && id >= 0)).toBe(true);
      expect([value, listed, error].filter((one) => one !== undefined)).toHaveLength(1);
      const kind: string = ok ? "ok" : error.kind;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    expect(shapes()).toEqual(before);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(slowest).toBeLessThan(2_000);
    expect([...kinds.keys()].toSorted()).toEqual(
      ["invalid_arguments", "ok", "protocol", "tool_error", "unknown_tool"].filter((kind) =>
        kinds.has(kind),
      ),
    );
    expect(Math.min(kinds.get("ok") ?? 0, kinds.get("protocol") ?? 0)).toBeGreaterThan(200);
  });
});
