// Frames of an HTTP request between page and worker, and the page's half when things go wrong; Node.

import { describe, expect, test } from "vitest";
import { createHttpExchange, type WorkerFiles } from "../../../src/wire/http-exchange.ts";
import {
  decodeHttpNeed,
  decodeHttpTurn,
  encodeHttpNeed,
  encodeHttpTurn,
  type HttpNeed,
  type HttpTurn,
} from "../../../src/wire/http-frames.ts";

const bytes = Uint8Array.of(1, 2, 3);
const turns: HttpTurn[] = [
  { turn: "start", document: bytes },
  { turn: "done" },
  { turn: "size", bytes: 2 ** 40 },
  { turn: "part", bytes },
  { turn: "part", bytes: new Uint8Array(0) },
  { turn: "failed", refusal: "bad_path" },
  { turn: "failed", refusal: "quota" },
  { turn: "failed", refusal: "failed" },
];
const needs: HttpNeed[] = [
  { need: "answer", document: bytes },
  { need: "openInput", path: "/grün/🏰" },
  { need: "readInput", maxBytes: 2 ** 20 },
  { need: "closeInput" },
  { need: "openOutput", path: "\uFEFF/x" },
  { need: "writeOutput", bytes },
  { need: "commitOutput" },
  { need: "discardOutput" },
];

describe("frames", () => {
  test.each(turns)("%j", (turn) => expect(decodeHttpTurn(encodeHttpTurn(turn))).toEqual(turn));
  test.each(needs)("%j", (need) => expect(decodeHttpNeed(encodeHttpNeed(need))).toEqual(need));

  const long = (tag: number, length: number): Uint8Array => {
    const frame = new Uint8Array(1 + length).fill(97);
    frame[0] = tag;
    return frame;
  };
  test.each([
    ["nothing", new Uint8Array(0)],
    ["an unknown tag", Uint8Array.of(5)],
    ["a size without a number", Uint8Array.of(2, 1, 2, 3)],
    ["a part that is too long", long(3, 2 ** 20 + 1)],
    ["a refusal without a reason", Uint8Array.of(4)],
    ["a refusal with an unknown reason", Uint8Array.of(4, 3)],
  ])("no turn: %s", (_what, frame) => {
    expect(() => decodeHttpTurn(frame)).toThrow("broken frame");
  });

  test.each([
    ["nothing", new Uint8Array(0)],
    ["an unknown tag", Uint8Array.of(8)],
    ["a path that is too long", long(1, 4_097)],
    ["a read without a number", Uint8Array.of(2, 1)],
    ["a part that is too long", long(5, 2 ** 20 + 1)],
  ])("no need: %s", (_what, frame) => {
    expect(() => decodeHttpNeed(frame)).toThrow("broken frame");
  });
});

const start = encodeHttpTurn({ turn: "start", document: bytes });
const done = encodeHttpTurn({ turn: "done" });

describe("the page's half", () => {
  test("asks in the order of the door's wishes, and answers when none is left", async () => {
    let files!: WorkerFiles;
    const exchange = createHttpExchange((given) => {
      files = given;
      return {
        async call() {
          const sink = await files.write("/a");
          void sink.part(bytes);
          void sink.discard();
          return Uint8Array.of(9);
        },
      };
    });
    const said: string[] = [];
    let turn = start;
    for (let at = 0; at < 4; at += 1) {
      // oxlint-disable-next-line no-await-in-loop
      said.push(decodeHttpNeed(await exchange.answer(turn)).need);
      turn = done;
    }
    expect(said).toEqual(["openOutput", "writeOutput", "discardOutput", "answer"]);
  });

  test("a file wished for after the answer is refused, and the next request starts clean", async () => {
    let files!: WorkerFiles;
    const exchange = createHttpExchange((given) => {
      files = given;
      return { call: async () => bytes };
    });
    expect(decodeHttpNeed(await exchange.answer(start)).need).toBe("answer");
    await expect(files.read("/late")).rejects.toMatchObject({ code: "closed" });
    expect(decodeHttpNeed(await exchange.answer(start)).need).toBe("answer");
  });

  test("a door that fails fails the call, and the next one works", async () => {
    let calls = 0;
    const exchange = createHttpExchange(() => ({
      call: async () => {
        calls += 1;
        if (calls === 1) throw new Error("broken");
        return bytes;
      },
    }));
    await expect(exchange.answer(start)).rejects.toThrow("broken");
    expect(decodeHttpNeed(await exchange.answer(start)).need).toBe("answer");
  });

  test("turns that nobody asked for, and a second request inside the first", async () => {
    const exchange = createHttpExchange((files) => ({
      async call() {
        await files.read("/x");
        return bytes;
      },
    }));
    await expect(exchange.answer(done)).rejects.toThrow("nothing was asked for");
    expect(decodeHttpNeed(await exchange.answer(start)).need).toBe("openInput");
    await expect(exchange.answer(start)).rejects.toThrow("under way");
  });

  test("an answer to another question is a failure of the host", async () => {
    const exchange = createHttpExchange((files) => ({
      async call() {
        await files.read("/x");
        return bytes;
      },
    }));
    await exchange.answer(start);
    await expect(exchange.answer(done)).rejects.toThrow("another question");
  });
});
