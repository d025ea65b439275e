// One output stream of a run: what is kept, what a reader gets, when the writer may go on; Node.

import { describe, expect, test } from "vitest";
import { OUTPUT_DROP_BYTES, OUTPUT_IN_FLIGHT_BYTES } from "../../../src/limits.ts";
import { OutputStream } from "../../../src/page/output-stream.ts";

const bytes = (length: number, value = 1): Uint8Array => new Uint8Array(length).fill(value);

/** Whether a promise has settled by now. */
async function settled(promise: unknown): Promise<boolean> {
  const pending = {};
  await new Promise((resolve) => setTimeout(resolve, 5));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<number> {
  let total = 0;
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) total += chunk.length;
  return total;
}

describe("what is kept", () => {
  test("grows up to the cap, byte by byte or at once", () => {
    const output = new OutputStream(5_000);
    for (let n = 0; n < 3_000; n++) output.receive(bytes(1, n % 256));
    expect(output.bytes().length).toBe(3_000);
    expect(output.bytes()[2_999]).toBe(2_999 % 256);
    output.receive(bytes(9_000));
    expect(output.bytes().length).toBe(5_000);
    expect(output.truncated).toBe(true);
  });

  test("nothing arrives once it has ended", () => {
    const output = new OutputStream(100);
    output.end();
    output.receive(bytes(5));
    expect(output.bytes().length).toBe(0);
  });

  test("a cap of nothing keeps nothing and says so", () => {
    const output = new OutputStream(0);
    output.receive(bytes(1));
    expect([output.bytes().length, output.truncated]).toEqual([0, true]);
  });
});

describe("the writer", () => {
  test("waits until what it has sent is here, since calls overtake output", async () => {
    const output = new OutputStream(2 ** 20);
    const room = output.room(1_000);
    expect(await settled(room)).toBe(false);
    output.receive(bytes(999));
    expect(await settled(room)).toBe(false);
    output.receive(bytes(1));
    expect(await room).toBe(0);
  });

  test("goes on at once while nobody reads, and drops what is past the cap", () => {
    const output = new OutputStream(10);
    output.receive(bytes(4));
    expect(output.room(4)).toBe(0);
    output.receive(bytes(6));
    expect(output.truncated).toBe(false);
    expect(output.room(10)).toBe(-OUTPUT_DROP_BYTES);
    expect(output.truncated).toBe(true);
  });

  test("waits for a reader that has locked the stream", async () => {
    const output = new OutputStream(2 ** 30);
    const reader = output.stream.getReader();
    output.receive(bytes(OUTPUT_IN_FLIGHT_BYTES));
    const room = output.room(OUTPUT_IN_FLIGHT_BYTES);
    expect(await settled(room)).toBe(false);
    expect((await reader.read()).value!.length).toBe(OUTPUT_IN_FLIGHT_BYTES);
    expect(await room).toBe(0);
  });

  test("does not wait for what came before anybody read", async () => {
    const output = new OutputStream(2 ** 30);
    output.receive(bytes(OUTPUT_IN_FLIGHT_BYTES));
    output.stream.getReader();
    expect(output.room(OUTPUT_IN_FLIGHT_BYTES)).toBe(0);
  });

  test("is let go when the reader cancels, and when the run ends", async () => {
    for (const leave of ["cancel", "end"] as const) {
      const output = new OutputStream(2 ** 30);
      const reader = output.stream.getReader();
      output.receive(bytes(OUTPUT_IN_FLIGHT_BYTES));
      const room = output.room(OUTPUT_IN_FLIGHT_BYTES);
      expect(await settled(room)).toBe(false);
      if (leave === "cancel") await reader.cancel();
      else output.end();
      expect(await settled(room)).toBe(true);
    }
  });
});

describe("a reader", () => {
  test("gets every byte, those past the cap too", async () => {
    const output = new OutputStream(1_000);
    const total = readAll(output.stream);
    for (let n = 0; n < 50; n++) output.receive(bytes(100));
    output.end();
    expect(await total).toBe(5_000);
    expect(output.bytes().length).toBe(1_000);
  });

  test("that comes late gets what was kept", async () => {
    const output = new OutputStream(1_000);
    output.receive(bytes(300));
    output.receive(bytes(900));
    output.end();
    expect(await readAll(output.stream)).toBe(1_000);
  });
});
