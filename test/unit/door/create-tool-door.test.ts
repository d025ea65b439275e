// The tool door as the page sees it: outcomes, limits, gates, cancelling and the record; Node.

import { beforeAll, afterEach, describe, expect, test, vi } from "vitest";
import type { CallRecord } from "../../../src/door/call-record.ts";
import { createToolDoor, type ToolDoorOptions } from "../../../src/door/create-tool-door.ts";
import { PROTOCOL } from "../../../src/door/protocol.ts";
import { SandboxError } from "../../../src/errors.ts";
import { tool, type ToolContext } from "../../../src/tools/tool.ts";
import { ToolDenied, ToolError } from "../../../src/tools/tool-error.ts";

interface Answer {
  id: number | null;
  ok: boolean;
  value?: unknown;
  error?: { kind: string; message: string };
}

const open = { type: "object" };
type Execute = (args: Record<string, unknown>, context: ToolContext) => unknown;
const make = (execute: Execute, more: object = {}) =>
  tool({ name: "t", description: "", inputSchema: open, execute, ...more });

function doorOf(execute: Execute, options: ToolDoorOptions = {}, more: object = {}) {
  const door = createToolDoor([make(execute, more)], options);
  const call = async (args = "{}", id = 1): Promise<Answer> => {
    const frame = `{"v":1,"id":${id},"op":"call","tool":"t","args":${args}}`;
    return JSON.parse(new TextDecoder().decode(await door.call(new TextEncoder().encode(frame))));
  };
  return { door, call, calls: door.calls };
}

afterEach(() => vi.useRealTimers());

test("PROTOCOL is 1", () => expect(PROTOCOL).toBe(1));

