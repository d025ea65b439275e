// The request document: exactly the fields of ABI 1; Node.

import { describe, expect, test } from "vitest";
import { HttpFailure } from "../../../src/http/http-failure.ts";
import { readRequestDocument } from "../../../src/http/request-document.ts";

const url = "https://api.example.com/";

function read(document: unknown): ReturnType<typeof readRequestDocument> {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  return readRequestDocument(new TextEncoder().encode(text));
}

function refusal(document: unknown): string {
  try {
    read(document);
    return "none";
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    expect(error.kind).toBe("invalid_request");
    expect(error.message.length).toBeLessThanOrEqual(4_096);
    return error.message;
  }
}

test("only the url is needed", () => {
  expect(read({ url })).toEqual({ method: "GET", url, headers: new Map(), followRedirects: true });
});

test("every field arrives", () => {
  const document = {
    method: "POST",
    url,
    headers: { accept: "application/json", __proto__x: "1" },
    body: { type: "json", json: { order: 1042 } },
    output: { type: "file", path: "/volume/tmp/out.bin" },
    follow_redirects: false,
    timeout_ms: 5000,
  };
  expect(read(document)).toEqual({
    method: "POST",
    url,
    headers: new Map([
      ["accept", "application/json"],
      ["__proto__x", "1"],
    ]),
    body: { type: "json", source: '{"order":1042}' },
    outputPath: "/volume/tmp/out.bin",
    followRedirects: false,
    timeoutMs: 5000,
  });
});

test.each([
  [{ body: { type: "text", text: "" } }, { type: "text", text: "" }],
  [{ body: { type: "file", path: "/in" } }, { type: "file", path: "/in" }],
  [{ body: { type: "json", json: null } }, { type: "json", source: "null" }],
  [{ body: null }, undefined],
])("body %j", (fields, body) => {
  expect(read({ url, method: "PUT", ...fields }).body).toEqual(body);
});

test("null stands for no timeout, and inline is what output is", () => {
  const document = read({ url, timeout_ms: null, output: { type: "inline" } });
  expect(document).not.toHaveProperty("timeoutMs");
  expect(document).not.toHaveProperty("outputPath");
});

test("plain keys stay plain keys", () => {
  const { headers } = read(`{"url":"${url}","headers":{"__proto__":"a","constructor":"b"}}`);
  expect([...headers]).toEqual([
    ["__proto__", "a"],
    ["constructor", "b"],
  ]);
});

describe("refused", () => {
  const refused: (readonly [unknown, string])[] = [
    ["", "not a JSON document"],
    ["nonsense", "not a JSON document"],
    [`{"url":"${url}"} {}`, "not a JSON document"],
    [`\uFEFF{"url":"${url}"}`, "not a JSON document"],
    [`{"url":"${url}","url":"${url}"}`, "a key repeats"],
    [`{"url":"${url}","headers":{"a":"1","a":"2"}}`, "a key repeats"],
    [`{"url":"\\ud800"}`, "lone surrogate"],
    [`{"url":"${url}","timeout_ms":1,}`, "not a JSON document"],
    [[], "not an object"],
    ["null", "not an object"],
    [{}, "no url"],
    [{ url: 7 }, "not a string"],
    [{ url, method: "get" }, "capitals"],
    [{ url, method: "TRACE" }, "not one of"],
    [{ url, method: "CONNECT" }, "not one of"],
    [{ url, method: null }, "not a string"],
    [{ url, method: "" }, "not one of"],
    [{ url, Method: "GET" }, 'unknown field "Method"'],
    [{ url, followRedirects: true }, "unknown field"],
    [JSON.parse(`{"url":"${url}","__proto__":{}}`), "unknown field"],
    [{ url, headers: [] }, "not an object"],
    [{ url, headers: null }, "not an object"],
    [{ url, headers: { accept: 1 } }, "not a string"],
    [{ url, headers: { accept: ["a"] } }, "not a string"],
    [{ url, body: { type: "text", text: "x" } }, "GET request has no body"],
    [{ url, method: "HEAD", body: { type: "json", json: 1 } }, "HEAD request has no body"],
    [{ url, method: "POST", body: "x" }, "not an object"],
    [{ url, method: "POST", body: {} }, "body.type"],
    [{ url, method: "POST", body: { type: "bytes" } }, "body.type"],
    [{ url, method: "POST", body: { type: "text" } }, "body.text is missing"],
    [{ url, method: "POST", body: { type: "text", text: 7 } }, "not a string"],
    [{ url, method: "POST", body: { type: "json" } }, "body.json is missing"],
    [{ url, method: "POST", body: { type: "file" } }, "body.path is missing"],
    [{ url, method: "POST", body: { type: "text", text: "x", json: 1 } }, "unknown field"],
    [{ url, output: { type: "memory" } }, "output.type"],
    [{ url, output: { type: "inline", path: "/x" } }, "unknown field"],
    [{ url, output: { type: "file" } }, "output.path is missing"],
    [{ url, output: null }, "not an object"],
    [{ url, follow_redirects: "yes" }, "true or false"],
    [{ url, follow_redirects: 1 }, "true or false"],
    ...[0, -1, 1.5, "5", true, 1e30, {}].map(
      (timeout_ms) => [{ url, timeout_ms }, "timeout_ms"] as const,
    ),
    [`{"url":"${url}","timeout_ms":1e3}`, "timeout_ms"],
    [
      `{"url":"${url}","method":"PUT","body":{"type":"json","json":${"[".repeat(200)}`,
      "128 levels",
    ],
  ];
  test.each(refused)("%.60j: %s", (document, why) => expect(refusal(document)).toContain(why));

  test("bytes that are not UTF-8", () => {
    const bytes = new Uint8Array([0x7b, 0xff, 0x7d]);
    expect(() => readRequestDocument(bytes)).toThrow("not UTF-8");
    const utf16 = new Uint8Array(Buffer.from(JSON.stringify({ url }), "utf16le"));
    expect(() => readRequestDocument(utf16)).toThrow("not a JSON document");
  });

  test("more than eight megabytes, and not a byte less", () => {
    const filler = (bytes: number): Uint8Array => {
      const text = JSON.stringify({ url, method: "PUT", body: { type: "text", text: "" } });
      const at = text.lastIndexOf('""') + 1;
      return new TextEncoder().encode(
        text.slice(0, at) + "x".repeat(bytes - text.length) + text.slice(at),
      );
    };
    expect(readRequestDocument(filler(8 * 2 ** 20)).body?.type).toBe("text");
    expect(() => readRequestDocument(filler(8 * 2 ** 20 + 1))).toThrow("8388609 bytes");
  });

  test("guest text is repeated up to 64 characters", () => {
    expect(refusal({ url, method: "x".repeat(5_000) })).toContain(`"${"x".repeat(64)}"`);
    expect(refusal({ url, method: "x".repeat(5_000) })).not.toContain("x".repeat(65));
    expect(refusal({ url, ["🏰".repeat(100)]: 1 })).toContain(`"${"🏰".repeat(64)}"`);
  });
});
