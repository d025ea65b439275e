// Small writes through shared memory: order, fullness, what goes by message, and two threads at once; Node.

import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { OUTPUT_RING_BYTES } from "../../../src/limits.ts";
import {
  createOutputRing,
  OutputRingReader,
  OutputRingWriter,
  quietOutputRing,
} from "../../../src/wire/output-ring.ts";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function ends() {
  const buffer = createOutputRing();
  const taken: [number, string][] = [];
  let told = 0;
  const writer = new OutputRingWriter(buffer, () => void told++);
  const reader = new OutputRingReader(buffer, (stream, bytes) =>
    taken.push([stream, new TextDecoder().decode(bytes)]),
  );
  return { buffer, writer, reader, taken, told: () => told };
}

describe("one after the other", () => {
  test("the page is told once, and takes all that lies there, writes to one stream joined", () => {
    const { writer, reader, taken, told } = ends();
    for (const [stream, text] of [
      [1, "a"],
      [1, "b"],
      [2, "error "],
      [2, "here"],
      [1, "c"],
    ] as const) {
      expect(writer.put(stream, encode(text))).toBe(true);
    }
    expect(told()).toBe(1);
    reader.read();
    expect(taken).toEqual([
      [1, "ab"],
      [2, "error here"],
      [1, "c"],
    ]);
    reader.read();
    expect(taken).toHaveLength(3);
    expect(writer.put(2, encode("later"))).toBe(true);
    expect(told()).toBe(2);
    reader.read();
    expect(taken.at(-1)).toEqual([2, "later"]);
  });

  test("a quiet ring tells nothing before the page has looked, and is like new each time", () => {
    const { buffer, writer: first, reader, taken, told } = ends();
    first.put(1, encode("of the run before"));
    for (let run = 0; run < 2; run++) {
      quietOutputRing(buffer);
      const before = told();
      const writer = new OutputRingWriter(buffer, () => void toldNow++);
      let toldNow = 0;
      taken.length = 0;
      expect(reader.look()).toBe(false);
      expect(writer.begin()).toBe(false); // it has looked, too early: it wants to be told
      quietOutputRing(buffer);
      expect(writer.begin()).toBe(true);
      expect(writer.put(1, encode("a"))).toBe(true);
      expect(writer.put(2, encode("b"))).toBe(true);
      expect([told() - before, toldNow]).toEqual([0, 0]);
      expect(reader.look()).toBe(true);
      expect(taken).toEqual([
        [1, "a"],
        [2, "b"],
      ]);
      expect(writer.put(1, encode("c"))).toBe(true);
      expect(writer.put(1, encode("d"))).toBe(true);
      expect(toldNow).toBe(1);
    }
  });

  test("what is given away is the reader's own", () => {
    const buffer = createOutputRing();
    const writer = new OutputRingWriter(buffer, () => {});
    const got: Uint8Array[] = [];
    const reader = new OutputRingReader(buffer, (_stream, bytes) => got.push(bytes));
    writer.put(1, encode("one"));
    writer.put(2, encode("two"));
    reader.read();
    new Uint8Array(buffer).fill(0);
    new Uint8Array(got[0]!.buffer).fill(0);
    expect(new TextDecoder().decode(got[1])).toBe("two");
  });

  test("what is large, or finds no room, goes by message, and what follows goes behind it", () => {
    const { writer, reader, taken } = ends();
    expect(writer.put(1, new Uint8Array(1025))).toBe(false);
    // It is on its way: the ring would overtake it.
    expect(writer.put(1, encode("x"))).toBe(false);
    reader.message(1, encode("large"));
    expect(writer.put(1, encode("x"))).toBe(false);
    reader.message(1, encode("x"));
    reader.message(1, encode("x"));
    expect(writer.put(1, encode("y"))).toBe(true);
    let puts = 1;
    while (writer.put(1, new Uint8Array(1000))) puts++;
    expect(puts).toBe(1 + Math.floor((OUTPUT_RING_BYTES - 3) / 1002));
    taken.length = 0;
    // A message takes what lies there first.
    reader.message(2, encode("behind"));
    expect(taken.map(([stream, text]) => [stream, text.length])).toEqual([
      [1, 1 + (puts - 1) * 1000],
      [2, 6],
    ]);
    expect(writer.put(1, encode("z"))).toBe(true);
  });

  test("places and counts run round", () => {
    const { buffer, writer, reader, taken } = ends();
    const words = new Int32Array(buffer);
    for (let i = 0; i < 100_000; i++) {
      expect(writer.put(1, encode(String(i)))).toBe(true);
      if (i % 1000 === 999) reader.read();
    }
    expect(words[1]).toBe(words[2]);
    expect(taken.map(([, text]) => text).join("")).toBe(
      Array.from({ length: 100_000 }, (_, i) => String(i)).join(""),
    );
  });
});

test(
  "two threads: every byte arrives, in the order of its stream",
  { timeout: 30_000 },
  async () => {
    const bundle = await rolldown({
      input: new URL("fixtures/writing-thread.ts", import.meta.url).pathname,
      external: ["node:worker_threads"],
    });
    const { code } = (await bundle.generate({ format: "cjs" })).output[0];
    await bundle.close();
    const buffer = createOutputRing();
    const next = { 1: 0, 2: 0 };
    let wrong = 0;
    const reader = new OutputRingReader(buffer, (stream, bytes) => {
      for (const byte of bytes) if (byte !== next[stream]++ % 251) wrong++;
    });
    const worker = new Worker(code, { eval: true, workerData: { buffer, writes: 200_000 } });
    const end = await new Promise<{ written: object; messages: number }>((resolve, reject) => {
      worker.on("error", reject);
      worker.on("message", (message) => {
        if (message === "written") reader.read();
        else if ("stream" in message) reader.message(message.stream, message.bytes);
        else resolve(message);
      });
    });
    reader.read();
    await worker.terminate();
    expect(wrong).toBe(0);
    expect(next).toEqual(end.written);
    expect(end.messages).toBeGreaterThan(0);
  },
);