describe("arguments", () => {
  const given = async (args: string, schema: object = open): Promise<unknown> => {
    let seen: unknown;
    const { call } = doorOf((value) => void (seen = value), {}, { inputSchema: schema });
    expect(await call(args)).toMatchObject({ ok: true });
    return seen;
  };

  test("are plain values: whole floats are numbers, large integers bigints, bytes Uint8Arrays", async () => {
    const schema = {
      type: "object",
      properties: { b: { type: "string", contentEncoding: "base64" } },
      additionalProperties: true,
    };
    const args = '{"a":[5.0,{"c":1e3}],"n":12345678901234567890,"b":{"$bytes":"aGk="}}';
    expect(await given(args, schema)).toStrictEqual({
      a: [5, { c: 1000 }],
      n: 12345678901234567890n,
      b: new Uint8Array([104, 105]),
    });
  });

  test("hold __proto__ as a key, and change no prototype", async () => {
    const args = (await given('{"__proto__":{"polluted":1},"x":5.0}')) as object;
    expect(Object.keys(args)).toEqual(["__proto__", "x"]);
    expect((args as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("inherit nothing where the schema names something that objects inherit", async () => {
    const schema = { type: "object", properties: { constructor: { type: "string" }, a: open } };
    const args = (await given('{"a":{}}', schema)) as Record<string, object>;
    expect(args["constructor"]).toBeUndefined();
    expect("toString" in (args["a"] as object)).toBe(false);
    expect(await given('{"constructor":"x"}', schema)).toEqual({ constructor: "x" });
  });
});

describe("results", () => {
  test("of a tool that is not async are answered too", async () => {
    expect(await doorOf(() => 5).call()).toEqual({ v: 1, id: 1, ok: true, value: 5 });
  });

  test("may be any thenable, even a strange one", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what a tool may return
    const thenable = (then: unknown) => doorOf(() => ({ then })).call();
    expect(await thenable((done: (value: number) => void) => done(5))).toMatchObject({ value: 5 });
    const twice = (done: (value: number) => void, fail: (error: Error) => void) => {
      done(6);
      fail(new Error("late"));
    };
    expect(await thenable(twice)).toMatchObject({ value: 6 });
    const throws = () => {
      throw new Error("then");
    };
    expect(await thenable(throws)).toMatchObject({
      error: { kind: "tool_error", message: "t failed (internal error)" },
    });
    // oxlint-disable-next-line unicorn/no-thenable -- what a tool may return
    const getter = Object.defineProperty({}, "then", { get: throws });
    expect(await doorOf(() => getter).call()).toMatchObject({ error: { kind: "tool_error" } });
  });

  test.each([undefined, null, "text", 5, Symbol("x"), { message: "secret" }, Object.create(null)])(
    "of a tool that throws %s are internal errors",
    async (thrown) => {
      const { call, calls } = doorOf(async () => {
        throw thrown;
      });
      expect((await call()).error).toEqual({
        kind: "tool_error",
        message: "t failed (internal error)",
      });
      expect(calls[0]?.hostError).toBeDefined();
    },
  );

  test("beyond the checked outputSchema are internal errors, and the record says why", async () => {
    const outputSchema = {
      type: "object",
      properties: { n: { type: "integer" }, b: { type: "string", contentEncoding: "base64" } },
    };
    const checked = { checkOutput: true, outputSchema };
    const { call, calls } = doorOf(({ x }) => x, {}, checked);
    expect(await call('{"x":{"n":5}}')).toMatchObject({ value: { n: 5 } });
    expect(await call('{"x":{"n":5.5}}')).toMatchObject({ error: { kind: "tool_error" } });
    expect(calls[1]?.hostError?.message).toBe(
      "outputSchema: n: expected an integer, got the number 5.5",
    );
    const bytes = doorOf(() => ({ b: new Uint8Array(2) }), {}, checked);
    expect(await bytes.call()).toMatchObject({ value: { b: { $bytes: "AAA=" } } });
    const unchecked = doorOf(({ x }) => x, {}, { outputSchema });
    expect(await unchecked.call('{"x":"no object"}')).toMatchObject({ value: "no object" });
  });

  test("a ToolError subclass and a denied one cross with their words", async () => {
    class Closed extends ToolError {}
    const closed = doorOf(() => {
      throw new Closed("closed");
    });
    expect((await closed.call()).error).toEqual({ kind: "tool_error", message: "closed" });
    const empty = doorOf(() => {
      throw new ToolError("");
    });
    expect((await empty.call()).error).toEqual({ kind: "tool_error", message: "t failed" });
  });
});

describe("time", () => {
  test("a tool that never settles ends at its own limit, with its signal aborted", async () => {
    vi.useFakeTimers();
    let signal: AbortSignal | undefined;
    const never: Execute = (_, context) => {
      signal = context.signal;
      return new Promise(() => {});
    };
    const { call } = doorOf(never, {}, { timeoutMs: 50_000 });
    const answer = call();
    await vi.advanceTimersByTimeAsync(49_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).error).toEqual({
      kind: "timeout",
      message: "t ran out of time (50000 ms)",
    });
    expect(signal?.reason).toMatchObject({ name: "TimeoutError" });
  });

  test.each<[string, number | undefined, number | undefined, number]>([
    ["30 seconds by default", undefined, undefined, 30_000],
    ["the door's where the tool gives none", undefined, 60_000, 60_000],
    ["the tool's where it is shorter", 10, 60_000, 10],
    ["the door's where it is shorter", 60_000, 10, 10],
    ["the tool's without the door's", 100_000, undefined, 100_000],
  ])("the limit is %s", async (_, ofTool, ofDoor, limit) => {
    vi.useFakeTimers();
    const options = ofDoor === undefined ? {} : { timeoutMs: ofDoor };
    const { call } = doorOf(
      () => new Promise(() => {}),
      options,
      ofTool === undefined ? {} : { timeoutMs: ofTool },
    );
    const answer = call();
    let ended = false;
    void answer.then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(limit - 1);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).error?.kind).toBe("timeout");
    expect(vi.getTimerCount()).toBe(0);
  });

  test("Infinity is no limit, and no timer is left after a call", async () => {
    vi.useFakeTimers();
    let finish: (value: number) => void = () => {};
    const { call } = doorOf(
      () => new Promise((resolve) => (finish = resolve)),
      {},
      { timeoutMs: Infinity },
    );
    const answer = call();
    await vi.advanceTimersByTimeAsync(2 ** 32);
    finish(5);
    expect(await answer).toMatchObject({ value: 5 });
    const quick = doorOf(async () => 5);
    expect(await quick.call()).toMatchObject({ value: 5 });
    await vi.advanceTimersByTimeAsync(5); // one timer looks a moment later whether some call is still open
    expect(vi.getTimerCount()).toBe(0);
  });

  test("what a tool does after its time is dropped, without an unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    let fail: (error: Error) => void = () => {};
    const { call, calls } = doorOf(
      () => new Promise((_, reject) => (fail = reject)),
      {},
      { timeoutMs: 5 },
    );
    expect((await call()).error?.kind).toBe("timeout");
    fail(new Error("late"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
    expect(calls[0]).toMatchObject({ kind: "timeout" });
  });
});

describe("cancelling", () => {
  // The first door of all loads the code that judges frames; these tests are about calls that are under way at once.
  beforeAll(async () => {
    await createToolDoor([]).call(new Uint8Array(0));
  });

  test("ends calls in flight, aborts their signals, and refuses later frames", async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const { door, call } = doorOf(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { signal: stop.signal },
    );
    const answers = [call("{}", 1), call("{}", 2)];
    stop.abort();
    for (const answer of await Promise.all(answers)) expect(answer.error?.kind).toBe("cancelled");
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await call("{}", 3)).toMatchObject({ id: 3, error: { kind: "cancelled" } });
    const list = await door.call(new TextEncoder().encode('{"v":1,"id":4,"op":"list"}'));
    expect(JSON.parse(new TextDecoder().decode(list))).toMatchObject({
      id: 4,
      error: { kind: "cancelled" },
    });
    expect(signals).toHaveLength(2);
  });

  test("ends a gate that is still thinking, and the tool never runs", async () => {
    const stop = new AbortController();
    const execute = vi.fn();
    let asked: AbortSignal | undefined;
    const { call } = doorOf(execute, {
      signal: stop.signal,
      gate: ({ signal }) => {
        asked = signal;
        return new Promise(() => {});
      },
    });
    const answer = call();
    stop.abort();
    expect((await answer).error?.kind).toBe("cancelled");
    expect(asked?.aborted).toBe(true);
    expect(execute).not.toHaveBeenCalled();
  });

  test("between the gate and the tool, too", async () => {
    const stop = new AbortController();
    const execute = vi.fn();
    const { call } = doorOf(execute, { signal: stop.signal, gate: () => stop.abort() });
    expect((await call()).error?.kind).toBe("cancelled");
    expect(execute).not.toHaveBeenCalled();
  });

  test("a signal looked at late is aborted already", async () => {
    const stop = new AbortController();
    let late: ToolContext | undefined;
    const { call } = doorOf(
      (_, context) => {
        late = context;
        return new Promise(() => {});
      },
      { signal: stop.signal },
    );
    const answer = call();
    stop.abort();
    await answer;
    expect(late?.signal.aborted).toBe(true);
  });

  test("no listener stays on the signal", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    const { call } = doorOf(async () => 1, { signal });
    await Promise.all([call(), call(), call()]);
    await call();
    expect(add.mock.calls.length).toBeGreaterThan(0);
    expect(remove.mock.calls.length).toBe(add.mock.calls.length);
  });
});

