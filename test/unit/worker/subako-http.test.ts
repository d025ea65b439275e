// The imports of subako_http: return codes, the held answer, and whole requests with the guest's files; Node.

import { describe, expect, test } from "vitest";
import { createHttpDoor, type HttpDoorOptions } from "../../../src/http/http-door.ts";
import { HTTP_REQUEST_BYTES } from "../../../src/limits.ts";
import type { CallAnswer, Step } from "../../../src/wire/blocking-call.ts";
import { createHttpExchange, type HttpExchange } from "../../../src/wire/http-exchange.ts";
import { decodeHttpTurn, encodeHttpNeed } from "../../../src/wire/http-frames.ts";
import { createSubakoHttp, type SubakoHttp } from "../../../src/worker/subako-http.ts";
import { guestFiles, type TestGuestFiles } from "./guest-files.ts";

const MiB = 2 ** 20;
const page = 65_536;
const url = "https://api.example.com/";

interface Guest {
  readonly http: SubakoHttp;
  readonly memory: WebAssembly.Memory;
  readonly files: TestGuestFiles;
}

function guestWith(pages = 1, enabled = true, files = guestFiles()): Guest {
  const memory = new WebAssembly.Memory({ initial: pages });
  return { memory, files, http: createSubakoHttp({ memory: () => memory, enabled, files }) };
}

/** Puts a request at 0 and calls the import. */
function requested({ http, memory }: Guest, document: object | string): Step {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const bytes = new TextEncoder().encode(text);
  new Uint8Array(memory.buffer).set(bytes);
  return http.request(0, bytes.byteLength);
}

/** Blocks as a rung of the ladder does: asks, resumes, until a value comes out. */
async function settle(
  step: Step,
  answer: (turn: Uint8Array) => Promise<CallAnswer>,
): Promise<number> {
  let at = step;
  while (typeof at !== "number") {
    if (at.wait !== "call") throw new Error("waits for something else");
    expect(at.kind).toBe("http");
    // oxlint-disable-next-line no-await-in-loop
    at = at.resume(await answer(at.request));
  }
  return at;
}

const by =
  (exchange: HttpExchange) =>
  async (turn: Uint8Array): Promise<CallAnswer> => ({
    ok: true,
    bytes: await exchange.answer(turn),
  });

/** Answers every request with a text, without a door. */
const says =
  (text: string) =>
  async (turn: Uint8Array): Promise<CallAnswer> => {
    expect(decodeHttpTurn(turn).turn).toBe("start");
    const document = new TextEncoder().encode(text);
    return { ok: true, bytes: encodeHttpNeed({ need: "answer", document }) };
  };

function read({ http, memory }: Guest, length: number): string {
  expect(http.read_response(0, length)).toBe(0);
  return Buffer.from(memory.buffer, 0, length).toString();
}

