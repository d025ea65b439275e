// The HTTP door without a network: kinds of failure, what is sent, headers; Node.

import { describe, expect, test, vi } from "vitest";
import { createHttpDoor, type HttpDoorOptions } from "../../../src/http/http-door.ts";
import { HTTP_ERROR_KINDS } from "../../../src/http/http-failure.ts";
import type { HttpTransportResponse } from "../../../src/http/http-transport.ts";
import { ask, kindOf } from "./ask.ts";
import { doorOver, network, never, url } from "./door-over.ts";
import { memoryFiles } from "./memory-files.ts";

const origin = "https://api.example.com";
const secret = "Bearer canary-0123456789";

describe("each of the thirteen kinds is reached, and says what to change", () => {
  const credential = { origin, header: "authorization", value: secret };
  const cases: Record<string, readonly [object, Partial<HttpDoorOptions>, RegExp]> = {
    invalid_request: [{ url, method: "TRACE" }, {}, /one of GET, HEAD/],
    host_not_allowed: [{ url: "https://evil.test/" }, {}, /evil\.test is not in .*allowlist/],
    forbidden_destination: [{ url: "http://api.example.com/" }, {}, /use https/],
    credential_header: [
      { url, headers: { authorization: "x" } },
      { network: { ...network, credentials: [credential] } },
      /leave it out/,
    ],
    credential_unavailable: [
      { url },
      { network: { ...network, credentials: [{ ...credential, value: async () => "" }] } },
      /no usable value/,
    ],
    too_many_redirects: [
      { url },
      { fetch: async () => new Response(null, { status: 302, headers: { location: "/" } }) },
      /ask for the final URL/,
    ],
    timeout: [{ url, timeout_ms: 20 }, { fetch: never }, /timeout_ms/],
    too_large: [{ url }, { fetch: async () => new Response("x".repeat(262_145)) }, /save it/],
    not_text: [{ url }, { fetch: async () => new Response(Uint8Array.of(0xff)) }, /save it/],
    write_budget: [
      { url, output: { type: "file", path: "/out" } },
      { files: memoryFiles({}, 1) },
      /may write/,
    ],
    bad_path: [{ url, output: { type: "file", path: "out" } }, {}, /absolute path/],
    connection: [
      { url },
      { fetch: () => Promise.reject(new TypeError("Failed to fetch")) },
      /CORS.*access-control-allow-origin/,
    ],
    abi: [
      { url },
      { transport: async () => ({}) as HttpTransportResponse },
      /transport gave no response of the agreed shape/,
    ],
  };

  test("none is missing", () => {
    expect(Object.keys(cases).toSorted()).toEqual(HTTP_ERROR_KINDS.toSorted());
  });

  test.each(Object.entries(cases))("%s", async (kind, [request, options, message]) => {
    const { door } = doorOver(undefined, options);
    const answer = await ask(door, request);
    expect(answer).toEqual({ error: { kind, message: expect.stringMatching(message) } });
    expect(door.requests.at(-1)?.kind).toBe(kind);
  });
});

describe("what fetch is given", () => {
  test("no cookies, no referrer, no store, no redirects", async () => {
    const { door, sent } = doorOver();
    await ask(door, { url: "https://API.example.com.:443/a b?c#d" });
    expect(sent[0]?.url).toBe("https://api.example.com/a%20b?c");
    expect(sent[0]?.init).toMatchObject({
      method: "GET",
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
    });
    expect(sent[0]?.init).not.toHaveProperty("body");
  });

  test("the global fetch, looked up for each request", async () => {
    const global = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("spied"));
    const answer = await ask(createHttpDoor({ network }), { url });
    expect(answer.ok?.body.text).toBe("spied");
    expect(global).toHaveBeenCalledOnce();
    global.mockRestore();
  });
});

describe("headers", () => {
  const refused: (readonly [Record<string, string>, string])[] = [
    [{ Accept: "x" }, 'write "accept"'],
    [{ "a b": "x" }, "not a header name"],
    [{ "": "x" }, "not a header name"],
    [{ "a:b": "x" }, "not a header name"],
    [{ "a\nb": "x" }, "not a header name"],
    [{ ä: "x" }, "not a header name"],
    [{ a: "x\r\ny: z" }, "printable ASCII"],
    [{ a: "x\0" }, "printable ASCII"],
    [{ a: "grün" }, "printable ASCII"],
    [{ a: "\x7f" }, "printable ASCII"],
    [{ cookie: "a=b" }, "cookie"],
    [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`x-${i}`, "1"])), "65 headers"],
    [{ a: "x".repeat(32_768) }, "bytes"],
  ];
  test.each(refused)("%.40j: %s", async (headers, why) => {
    const { door, sent } = doorOver();
    const answer = await ask(door, { url, headers });
    expect(answer.error).toEqual({
      kind: "invalid_request",
      message: expect.stringContaining(why),
    });
    expect(sent).toEqual([]);
  });

  test("64 headers of 32 KiB in all are sent", async () => {
    const { door, sent } = doorOver();
    const names = Array.from({ length: 64 }, (_, at) => `x-${at}`);
    const spent = names.join("").length;
    const headers = Object.fromEntries(names.map((name) => [name, ""]));
    headers["x-0"] = "v".repeat(32_768 - spent);
    expect(kindOf(await ask(door, { url, headers }))).toBe("ok");
    expect(Object.keys(sent[0]!.headers)).toHaveLength(64);
  });

  test("all response headers are given over a transport, those of a coding are not", async () => {
    const answer = {
      status: 200,
      headers: [
        ["Set-Cookie", "a=1"],
        ["set-cookie", "b=2"],
        ["Content-Encoding", "gzip"],
        ["Content-Length", "999"],
        ["X-Own", "1"],
      ] as const,
      body: new Response("body").body,
    };
    const { door } = doorOver(undefined, { transport: async () => answer });
    expect((await ask(door, { url })).ok).toEqual({
      status: 200,
      headers: { "set-cookie": "a=1, b=2", "x-own": "1" },
      body: { type: "inline", text: "body" },
    });
  });

  test("response headers have a limit", async () => {
    const headers = [["x", "y".repeat(256 * 1024)]] as const;
    const transport = async () => ({ status: 200, headers, body: null });
    const { door } = doorOver(undefined, { transport });
    expect(kindOf(await ask(door, { url }))).toBe("too_large");
  });
});