describe("a gate", () => {
  test("sees the call, may take its time, and lets it pass by returning", async () => {
    const seen: unknown[] = [];
    const { call } = doorOf(({ a }) => a, {
      gate: async ({ name, arguments: args, tool: asked }) => {
        seen.push(name, args, asked.name);
        await new Promise((resolve) => setTimeout(resolve, 5));
      },
    });
    expect(await call('{"a":5}')).toMatchObject({ value: 5 });
    expect(seen).toEqual(["t", { a: 5 }, "t"]);
  });

  test.each<[string, ToolDoorOptions["gate"], object]>([
    [
      "ToolDenied",
      () => {
        throw new ToolDenied("no");
      },
      { kind: "denied", message: "no" },
    ],
    [
      "an async ToolDenied",
      async () => {
        throw new ToolDenied("");
      },
      { kind: "denied", message: "t was refused" },
    ],
    [
      "a ToolError",
      async () => {
        throw new ToolError("broken");
      },
      { kind: "tool_error", message: "broken" },
    ],
    [
      "anything else",
      () => {
        throw new Error("/home/ada");
      },
      { kind: "denied", message: "t was refused" },
    ],
    [
      "a rejection with nothing",
      () => Promise.reject(),
      { kind: "denied", message: "t was refused" },
    ],
    ["false", () => false, { kind: "denied", message: "t was refused" }],
    ["a promise of false", async () => false, { kind: "denied", message: "t was refused" }],
  ])("refuses with %s", async (_, gate, error) => {
    const execute = vi.fn();
    const { call } = doorOf(execute, { gate: gate as NonNullable<typeof gate> });
    expect((await call()).error).toEqual(error);
    expect(execute).not.toHaveBeenCalled();
  });
});

