// The page's half alone, with a guest that asks again at once: the next call is seen, other tasks get their turn; Node.

import { afterEach, describe, expect, test, vi } from "vitest";
import {
  Channel,
  createChannelBuffer,
  KIND,
  PAGE_IDLE,
  PAGE_TURN,
  STATE,
} from "../../../src/wire/channel-buffer.ts";
import { serveSharedMemory } from "../../../src/wire/serve-shared-memory.ts";
import { atLook } from "./fixtures/at-look.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

describe("a page that answers", () => {
  /** A guest that asks again at once, before the page comes to look; `most` ends it. */
  function eagerGuest(most: number) {
    const channel = new Channel(createChannelBuffer());
    const { words } = channel;
    let asked = 0;
    const ask = (): void => {
      if (asked >= most || Atomics.load(words, STATE) !== PAGE_IDLE) return;
      asked += 1;
      words[KIND] = 0;
      channel.put(new Uint8Array(4), 0);
      Atomics.store(words, STATE, PAGE_TURN);
    };
    const notify = Atomics.notify;
    vi.spyOn(Atomics, "notify").mockImplementation(((array: Int32Array, index: number) => {
      const woken = notify(array, index);
      if (index === STATE) ask();
      return woken;
    }) as typeof Atomics.notify);
    return { channel, ask, asked: () => asked };
  }

  test("leaves its own tasks their turn, however soon the next call comes", async () => {
    const most = 2_000_000;
    const { channel, ask, asked } = eagerGuest(most);
    ask();
    let handled = 0;
    const server = serveSharedMemory(channel, (_kind, request) => {
      handled += 1;
      return request;
    });
    let [last, longest] = [performance.now(), 0];
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }
    server.stop();
    expect(asked()).toBeLessThan(most);
    expect(handled).toBeGreaterThan(100);
    expect(longest).toBeLessThan(250);
  });

  test("looks for the next call, and takes it without waiting", async () => {
    const channel = new Channel(createChannelBuffer());
    const clock = vi.spyOn(performance, "now").mockReturnValue(1); // however slow the machine is
    const waits = vi.spyOn(Atomics, "waitAsync");
    const waitsAt: number[] = [];
    const server = serveSharedMemory(channel, (_kind, request) => {
      waitsAt.push(waits.mock.calls.length);
      if (waitsAt.length === 1) atLook(10, put);
      else clock.mockRestore(); // nobody asks again
      return request;
    });
    const put = (): void => {
      channel.put(new Uint8Array(4), 0);
      Atomics.store(channel.words, STATE, PAGE_TURN);
    };
    put();
    Atomics.notify(channel.words, STATE);
    await vi.waitFor(() => expect(waitsAt).toEqual([1, 1]));
    server.stop();
  });

  test("that cannot wait on memory serves each call once, by its ring", async () => {
    const { waitAsync } = Atomics;
    Reflect.deleteProperty(Atomics, "waitAsync");
    vi.resetModules();
    const fresh = await import("../../../src/wire/serve-shared-memory.ts");
    Object.defineProperty(Atomics, "waitAsync", {
      value: waitAsync,
      writable: true,
      configurable: true,
    });
    const most = 5_000;
    const { channel, ask, asked } = eagerGuest(most);
    let handled = 0;
    const server = fresh.serveSharedMemory(channel, (_kind, request) => {
      handled += 1;
      return request;
    });
    ask();
    for (let ring = 0; ring < most; ring++) server.ring();
    expect([asked(), handled]).toEqual([most, most]);
    server.stop();
  });
});
