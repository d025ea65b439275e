// The HTTP door against a real HTTPS server over Node's fetch: every endpoint, ordinary, slow, hostile and broken; Node.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHttpDoor, type HttpDoor } from "../../../src/http/http-door.ts";
import { ask, kindOf } from "./ask.ts";
import { endpoints } from "./endpoints.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
let door: HttpDoor;
const origin = "https://api.example.com";

beforeAll(async () => {
  server = await startTestServer();
  door = createHttpDoor({ network: { allow: ["api.example.com"] }, fetch: server.fetch });
});
afterAll(() => server.close());
beforeEach(() => server.reset());

test("the server has over 40 endpoints, and each is asked below", async () => {
  expect(Object.keys(endpoints).length).toBeGreaterThanOrEqual(45);
  const asked = new Set([
    ...Object.keys(texts),
    ...Object.keys(failures),
    ...["echo", "upload", "size", "chunked", "status", "odd", "cookies", "mirror", "many"],
    ...["redirect", "chain", "loop", "torn"],
  ]);
  const names = [...asked].map((path) => path.split("/")[0]);
  expect(Object.keys(endpoints).filter((name) => !names.includes(name))).toEqual([]);
});

const text = "one, two, three\n";
const texts: Record<string, string> = {
  text,
  json: '{"status":"shipped"}',
  empty: "",
  utf8: "grün 東京 🏰",
  bom: "\uFEFFmarked",
  nul: "a\0b",
  close: text,
  trailers: text,
  hints: text,
  gzip: text,
  deflate: text,
  brotli: text,
  http10: text,
  "late/100": text,
  "pause/50": "first,second",
};

describe("texts", () => {
  test.each(Object.entries(texts))("%s", async (path, body) => {
    const answer = await ask(door, { url: `${origin}/${path}` });
    expect(answer.ok?.body).toEqual({ type: "inline", text: body });
    expect(answer.ok?.status).toBe(200);
    // Whatever length and coding the answer names is that of the text.
    const bytes = new TextEncoder().encode(body).byteLength;
    expect([undefined, String(bytes)]).toContain(answer.ok?.headers["content-length"]);
    expect(answer.ok?.headers).not.toHaveProperty("content-encoding");
  });
});

const failures: Record<string, string> = {
  latin1: "not_text",
  binary: "not_text",
  cutoff: "not_text",
  surrogate: "not_text",
  utf16: "not_text",
  liar: "connection",
  bomb: "too_large",
  endless: "too_large",
  boaster: "timeout",
  hang: "timeout",
  drip: "timeout",
  "late/2000": "timeout",
  "pause/2000": "timeout",
  reset: "connection",
  halfhead: "connection",
  halfbody: "connection",
  halfchunk: "connection",
  garbage: "connection",
  badheader: "connection",
  badlength: "connection",
  smuggle: "connection",
  heavy: "connection",
  teapot: "ok",
};

describe("failures", () => {
  test.each(Object.entries(failures))("%s: %s", async (path, kind) => {
    const started = performance.now();
    const answer = await ask(door, { url: `${origin}/${path}`, timeout_ms: 400 });
    expect(kindOf(answer)).toBe(kind);
    if (kind === "timeout") {
      expect(performance.now() - started).toBeGreaterThanOrEqual(395);
      expect(answer.error?.message).toContain("400 ms, the request's timeout_ms");
    }
    if (kind === "connection") expect(answer.error?.message).toMatch(/CORS|broke off/);
  });

  test("a bomb is cut off 64 KiB past the limit", async () => {
    expect(kindOf(await ask(door, { url: `${origin}/bomb` }))).toBe("too_large");
    expect(door.requests.at(-1)!.responseBytes).toBeGreaterThan(262_144);
    expect(door.requests.at(-1)!.responseBytes).toBeLessThanOrEqual(262_144 + 65_536);
  });

  test("an endless body is cut off, and its connection ends", async () => {
    expect(kindOf(await ask(door, { url: `${origin}/endless` }))).toBe("too_large");
    await expect.poll(() => server.cut).toContain("/endless");
    expect(door.requests.at(-1)!.responseBytes).toBeLessThanOrEqual(262_144 + 65_536);
  });

  test("a torn coding is an error or the beginning of the text, as the browser has it", async () => {
    const answer = await ask(door, { url: `${origin}/torn` });
    if (answer.error) expect(answer.error.kind).toBe("connection");
    else expect(text.repeat(9_999).startsWith(answer.ok!.body.text!)).toBe(true);
  });

  test("the connection of a request that ran out of time ends", async () => {
    await ask(door, { url: `${origin}/hang`, timeout_ms: 100 });
    await expect.poll(() => server.cut).toContain("/hang");
  });
});

