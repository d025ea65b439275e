// Looking at the state word before sleeping: when it pays, when it is given up, and what may happen meanwhile; Node.

import { afterEach, describe, expect, test, vi } from "vitest";
import { type CallAnswer, type CallKind, RunStopped } from "../../../src/wire/blocking-call.ts";
import {
  Channel,
  createChannelBuffer,
  PAGE_IDLE,
  PAGE_TURN,
  STATE,
  STOPPED,
  stopChannel,
} from "../../../src/wire/channel-buffer.ts";
import { eagerWait } from "../../../src/wire/eager-wait.ts";
import { SharedMemoryCaller } from "../../../src/wire/shared-memory.ts";
import { atLook } from "./fixtures/at-look.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a look", () => {
  const words = new Int32Array(new SharedArrayBuffer(64));
  const [same, other] = [0, 1];

  /** Waits until the next look that is really taken; how many were left out before it. */
  const breakOf = (look: ReturnType<typeof eagerWait>): number => {
    for (let skipped = 0; skipped < 100_000; skipped++) if (look(words, other)) return skipped;
    throw new Error("it never looks again");
  };

  test("is given up after two for nothing, tried again after 16 waits, and after twice as many each time", () => {
    const look = eagerWait(0);
    expect([look(words, same), look(words, same)]).toEqual([false, false]);
    for (const skipped of [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 8192]) {
      expect(breakOf(look)).toBe(skipped);
      expect(look(words, same)).toBe(false);
    }
  });

  test("goes on while it pays, and then bears four for nothing", () => {
    const look = eagerWait(0);
    for (let n = 0; n < 1_000; n++) expect(look(words, other)).toBe(true);
    for (let n = 0; n < 4; n++) expect(look(words, same)).toBe(false);
    expect(look(words, other)).toBe(true);
    expect([look(words, same), breakOf(look)]).toEqual([false, 16]);
  });

  test("that pays one time in three is given up for longer and longer", () => {
    const look = eagerWait(0);
    const clock = vi.spyOn(performance, "now");
    for (let n = 0; n < 100_000; n++) look(words, n % 3 === 0 ? other : same);
    expect(clock.mock.calls.length).toBeLessThan(200);
  });

  test("is short: no longer than it may take", () => {
    const look = eagerWait(20);
    const begun = performance.now();
    expect(look(words, same, begun)).toBe(false);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(20);
    const late = eagerWait(60_000);
    expect(late(words, same, begun - 60_000)).toBe(false);
  });
});

describe("a guest that asks", () => {
  /** A guest on this thread, and a count of its sleeps; `sleeping` is what the page does meanwhile. */
  function guest(remainingMs = Infinity, sleeping?: (channel: Channel) => void) {
    const channel = new Channel(createChannelBuffer());
    let ranOut = false;
    const caller = new SharedMemoryCaller(channel, {
      guestExport: () => undefined,
      endsRun: () => false,
      remainingMs: () => remainingMs,
      pauseClock: () => 0,
      resumeClock: () => {},
      ranOut: () => {
        ranOut = true;
      },
      cannotBlock: () => {},
    });
    const wait = Atomics.wait;
    const sleeps = vi.spyOn(Atomics, "wait").mockImplementation(((
      ...given: [Int32Array, number, number, number?]
    ) => {
      if (!sleeping) return wait(...given);
      sleeping(channel);
      return "ok";
    }) as typeof Atomics.wait);
    const ask = (kind: CallKind): CallAnswer => {
      let answer: CallAnswer = { ok: false };
      const { call } = caller.wrap({
        call: {
          parameters: "iiii",
          run: () => ({
            wait: "call",
            kind,
            request: new Uint8Array(9),
            resume: (given) => {
              answer = given;
              return 0;
            },
          }),
        },
      });
      call!(0, 0, 0, 0);
      return answer;
    };
    return { channel, ask, slept: () => sleeps.mock.calls.length, ranOut: () => ranOut };
  }

  const answerWith =
    (byte: number) =>
    (channel: Channel): void => {
      channel.put(new Uint8Array([byte]), 0);
      Atomics.compareExchange(channel.words, STATE, PAGE_TURN, PAGE_IDLE);
    };

  test("sees the answer that comes while it looks, and does not sleep", () => {
    const { channel, ask, slept } = guest();
    atLook(10, () => answerWith(7)(channel));
    expect(ask("door")).toEqual({ ok: true, bytes: new Uint8Array([7]) });
    expect(slept()).toBe(0);
  });

  test("sleeps where the answer comes later, and has it then", () => {
    const { ask, slept } = guest(Infinity, answerWith(8));
    expect(ask("door")).toEqual({ ok: true, bytes: new Uint8Array([8]) });
    expect(slept()).toBe(1);
  });

  test("stops while it looks, without a sleep", () => {
    const { channel, ask, slept } = guest();
    atLook(10, () => stopChannel(channel));
    expect(() => ask("door")).toThrow(RunStopped);
    expect(slept()).toBe(0);
  });

  test.each([0, 0.01, 5])("has %d ms left, and is out of time after them", (remainingMs) => {
    const { channel, ask, ranOut } = guest(remainingMs);
    const begun = performance.now();
    expect(() => ask("poll")).toThrow(RunStopped);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(remainingMs);
    expect([ranOut(), channel.word(STATE)]).toEqual([true, STOPPED]);
  });

  test("and waits for slow answers looks at one in hundreds", () => {
    const { ask, slept } = guest(Infinity, answerWith(9));
    const looks = vi.spyOn(Atomics, "load");
    for (let n = 0; n < 10_000; n++) ask("door");
    expect(slept()).toBe(10_000);
    // Each wait loads the state twice; a look does so at least 32 times.
    expect(looks.mock.calls.length).toBeLessThan(10_000 * 2.2 + 50_000);
  });
});