describe("the record", () => {
  test("keeps what was asked, what was said and what really happened", async () => {
    const { call, calls } = doorOf(({ how }) => {
      if (how === "well") return { fine: true };
      if (how === "denied") throw new ToolDenied("not you");
      throw new RangeError("first line\nsecond line");
    });
    await call('{"how":"well"}');
    await call('{"how":"denied"}');
    await call('{"how":"badly"}');
    expect(calls).toMatchObject([
      { name: "t", arguments: { how: "well" }, kind: "ok", answer: { fine: true } },
      {
        name: "t",
        kind: "denied",
        error: { kind: "denied", message: "not you" },
        hostError: { type: "ToolDenied", message: "not you" },
      },
      {
        kind: "tool_error",
        error: { message: "t failed (internal error)" },
        hostError: { type: "RangeError", message: "first line" },
      },
    ]);
    expect(calls.every(({ durationMs }) => typeof durationMs === "number" && durationMs >= 0)).toBe(
      true,
    );
    expect("answer" in (calls[1] as CallRecord)).toBe(false);
  });

  test("holds calls of unknown tools and with bad arguments, but no frames that are none", async () => {
    const strict = { inputSchema: { type: "object", properties: { a: { type: "integer" } } } };
    const { door, call, calls } = doorOf(() => 1, {}, strict);
    await call('{"a":"x"}');
    const unknown = `{"v":1,"id":1,"op":"call","tool":"${"n".repeat(100)}","args":{}}`;
    await door.call(new TextEncoder().encode(unknown));
    await door.call(new TextEncoder().encode("no frame"));
    await door.call(new TextEncoder().encode('{"v":1,"id":1,"op":"list"}'));
    expect(calls.map(({ name, kind }) => [name, kind])).toEqual([
      ["t", "invalid_arguments"],
      ["n".repeat(64), "unknown_tool"],
    ]);
  });

  test("onCall is told of start and end with the same object, before the gate is asked", async () => {
    const told: [string, string, CallRecord][] = [];
    const { call, calls } = doorOf(async () => 5, {
      onCall: (record, phase) => told.push([phase, record.kind, record]),
      gate: () => void expect(told).toHaveLength(1),
    });
    await call();
    expect(told.map(([phase, kind]) => [phase, kind])).toEqual([
      ["start", "running"],
      ["end", "ok"],
    ]);
    expect(told[0]?.[2]).toBe(told[1]?.[2]);
    expect(told[0]?.[2]).toBe(calls[0]);
  });

  test("an onCall that throws does not reach the guest", async () => {
    const { call } = doorOf(() => 5, {
      onCall: () => {
        throw new Error("page");
      },
    });
    expect(await call()).toMatchObject({ value: 5 });
  });

  test("stops keeping answers at 16 MiB, and calls at 10,000", async () => {
    const budget = { frames: Infinity, bytes: Infinity };
    const { call, calls } = doorOf(() => "x".repeat(6 * 2 ** 20), { budget });
    for (let i = 0; i < 3; i++) await call();
    expect(calls.map((one) => "answer" in one)).toEqual([true, true, false]);
    expect(calls[2]?.answerBytes).toBeGreaterThan(6 * 2 ** 20);
    const many = doorOf(() => 1, { budget });
    for (let i = 0; i < 10_500; i++) await many.call("{}", i);
    expect(many.calls.length).toBeLessThanOrEqual(10_000);
    expect(many.calls.length).toBeGreaterThan(5_000);
  });
});

