// The HTTP door through a run: limits of time, transports, the record, many exchanges at once; Node.

import { describe, expect, test, vi } from "vitest";
import type { HttpDoor, HttpDoorOptions } from "../../../src/http/http-door.ts";
import type { HttpTransportResponse } from "../../../src/http/http-transport.ts";
import { ask, kindOf } from "./ask.ts";
import { codeOf, doorOver, never, url } from "./door-over.ts";
import { memoryFiles } from "./memory-files.ts";

describe("time", () => {
  test("the page's limit holds whatever the guest asks for", async () => {
    const { door } = doorOver(never, { timeoutMs: 30 });
    for (const timeout_ms of [undefined, 60_000, 10 ** 14]) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await ask(door, { url, timeout_ms });
      expect(answer.error).toEqual({
        kind: "timeout",
        message: "the exchange took longer than 30 ms, the longest that the page allows",
      });
    }
  });

  test("no limit is no option", () => {
    for (const timeoutMs of [0, -1, Number.NaN]) {
      expect(codeOf(() => doorOver(undefined, { timeoutMs }))).toBe("bad_option");
    }
  });

  test("fetch's signal aborts with it", async () => {
    const { door, sent } = doorOver(never);
    await ask(door, { url, timeout_ms: 20 });
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  test("a run that is stopped ends the exchange at once, one that ran out of time is a timeout", async () => {
    for (const [reason, kind] of [
      [undefined, "connection"],
      [new DOMException("late", "TimeoutError"), "timeout"],
    ] as const) {
      const stop = new AbortController();
      const { door, sent } = doorOver(never, { signal: stop.signal });
      const answer = ask(door, { url });
      stop.abort(reason);
      // oxlint-disable-next-line no-await-in-loop
      expect(kindOf(await answer)).toBe(kind);
      // oxlint-disable-next-line no-await-in-loop
      expect(kindOf(await ask(door, { url }))).toBe(kind);
      expect(sent.length).toBeLessThanOrEqual(1);
    }
  });

  test("a response that comes too late is let go of", async () => {
    let cancelled = false;
    let respond = (_response: Response): void => {};
    const late = new Promise<Response>((resolve) => {
      respond = resolve;
    });
    const { door } = doorOver(() => late);
    await ask(door, { url, timeout_ms: 20 });
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    respond(new Response(body));
    await expect.poll(() => cancelled).toBe(true);
  });
});

describe("transports", () => {
  const over = (transport: HttpDoorOptions["transport"]): HttpDoor =>
    doorOver(undefined, { transport: transport! }).door;

  test("all the guest's headers arrive, but for the connection's", async () => {
    let headers: unknown;
    const door = over(async (request) => {
      headers = Object.fromEntries(request.headers);
      return { status: 200, headers: [], body: null };
    });
    await ask(door, { url, headers: { "user-agent": "guest", origin: "x", host: "y" } });
    expect(headers).toEqual({ "user-agent": "guest", origin: "x" });
  });

  test.each([
    [{ kind: "forbidden_destination", message: "a private address" }, "forbidden_destination"],
    [{ kind: "made_up", message: "x" }, "connection"],
    [new Error("stack and path"), "connection"],
    [undefined, "connection"],
    [null, "connection"],
  ])("one that rejects with %j: %s", async (error, kind) => {
    const answer = await ask(
      over(async () => {
        throw error;
      }),
      { url },
    );
    expect(kindOf(answer)).toBe(kind);
    expect(answer.error!.message).not.toContain("stack");
  });

  test.each([
    undefined,
    null,
    {},
    { status: "200", headers: [], body: null },
    { status: 1.5, headers: [], body: null },
    { status: 200, headers: 7, body: null },
    { status: 200, headers: [[1, 2]], body: null },
    { status: 200, headers: [], body: null, hops: 7 },
    { status: 200, headers: [], body: "text" },
    { status: 200, headers: [], body: new ReadableStream({ start: (c) => c.enqueue("text") }) },
  ])("one that gives %j is the host's fault", async (response) => {
    const door = over(async () => response as unknown as HttpTransportResponse);
    expect(kindOf(await ask(door, { url }))).toBe("abi");
  });
});

describe("the record", () => {
  test("holds what was asked and how it went", async () => {
    const heard: unknown[] = [];
    const { door } = doorOver(() => new Response("answer", { status: 201 }), {
      onRequest: (record) => heard.push(record),
    });
    const body = { type: "text", text: "grün" };
    await ask(door, { url: `${url}path?q=1#f`, method: "POST", body });
    expect(door.requests).toEqual([
      {
        method: "POST",
        url: "https://api.example.com/path?q=1",
        status: 201,
        requestBytes: 5,
        responseBytes: 6,
        redirects: 0,
        durationMs: expect.any(Number),
      },
    ]);
    expect(heard).toEqual(door.requests);
  });

  test("holds refused requests, without user information", async () => {
    const { door } = doorOver();
    await ask(door, "nonsense");
    await ask(door, { url: "https://user:hunter22@api.example.com/x" });
    await ask(door, { url: "https://user:hunter22@bad host/" });
    expect(door.requests.map(({ kind, url: shown }) => [kind, shown])).toEqual([
      ["invalid_request", undefined],
      ["invalid_request", "https://api.example.com/x"],
      ["invalid_request", "bad host/"],
    ]);
  });

  test("keeps the last thousand", async () => {
    const { door } = doorOver();
    for (let index = 0; index < 1_005; index += 1) {
      // oxlint-disable-next-line no-await-in-loop
      await ask(door, { url: `${url}${index}` });
    }
    expect(door.requests).toHaveLength(1_000);
    expect(door.requests[0]?.url).toBe(`${url}5`);
  });

  test("progress of large bodies, both ways", async () => {
    const progress: unknown[] = [];
    const { door } = doorOver(() => new Response(new Uint8Array(700_000)), {
      files: memoryFiles(),
      onProgress: (step) => progress.push(step),
    });
    const body = { type: "text", text: "x".repeat(300_000) };
    const output = { type: "file", path: "/out" };
    await ask(door, { url, method: "PUT", body, output });
    expect(progress[0]).toEqual({ url, direction: "up", bytes: 300_000, total: 300_000 });
    expect(progress.at(-1)).toMatchObject({ url, direction: "down" });
    await ask(door, { url });
    expect(progress.length).toBeLessThan(8);
  });

  test("a listener that throws is reported and harms nobody", async () => {
    const reported: unknown[] = [];
    vi.stubGlobal("reportError", (error: unknown) => reported.push(error));
    const bug = new Error("listener");
    const { door } = doorOver(undefined, {
      onRequest: () => {
        throw bug;
      },
    });
    expect(kindOf(await ask(door, { url }))).toBe("ok");
    expect(reported).toEqual([bug]);
    vi.unstubAllGlobals();
  });
});

test("many exchanges at once do not mix", async () => {
  const { door } = doorOver(async ({ url: sent }) => new Response(sent));
  const urls = Array.from({ length: 50 }, (_, at) => `${url}${at}`);
  const answers = await Promise.all(urls.map((one) => ask(door, { url: one })));
  expect(answers.map((answer) => answer.ok?.body.text)).toEqual(urls);
});
