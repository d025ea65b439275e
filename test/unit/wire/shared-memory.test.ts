// The shared-memory rung: both halves against each other, the worker's in a real thread; Node.

import { Worker } from "node:worker_threads";
import { rolldown } from "rolldown";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { Channel, createChannelBuffer } from "../../../src/wire/channel-buffer.ts";
import {
  serveSharedMemory,
  type SharedMemoryServer,
} from "../../../src/wire/serve-shared-memory.ts";
import type { CallHandler } from "../../../src/wire/blocking-call.ts";

let code: string;
const live: { worker: Worker; server: SharedMemoryServer }[] = [];

beforeAll(async () => {
  const bundle = await rolldown({
    input: new URL("fixtures/calling-thread.ts", import.meta.url).pathname,
    external: ["node:worker_threads"],
  });
  code = (await bundle.generate({ format: "cjs" })).output[0].code;
  await bundle.close();
});

afterEach(async () => {
  for (const { worker, server } of live.splice(0)) {
    server.stop();
    await worker.terminate();
  }
});

/** Starts a thread that does what `plan` says; gives what it says back. */
function thread(plan: object, handler: CallHandler, growable = true, ring = false) {
  const buffer = createChannelBuffer({ growable });
  const server = serveSharedMemory(new Channel(buffer), handler);
  const worker = new Worker(code, { eval: true, workerData: { buffer, ring, ...plan } });
  live.push({ worker, server });
  const said = new Promise<Record<string, unknown>>((resolve, reject) => {
    worker.on("message", (message: Record<string, unknown>) => {
      if ("ring" in message) server.ring();
      else resolve(message);
    });
    worker.on("error", reject);
  });
  return { buffer, server, said };
}

const echo: CallHandler = (_kind, request) => request;
const pattern = (size: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(size).map((_, index) => (index * 7 + (index >> 8)) & 0xff);

describe.each([
  ["a buffer that grows", true],
  ["a buffer that cannot grow, in parts", false],
])("%s", (_name, growable) => {
  test.each([0, 1, 65_471, 65_472, 65_473, 200_000, 1_048_576])(
    "a body of %i bytes comes back whole",
    async (size) => {
      const { said } = thread({ sizes: [size] }, echo, growable);
      expect(await said).toMatchObject({ wrong: 0, calls: 1 });
    },
  );

  test("16 MiB come back, and a small body after them", async () => {
    const large = pattern(16 * 2 ** 20);
    const handler: CallHandler = (_kind, request) => (request.byteLength === 5 ? large : request);
    const { said } = thread({ sizes: [5, 7], expect: [large.byteLength, 7] }, handler, growable);
    expect(await said).toMatchObject({ lengths: [large.byteLength, 7] });
  });
});

test("a handler may be async, and its failures are told", async () => {
  let calls = 0;
  const { said } = thread({ sizes: [1, 2, 3] }, async (_kind, request) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    calls += 1;
    if (calls === 2) throw new Error("no");
    return request;
  });
  expect(await said).toMatchObject({ failed: 1, calls: 3 });
});

test("a handler that throws at once fails the call, not the channel", async () => {
  const { said } = thread({ sizes: [1, 2] }, (_kind, request) => {
    if (request.byteLength === 1) throw new Error("no");
    return request;
  });
  expect(await said).toMatchObject({ failed: 1, calls: 2 });
});

test("a short text arrives as its bytes, an empty one too", async () => {
  const text = (size: number) => String.fromCharCode(...pattern(size).map((byte) => byte & 0x7f));
  let asked = 0;
  const { said } = thread({ sizes: [1, 2, 3] }, async () => text([4096, 0, 100][asked++]!));
  expect(await said).toMatchObject({ calls: 3, failed: 0, lengths: [4096, 0, 100] });
});