describe("a door", () => {
  test("reads the request before call() returns", async () => {
    const { door } = doorOf(({ a }) => a);
    const bytes = new TextEncoder().encode(
      '{"v":1,"id":1,"op":"call","tool":"t","args":{"a":"b"}}',
    );
    const answer = door.call(bytes);
    bytes.fill(0);
    expect(new TextDecoder().decode(await answer)).toBe('{"v":1,"id":1,"ok":true,"value":"b"}');
  });

  test("reads shared memory and views", async () => {
    const { door } = doorOf(() => 5);
    const frame = new TextEncoder().encode('{"v":1,"id":1,"op":"call","tool":"t","args":{}}');
    const shared = new Uint8Array(new SharedArrayBuffer(frame.length + 8), 4, frame.length);
    shared.set(frame);
    expect(new TextDecoder().decode(await door.call(shared))).toBe(
      '{"v":1,"id":1,"ok":true,"value":5}',
    );
  });

  test.each([undefined, null, "text", new ArrayBuffer(4), [1, 2]])(
    "answers %s with protocol",
    async (request) => {
      const answer = await doorOf(() => 5).door.call(request as never);
      expect(JSON.parse(new TextDecoder().decode(answer))).toMatchObject({
        id: null,
        error: { kind: "protocol" },
      });
    },
  );

  test("past the budget, a long frame is not read for its id", async () => {
    const { door } = doorOf(() => 5, { budget: { frames: 0 } });
    const frame = (pad: number) =>
      new TextEncoder().encode(`{"v":1,"id":7,"op":"list","p":"${"x".repeat(pad)}"}`);
    const id = async (pad: number) =>
      JSON.parse(new TextDecoder().decode(await door.call(frame(pad)))).id;
    expect([await id(10), await id(5_000)]).toEqual([7, null]);
  });

  const one = make(() => 1);
  test.each<[string, unknown, object, string]>([
    ["tools that are no list", 5, {}, "bad_option"],
    ["no tools at all", undefined, {}, "bad_option"],
    ["something that is no tool", [{ name: "t" }], {}, "bad_tool"],
    ["nothing in the list", [undefined], {}, "bad_tool"],
    ["two tools of one name", [one, one], {}, "bad_tool"],
    ["a gate that is no function", [one], { gate: {} }, "bad_option"],
    ["an onCall that is no function", [one], { onCall: 5 }, "bad_option"],
    ["a timeout of 0", [one], { timeoutMs: 0 }, "bad_option"],
    ["a timeout that is text", [one], { timeoutMs: "5" }, "bad_option"],
    ["a signal that is none", [one], { signal: {} }, "bad_option"],
    ["a budget below 0", [one], { budget: { frames: -1 } }, "bad_option"],
    ["a budget with a fraction", [one], { budget: { bytes: 1.5 } }, "bad_option"],
    ["a budget that is text", [one], { budget: { frames: "5" } }, "bad_option"],
  ])("is refused for %s", (_, tools, options, code) => {
    try {
      createToolDoor(tools as never, options);
    } catch (error) {
      expect(error).toBeInstanceOf(SandboxError);
      expect((error as SandboxError).code).toBe(code);
      return;
    }
    throw new Error("was not refused");
  });
});
