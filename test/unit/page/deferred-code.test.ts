// How a sandbox gets the code that its guests load later: how much of it, and how often it is asked for; Node.

import { afterEach, expect, test, vi } from "vitest";
import { DEFERRED_CODE_BYTES, LOAD_AGAIN_MS } from "../../../src/limits.ts";
import { deferredCode } from "../../../src/page/deferred-code.ts";

afterEach(() => void vi.useRealTimers());

const answering = (answer: () => Response) => vi.fn<typeof fetch>(async () => answer());

test("what could not be loaded is asked for again after a while only, and what could never", async () => {
  vi.useFakeTimers();
  const [status, bytes] = [503, new Uint8Array([1, 2, 3])];
  const fetcher = answering(() =>
    fetcher.mock.calls.length < 2 ? new Response(null, { status }) : new Response(bytes),
  );
  const load = deferredCode("/code.wasm", fetcher)!;
  for (let asked = 0; asked < 50; asked += 1) {
    // oxlint-disable-next-line no-await-in-loop -- as a guest does
    await expect(load()).rejects.toMatchObject({ code: "load_failed" });
  }
  expect(fetcher).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(LOAD_AGAIN_MS + 1);
  expect(await load()).toEqual(bytes);
  vi.advanceTimersByTime(LOAD_AGAIN_MS + 1);
  expect(await load()).toEqual(bytes);
  expect(fetcher).toHaveBeenCalledTimes(2);
});

test("a body that has no end is left, and one that is none, or was read, is told", async () => {
  const seen = { pieces: 0, cancelled: false };
  const endless = new ReadableStream({
    pull(out) {
      seen.pieces += 1;
      out.enqueue(new Uint8Array(2 ** 20));
    },
    cancel: () => void (seen.cancelled = true),
  });
  const odd = new ReadableStream({
    start(out) {
      out.enqueue("text");
      out.close();
    },
  });
  const read = new Response("x");
  await read.text();
  for (const response of [new Response(endless), new Response(odd), read]) {
    const load = deferredCode(response, fetch)!;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(load()).rejects.toMatchObject({ code: "load_failed" });
  }
  expect(seen.cancelled).toBe(true);
  expect(seen.pieces).toBeLessThan(DEFERRED_CODE_BYTES / 2 ** 20 + 4);
  expect(await deferredCode(new Response(null), fetch)!()).toHaveLength(0);
});

test("as many bytes as are allowed are given, and one more is not", async () => {
  const most = new Uint8Array(DEFERRED_CODE_BYTES);
  const more = new Uint8Array(DEFERRED_CODE_BYTES + 1);
  for (const given of [
    (bytes: typeof most) => bytes,
    (bytes: typeof most) => new Response(bytes),
  ]) {
    // oxlint-disable no-await-in-loop -- one after the other
    expect(await deferredCode(given(most), fetch)!()).toHaveLength(most.length);
    const refused = deferredCode(given(more), fetch)!();
    // oxlint-enable no-await-in-loop
    await expect(refused).rejects.toMatchObject({ code: "load_failed" });
  }
});