describe("return codes", () => {
  test.each([
    [0, page + 1],
    [1, page],
    [page, 1],
    [page + 1, 0],
    [-1, 1],
    [-1, 0],
    [2 ** 31 - 1, 1],
    [-(2 ** 31), 0],
    [0, -1],
    [-1, -1],
    [4, -4],
  ])("request(%i, %i) is out of bounds", (ptr, len) => {
    expect(guestWith().http.request(ptr, len)).toBe(-1);
  });

  test.each([
    [0, 0],
    [page, 0],
    [0, page],
    [page - 1, 1],
  ])("request(%i, %i) is in bounds, and asks", (ptr, len) => {
    expect(guestWith().http.request(ptr, len)).toMatchObject({ wait: "call", kind: "http" });
  });

  test("a guest without memory is out of bounds", () => {
    const http = createSubakoHttp({ memory: () => undefined, enabled: true });
    expect([http.request(0, 0), http.read_response(0, 0)]).toEqual([-1, -1]);
  });

  test("read_response: -1 for the range, then -2 for nothing held, then -3 for the length", async () => {
    const guest = guestWith();
    const { http } = guest;
    expect(http.read_response(0, page + 1)).toBe(-1);
    expect(http.read_response(-1, 1)).toBe(-1);
    expect(http.read_response(0, 5)).toBe(-2);
    expect(http.read_response(0, 0)).toBe(-2);
    const length = await settle(requested(guest, { url }), says("answer"));
    expect(length).toBe(6);
    const misuses = [
      [page, 6, -1],
      [page - 5, 6, -1],
      [0, -1, -1],
      [0, 5, -3],
      [0, 7, -3],
      [0, 0, -3],
    ] as const;
    for (const [ptr, len, code] of misuses) expect(http.read_response(ptr, len)).toBe(code);
    // Misuse kept the answer, reading forgets it.
    expect(read(guest, 6)).toBe("answer");
    expect(http.read_response(0, 6)).toBe(-2);
  });

  test("the next answer replaces a held one, a request out of bounds does not", async () => {
    const guest = guestWith();
    await settle(requested(guest, { url }), says("first"));
    expect(guest.http.request(0, -1)).toBe(-1);
    expect(guest.http.read_response(0, 6)).toBe(-3);
    await settle(requested(guest, { url }), says("second"));
    expect(read(guest, 6)).toBe("second");
    expect(guest.http.read_response(0, 5)).toBe(-2);
  });

  test("an answer fits memory that grew, at its end", async () => {
    const guest = guestWith();
    await settle(requested(guest, { url }), says("grown"));
    guest.memory.grow(1);
    expect(guest.http.read_response(2 * page - 5, 5)).toBe(0);
    expect(Buffer.from(guest.memory.buffer, 2 * page - 5, 5).toString()).toBe("grown");
  });

  test("a misused call writes nothing", async () => {
    const guest = guestWith();
    await settle(requested(guest, { url }), says("answer"));
    const bytes = new Uint8Array(guest.memory.buffer).fill(7);
    for (const len of [5, 7, -1]) guest.http.read_response(0, len);
    expect(bytes.every((byte) => byte === 7)).toBe(true);
  });
});

describe("the request", () => {
  test("is copied, since the guest's memory may change while it waits", () => {
    const guest = guestWith();
    const step = requested(guest, { url });
    if (typeof step === "number" || step.wait !== "call") throw new Error("does not ask");
    new Uint8Array(guest.memory.buffer).fill(0);
    const turn = decodeHttpTurn(step.request);
    expect(turn.turn === "start" && Buffer.from(turn.document).toString()).toBe(
      JSON.stringify({ url }),
    );
  });

  test("over 8 MiB is answered from its length, without asking", () => {
    const guest = guestWith(HTTP_REQUEST_BYTES / page + 1);
    const step = guest.http.request(0, HTTP_REQUEST_BYTES + 1);
    expect(step).toBeTypeOf("number");
    const answer = JSON.parse(read(guest, step as number));
    expect(answer).toEqual({
      error: { kind: "invalid_request", message: expect.stringContaining("8388609 bytes") },
    });
    expect(guest.http.request(0, HTTP_REQUEST_BYTES)).toMatchObject({ wait: "call" });
  });

  test("without a network no host is allowed, and nobody is asked", () => {
    const guest = guestWith(1, false);
    const length = requested(guest, { url });
    expect(JSON.parse(read(guest, length as number)).error.kind).toBe("host_not_allowed");
    expect(guest.http.request(0, -1)).toBe(-1);
  });

  test.each([
    ["fails", { ok: false } as const],
    ["answers an empty frame", { ok: true, bytes: new Uint8Array(0) } as const],
    ["answers a broken frame", { ok: true, bytes: Uint8Array.of(99, 1) } as const],
  ])("is abi when the page %s", async (_what, answer) => {
    const guest = guestWith();
    const length = await settle(requested(guest, { url }), async () => answer);
    expect(JSON.parse(read(guest, length)).error.kind).toBe("abi");
  });
});