describe("sizes", () => {
  test.each([
    ["size/262144", "ok"],
    ["size/262145", "too_large"],
    ["chunked/262144", "ok"],
    ["chunked/262145", "too_large"],
  ])("%s: %s", async (path, kind) => {
    const answer = await ask(door, { url: `${origin}/${path}` });
    expect(kindOf(answer)).toBe(kind);
    if (kind === "ok") expect(answer.ok?.body.text).toHaveLength(262_144);
  });

  test.each([204, 205, 304, 400, 404, 500, 503, 599])("status %i", async (status) => {
    const answer = await ask(door, { url: `${origin}/status/${status}` });
    expect(answer.ok).toMatchObject({ status, body: { type: "inline", text: "" } });
  });
});

describe("methods and bodies", () => {
  const echo = async (request: object): Promise<Record<string, unknown>> => {
    const answer = await ask(door, { url: `${origin}/echo`, ...request });
    return JSON.parse(answer.ok!.body.text!);
  };

  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s arrives", async (method) => {
    expect(await echo({ method })).toMatchObject({ method, body: "" });
  });

  test("HEAD arrives, and its length is kept though there is no body", async () => {
    const answer = await ask(door, { method: "HEAD", url: `${origin}/size/1234` });
    expect(answer.ok).toMatchObject({ status: 200, headers: { "content-length": "1234" } });
    expect(answer.ok?.body).toEqual({ type: "inline", text: "" });
  });

  test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s carries a body", async (method) => {
    const seen = await echo({ method, body: { type: "text", text: "häuser" } });
    expect(seen).toMatchObject({ method, body: Buffer.from("häuser").toString("latin1") });
    expect(seen["headers"]).toMatchObject({ "content-type": "text/plain; charset=utf-8" });
  });

  test("JSON goes out as the guest wrote it", async () => {
    const source =
      '{ "big": 123456789012345678901234567890, "float": 5.0, "e": 1e400, "a": 1, "a": 2 }';
    const request = `{"url":"${origin}/echo","method":"POST","body":{"type":"json","json":${source}}}`;
    const seen = JSON.parse((await ask(door, request)).ok!.body.text!);
    expect(seen.body).toBe(source);
    expect(seen.headers["content-type"]).toBe("application/json");
  });

  test("the guest's content type wins", async () => {
    const headers = { "content-type": "application/merge-patch+json" };
    const seen = await echo({ method: "PATCH", headers, body: { type: "json", json: {} } });
    expect(seen["headers"]).toMatchObject(headers);
  });
});

describe("headers", () => {
  test("odd names and values come through as plain keys", async () => {
    const answer = await ask(door, { url: `${origin}/odd` });
    const { headers } = answer.ok!;
    expect(Object.hasOwn(headers, "__proto__") && headers["__proto__"]).toBe("polluted");
    expect(headers).toMatchObject({ constructor: "c", "x-upper": "Case", "x-empty": "" });
    expect(headers["x-twice"]).toBe("1, 2");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("200 headers come through, cookies do not", async () => {
    const many = await ask(door, { url: `${origin}/many` });
    expect(Object.keys(many.ok!.headers).filter((name) => name.startsWith("x-"))).toHaveLength(200);
    const cookies = await ask(door, { url: `${origin}/cookies` });
    expect(cookies.ok!.headers).not.toHaveProperty("set-cookie");
  });

  test("connection headers and a browser's own are dropped, the rest arrives", async () => {
    const headers = {
      host: "evil.example.org",
      "content-length": "5",
      connection: "keep-alive",
      "transfer-encoding": "chunked",
      upgrade: "h2c",
      te: "trailers",
      expect: "100-continue",
      origin: "https://evil.example.org",
      referer: "https://evil.example.org/",
      "user-agent": "guest",
      "sec-fetch-site": "same-origin",
      "accept-language": "de",
      "if-none-match": '"1"',
      range: "bytes=0-1",
      "x-own": "yes",
    };
    const answer = await ask(door, { url: `${origin}/echo`, headers });
    const seen = JSON.parse(answer.ok!.body.text!).headers;
    expect(seen).toMatchObject({ "accept-language": "de", "if-none-match": '"1"', "x-own": "yes" });
    expect(seen.range).toBe("bytes=0-1");
    expect(seen.host).toBe("api.example.com");
    for (const name of ["upgrade", "te", "expect", "origin", "referer", "content-length"]) {
      expect(seen).not.toHaveProperty(name);
    }
    expect(seen["user-agent"]).not.toBe("guest");
    expect(seen["sec-fetch-site"]).not.toBe("same-origin");
  });
});
