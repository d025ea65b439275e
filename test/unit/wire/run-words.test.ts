// Runs and their ends told in a shared buffer: what fits, what does not, and who has the buffer; Node.

import { describe, expect, test } from "vitest";
import {
  AWAY,
  Channel,
  createChannelBuffer,
  PAGE_IDLE,
  PARKED,
  renewChannel,
  STATE,
  STOPPED,
  stopChannel,
  TOLD,
} from "../../../src/wire/channel-buffer.ts";
import type { EndMessage, StdinSpec } from "../../../src/wire/messages.ts";
import {
  handOver,
  letGo,
  readEnd,
  readRun,
  waitForRun,
  writeEnd,
  writeRun,
} from "../../../src/wire/run-words.ts";

const make = (): Channel => new Channel(createChannelBuffer());
const bytesOf = (size: number): Uint8Array => new Uint8Array(size).map((_, i) => i & 0xff);
const lines = (...given: Uint8Array[]): StdinSpec => ({ kind: "lines", lines: given, more: false });
const END: EndMessage = { run: 1, outcome: { end: "exited", exitCode: 3, files: {} }, memories: 7 };

describe("a run", () => {
  test.each<[string, StdinSpec, number]>([
    ["bytes", { kind: "bytes", bytes: bytesOf(300) }, 1_000],
    ["no bytes, no time limit", { kind: "bytes", bytes: bytesOf(0) }, Infinity],
    ["a line", lines(bytesOf(300)), 0],
    ["all that lies there at rest", lines(bytesOf(make().restBytes)), 2 ** 31 - 1],
  ])("with %s comes out as it went in", (_name, stdin, timeoutMs) => {
    const channel = make();
    const run = { run: 5, timeoutMs, stdin, many: 56 };
    expect(writeRun(channel, run)).toBe(true);
    expect(readRun(channel)).toEqual(run);
  });

  test.each<[string, StdinSpec, number]>([
    ["more bytes than lie there at rest", lines(bytesOf(make().restBytes + 1)), 1],
    ["two lines", lines(bytesOf(1), bytesOf(1)), 1],
    ["more to come", { kind: "lines", lines: [bytesOf(1)], more: true }, 1],
    ["stdin from the page", { kind: "blocking" }, 1],
    ["a part of a millisecond", lines(bytesOf(1)), 1.5],
    ["more milliseconds than a word holds", lines(bytesOf(1)), 2 ** 31],
  ])("with %s goes by message", (_name, stdin, timeoutMs) => {
    expect(writeRun(make(), { run: 5, timeoutMs, stdin, many: 56 })).toBe(false);
  });
});

describe("an end", () => {
  test("comes out as it went in, and says whether the worker waits", () => {
    for (const parks of [true, false]) {
      const channel = make();
      expect(writeEnd(channel, END, parks)).toBe(true);
      expect(readEnd(channel)).toEqual(END);
      expect(channel.words[STATE]).toBe(parks ? PARKED : AWAY);
    }
  });

  test("goes by message when it is long, or not ASCII, or the run was stopped", () => {
    const trees = (path: string) => ({
      ...END,
      outcome: { end: "exited" as const, trees: [{ path, entries: [] }] },
    });
    for (const end of [trees("x".repeat(3_000)), trees("/ä")]) {
      const channel = make();
      expect(writeEnd(channel, end, true)).toBe(false);
      expect(channel.words[STATE]).toBe(PAGE_IDLE);
    }
    const stopped = make();
    stopChannel(stopped);
    expect(writeEnd(stopped, END, true)).toBe(false);
    expect(stopped.words[STATE]).toBe(STOPPED);
  });

  test("stays one when the page stops the run too late", () => {
    const channel = make();
    writeEnd(channel, END, true);
    stopChannel(channel);
    expect(channel.words[STATE]).toBe(PARKED);
  });
});

describe("a worker that waits", () => {
  function parked(): Channel {
    const channel = make();
    writeEnd(channel, END, true);
    expect(renewChannel(channel)).toBe(true);
    expect(channel.words[STATE]).toBe(PARKED); // renewed under its feet
    writeRun(channel, { run: 2, timeoutMs: 1, stdin: lines(bytesOf(3)), many: 1 });
    return channel;
  }

  test("takes a run that is handed over", () => {
    const channel = parked();
    expect(handOver(channel)).toBe(true);
    expect(channel.words[STATE]).toBe(TOLD);
    expect(waitForRun(channel, 1, 1_000)).toBe(true);
    expect(channel.words[STATE]).toBe(PAGE_IDLE);
  });

  test("takes one that was stopped at once, so that its end is told", () => {
    const channel = parked();
    handOver(channel);
    stopChannel(channel);
    expect(waitForRun(channel, 1, 1_000)).toBe(true);
    expect(channel.words[STATE]).toBe(STOPPED);
  });

  test("goes once its time is over, or it is let go; the page sends a message then", () => {
    const late = parked();
    expect(waitForRun(late, 1, 5)).toBe(false);
    expect(late.words[STATE]).toBe(AWAY);
    const called = parked();
    letGo(called);
    expect(waitForRun(called, 1, 1_000)).toBe(false);
    for (const channel of [late, called]) {
      expect(handOver(channel)).toBe(false);
      expect(channel.words[STATE]).toBe(PAGE_IDLE); // the run may begin
    }
  });
});