describe("whole requests, both halves", () => {
  async function run(
    guest: Guest,
    document: object | string,
    respond: (init: RequestInit) => Promise<Response> | Response,
    more: Partial<HttpDoorOptions> = {},
  ): Promise<Record<string, never>> {
    const network = { allow: ["api.example.com"] };
    const fetch = async (_url: unknown, init: RequestInit = {}): Promise<Response> => respond(init);
    const exchange = createHttpExchange((files) =>
      createHttpDoor({ network, fetch, files, ...more }),
    );
    const length = await settle(requested(guest, document), by(exchange));
    return JSON.parse(read(guest, length));
  }

  test("a text there and a text back", async () => {
    const answer = await run(
      guestWith(),
      { method: "POST", url, body: { type: "text", text: "grün" } },
      async ({ body }) => new Response(body),
    );
    expect(answer["ok"]).toMatchObject({ status: 200, body: { type: "inline", text: "grün" } });
  });

  test("the door's refusals arrive", async () => {
    const answer = await run(guestWith(), "nonsense", () => new Response());
    expect(answer["error"]).toMatchObject({ kind: "invalid_request" });
  });

  test("a file is sent and another one saved, in parts", async () => {
    const given = new Uint8Array(2 * MiB + 3).map((_, at) => at >> 3);
    const guest = guestWith(1, true, guestFiles({ "/in": given }));
    const document = {
      method: "PUT",
      url,
      body: { type: "file", path: "/in" },
      output: { type: "file", path: "/out" },
    };
    const answer = await run(guest, document, async ({ body }) => new Response(body));
    expect(answer["ok"]).toMatchObject({
      body: { type: "file", path: "/out", bytes: given.length },
    });
    expect(Buffer.compare(guest.files.files.get("/out")!, given)).toBe(0);
    expect(guest.files.log).toEqual([
      "openOutput /out",
      "openInput /in",
      ...["read 1048576", "read 1048576", "read 3", "read 0", "close"],
      ...["write 1048576", "write 1048576", "write 3", "commit"],
    ]);
  });

  test.each([
    [{ body: { type: "file", path: "/absent" } }, "bad_path"],
    [{ output: { type: "file", path: "/forbidden/x" } }, "bad_path"],
    [{ output: { type: "file", path: "/full" } }, "write_budget"],
    [{ output: { type: "file", path: "/breaks" } }, "abi"],
  ])("%j: %s, and nothing is sent", async (fields, kind) => {
    let sent = 0;
    const guest = guestWith();
    const answer = await run(guest, { method: "PUT", url, ...fields }, () => {
      sent += 1;
      return new Response();
    });
    expect(answer["error"]).toMatchObject({ kind });
    expect([sent, guest.files.open]).toEqual([0, 0]);
  });

  test("a partial file is discarded", async () => {
    const guest = guestWith();
    const document = { url, output: { type: "file", path: "/out" } };
    const chunks = [new Uint8Array(2 * MiB)];
    const body = new ReadableStream({
      pull(controller) {
        const chunk = chunks.pop();
        if (chunk) controller.enqueue(chunk);
        else controller.error(new TypeError("terminated"));
      },
    });
    const answer = await run(guest, document, () => new Response(body));
    expect(answer["error"]).toMatchObject({ kind: "connection" });
    expect(guest.files.log.at(-1)).toBe("discard");
    expect([guest.files.files.size, guest.files.open]).toEqual([0, 0]);
  });

  test("a write past the budget ends the exchange", async () => {
    const guest = guestWith(1, true, guestFiles({}, MiB));
    const document = { url, output: { type: "file", path: "/out" } };
    const answer = await run(guest, document, () => new Response(new Uint8Array(4 * MiB)));
    expect(answer["error"]).toMatchObject({ kind: "write_budget" });
    expect(guest.files.open).toBe(0);
  });

  test("a guest without files", async () => {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const http = createSubakoHttp({ memory: () => memory, enabled: true });
    const guest = { ...guestWith(), memory, http };
    const document = { url, output: { type: "file", path: "/out" } };
    const answer = await run(guest, document, () => new Response());
    expect(answer["error"]).toMatchObject({ kind: "bad_path" });
  });

  test("the call for who has the bytes already, such as a device", async () => {
    const guest = guestWith();
    const exchange = createHttpExchange((files) =>
      createHttpDoor({
        network: { allow: ["api.example.com"] },
        fetch: async () => new Response("device"),
        files,
      }),
    );
    let line = "";
    const step = guest.http.call(new TextEncoder().encode(JSON.stringify({ url })), (answer) => {
      line = Buffer.from(answer).toString();
      return 42;
    });
    expect(await settle(step, by(exchange))).toBe(42);
    expect(JSON.parse(line).ok.body.text).toBe("device");
    expect(guest.http.read_response(0, 0)).toBe(-2);
  });
});