test("bytes that go away between two parts of an answer cross as they were", async () => {
  const given = pattern(400_000);
  const handler: CallHandler = () => {
    // Right after the first part went out.
    queueMicrotask(() => structuredClone(given, { transfer: [given.buffer] }));
    return given;
  };
  const { said } = thread({ sizes: [1], expect: [400_000] }, handler, false);
  expect(await said).toMatchObject({ calls: 1, failed: 0, lengths: [400_000] });
});

test("a handler that answers with nothing has failed", async () => {
  const { said } = thread({ sizes: [1] }, () => undefined);
  expect(await said).toMatchObject({ calls: 1, failed: 1 });
});

test("the kind arrives with the call", async () => {
  const kinds: string[] = [];
  const { said } = thread(
    { sizes: [1], kinds: ["door", "stdin", "credit", "file", "http", "poll"] },
    (kind, request) => {
      kinds.push(kind);
      return request;
    },
  );
  await said;
  expect(kinds).toEqual(["door", "stdin", "credit", "file", "http", "poll"]);
});

test("20,000 calls use no more of the buffer than one", async () => {
  const { said, buffer } = thread({ sizes: [100], times: 20_000 }, echo);
  expect(await said).toMatchObject({ calls: 20_000, wrong: 0 });
  expect(buffer.byteLength).toBe(64 * 1024);
});

test("a page without waitAsync is rung for each call", async () => {
  const { said } = thread({ sizes: [10, 100_000], times: 50 }, echo, true, true);
  expect(await said).toMatchObject({ calls: 100, wrong: 0 });
});

test("a stop wakes a guest that waits for an answer, and no answer comes after", async () => {
  const { server, said } = thread({ sizes: [1] }, () => new Promise(() => {}));
  setTimeout(() => server.stop(), 30);
  const { stopped, afterMs } = (await said) as { stopped: boolean; afterMs: number };
  expect(stopped).toBe(true);
  expect(afterMs).toBeLessThan(5_000);
});

test("a stop wakes a sleeper, and one that comes before the sleep is not missed", async () => {
  const sleeper = thread({ sleepMs: 60_000 }, echo);
  setTimeout(() => sleeper.server.stop(), 30);
  expect(await sleeper.said).toMatchObject({ stopped: true });
  const early = thread({ sleepMs: 60_000 }, echo);
  early.server.stop();
  expect(await early.said).toMatchObject({ stopped: true });
});

test("a notify without a change of turn, as a page that is held up sends it late, wakes nobody for good", async () => {
  const call = thread({ sizes: [100] }, async (_kind, request) => {
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      Atomics.notify(new Int32Array(call.buffer), 0);
    }
    return request.map((byte) => byte + 1);
  });
  // Taken for the answer, the request itself would lie there unchanged.
  expect(await call.said).toMatchObject({ calls: 1, wrong: 1, lengths: [100] });

  const sleeper = thread({ sleepMs: 300 }, echo);
  const nudge = setInterval(() => Atomics.notify(new Int32Array(sleeper.buffer), 0), 5);
  const { afterMs } = (await sleeper.said) as { afterMs: number };
  clearInterval(nudge);
  expect(afterMs).toBeGreaterThanOrEqual(299);
});

test("a sleeper whose own time runs out stops by itself", async () => {
  const { said } = thread({ sleepMs: 60_000, remainingMs: 40 }, echo);
  expect(await said).toMatchObject({ stopped: true, ranOut: true });
});

test("an answer that comes after the stop is dropped", async () => {
  let answer!: (value: Uint8Array) => void;
  let ask!: () => void;
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const { server, said, buffer } = thread({ sizes: [1] }, () => {
    ask();
    return new Promise((resolve) => (answer = resolve));
  });
  await asked; // a thread may take its time to start
  server.stop();
  answer(pattern(100_000));
  expect(await said).toMatchObject({ stopped: true });
  expect(buffer.byteLength).toBe(64 * 1024);
});

test("a borrowed answer outlives a call made while it is in use", async () => {
  const { said } = thread({ borrow: true }, (_kind, request) =>
    request.byteLength === 1 ? pattern(50_000) : new Uint8Array(50_000),
  );
  expect(await said).toMatchObject({ intact: true });
});
