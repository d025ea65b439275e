// Nothing reaches a host that is not listed: every spelling and every redirect chain, judged by the server's log; Node.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createHttpDoor, type HttpDoor } from "../../../src/http/http-door.ts";
import type { HttpTransport } from "../../../src/http/http-transport.ts";
import { ask, kindOf } from "./ask.ts";
import { debianCorpus } from "./debian-corpus.ts";
import { startTestServer, type TestServer } from "./test-server.ts";
import { allowedUrls, misleadingUrls, privateHosts } from "./url-spellings.ts";

let server: TestServer;
const network = { allow: ["example.com", "*.example.com"] };

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

/** A transport over Node's fetch, which shows redirects. */
const transport: HttpTransport = async ({ url, headers, ...request }, signal) => {
  const init = { ...request, headers: headers.map(([...pair]) => pair), signal };
  const response = await server.fetch(url, { ...init, redirect: "manual" });
  return { status: response.status, headers: response.headers, body: response.body };
};

/** Hosts that saw a connection or a request. */
function reached(): Set<string> {
  return new Set([...server.connected, ...server.seen.map(({ host }) => host)]);
}

const listed = /^(.+\.)?example\.com$/;

describe("spellings", () => {
  const data = debianCorpus("librust-url-dev", "tests/urltestdata.json");
  const corpus = (JSON.parse(data ?? "[]") as ({ input: string } | string)[])
    .filter((one) => typeof one === "object")
    .map(({ input }) => input);
  const spelled = [...privateHosts.map((host) => `https://${host}/`), ...misleadingUrls];

  test("of refused URLs send nothing anywhere", async () => {
    const door = createHttpDoor({ network, fetch: server.fetch });
    for (const url of spelled) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await ask(door, { url }), url).toHaveProperty("error");
    }
    expect(spelled.length).toBeGreaterThan(150);
    expect([...reached()]).toEqual([]);
  });

  test("of the URL standard's data send nothing to an unlisted host", async () => {
    const door = createHttpDoor({ network, fetch: server.fetch });
    for (const url of corpus) {
      // oxlint-disable-next-line no-await-in-loop
      await ask(door, { url });
    }
    if (data) expect(corpus.length + spelled.length).toBeGreaterThan(365);
    for (const host of reached()) expect(host).toMatch(listed);
  });

  test("of allowed hosts reach the host they mean", async () => {
    const door = createHttpDoor({ network, fetch: server.fetch });
    for (const [url, host] of allowedUrls) {
      // oxlint-disable-next-line no-await-in-loop
      expect(kindOf(await ask(door, { url })), url).toBe("ok");
      expect(server.seen.at(-1)).toMatchObject({ host, headers: { host } });
    }
  });
});

/** `/redirect/302?to=…` on a listed host. */
function hop(to: string, status = 302): string {
  return `https://example.com/redirect/${status}?to=${encodeURIComponent(to)}`;
}

/** Twelve chains that begin at a listed host and try to leave the list, each with the kind a transport answers. */
const chains: readonly (readonly [what: string, url: string, kind: string])[] = [
  ["an unlisted host", hop("https://evil.test/"), "host_not_allowed"],
  ["an unlisted host, keeping the body", hop("https://evil.test/", 307), "host_not_allowed"],
  ["an unlisted host behind a listed one", hop(hop("https://evil.test/")), "host_not_allowed"],
  ["plain http", hop("http://example.com/"), "forbidden_destination"],
  ["loopback", hop("https://127.0.0.1/"), "forbidden_destination"],
  ["loopback in disguise", hop("https://0x7f.1/"), "forbidden_destination"],
  ["the cloud's metadata", hop("http://169.254.169.254/latest/"), "forbidden_destination"],
  ["another port", hop("https://example.com:8443/"), "host_not_allowed"],
  ["user information", hop("https://user:password@example.com/"), "connection"],
  ["a protocol-relative URL", hop("//evil.test/"), "host_not_allowed"],
  ["a backslash", hop("/\\evil.test/"), "host_not_allowed"],
  ["another scheme", hop("data:text/plain,hello"), "connection"],
];

describe("redirect chains", () => {
  const doors: Record<string, () => HttpDoor> = {
    fetch: () => createHttpDoor({ network, fetch: server.fetch }),
    transport: () => createHttpDoor({ network, transport }),
  };
  for (const [name, make] of Object.entries(doors)) {
    test.each(chains)(`over ${name}, to %s`, async (_what, url, kind) => {
      const request = { url, method: "POST", body: { type: "text", text: "secret" } };
      const answer = await ask(make(), request);
      expect(kindOf(answer)).toBe(name === "fetch" ? "too_many_redirects" : kind);
      expect([...reached()]).toEqual(["example.com"]);
      expect(answer.error!.message).toContain("redirect");
    });
  }

  test("over fetch, a redirect to a listed host is refused too, and sent once", async () => {
    const door = createHttpDoor({ network, fetch: server.fetch });
    const answer = await ask(door, { url: hop("https://api.example.com/text") });
    expect(kindOf(answer)).toBe("too_many_redirects");
    expect(server.seen).toHaveLength(1);
  });

  test("over a fetch that hides redirects, as a page's does", async () => {
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
    });
    const door = createHttpDoor({ network, fetch: async () => hidden });
    for (const follow_redirects of [true, false]) {
      // oxlint-disable-next-line no-await-in-loop
      const answer = await ask(door, { url: "https://example.com/", follow_redirects });
      expect(kindOf(answer)).toBe("too_many_redirects");
      expect(answer.error!.message).toContain("redirects cannot be checked from a page");
    }
  });
});

describe("hosts trusted with redirects, over fetch", () => {
  const trusted = {
    allow: [{ host: "example.com", redirects: "trusted" }, "api.example.com"],
  } as const;

  test("a redirect to a listed host is followed", async () => {
    const door = createHttpDoor({ network: trusted, fetch: server.fetch });
    const answer = await ask(door, { url: hop("https://api.example.com/text") });
    expect(answer.ok?.body.text).toBe("one, two, three\n");
    expect(door.requests[0]).toMatchObject({ redirects: 1, status: 200 });
  });

  test.each([
    ["https://evil.test/mirror", "host_not_allowed"],
    ["https://example.com:8443/text", "host_not_allowed"],
  ])("one that ends at %s is %s, and its body is dropped", async (to, kind) => {
    const door = createHttpDoor({ network: trusted, fetch: server.fetch });
    const answer = await ask(door, { url: hop(to) });
    expect(kindOf(answer)).toBe(kind);
    expect(door.requests[0]!.responseBytes).toBe(0);
  });

  test("none is followed when the guest does not want it, or a credential rides along", async () => {
    const url = hop("https://api.example.com/text");
    const door = createHttpDoor({ network: trusted, fetch: server.fetch });
    const plain = await ask(door, { url, follow_redirects: false });
    expect(plain.ok).toMatchObject({
      status: 302,
      headers: { location: "https://api.example.com/text" },
    });

    const value = "canary-0123456789";
    const credentials = [{ origin: "https://example.com", header: "x-api-key", value }];
    const secret = createHttpDoor({ network: { ...trusted, credentials }, fetch: server.fetch });
    const refused = await ask(secret, { url });
    expect(kindOf(refused)).toBe("too_many_redirects");
    expect(refused.error!.message).toContain("credential");
    expect([...reached()]).toEqual(["example.com"]);
  });

  test("a host that is not trusted is not followed", async () => {
    const door = createHttpDoor({ network: trusted, fetch: server.fetch });
    const url = "https://api.example.com/redirect/302?to=https://example.com/text";
    expect(kindOf(await ask(door, { url }))).toBe("too_many_redirects");
  });
});

describe("redirects over a transport", () => {
  const door = (): HttpDoor => createHttpDoor({ network, transport });

  test.each([
    [1, "ok"],
    [10, "ok"],
    [11, "too_many_redirects"],
  ])("%i hops: %s", async (hops, kind) => {
    const answer = await ask(door(), { url: `https://example.com/chain/${hops}` });
    expect(kindOf(answer)).toBe(kind);
    expect(server.seen).toHaveLength(Math.min(hops, 10) + 1);
  });

  test("a loop ends after ten", async () => {
    const answer = await ask(door(), { url: "https://example.com/loop" });
    expect(kindOf(answer)).toBe("too_many_redirects");
    expect(server.seen).toHaveLength(11);
  });

  test("follow_redirects: false gives the redirect as it is", async () => {
    const url = hop("https://evil.test/");
    const answer = await ask(door(), { url, follow_redirects: false });
    expect(answer.ok).toMatchObject({
      status: 302,
      headers: { location: "https://evil.test/" },
      body: { type: "inline", text: "moved" },
    });
  });

  test("a redirect without a Location is an answer", async () => {
    const answer = await ask(door(), { url: "https://example.com/redirect/302" });
    expect(answer.ok).toMatchObject({ status: 302, body: { text: "moved" } });
  });

  test.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [301, "PUT", "PUT", "body"],
    [302, "PATCH", "PATCH", "body"],
    [307, "POST", "POST", "body"],
    [308, "POST", "POST", "body"],
    [308, "DELETE", "DELETE", "body"],
  ])("%i turns %s into %s", async (status, method, then, body) => {
    const headers = { "x-own": "kept", "content-language": "en" };
    const request = { method, headers, body: { type: "text", text: "body" } };
    const url = hop("https://api.example.com/echo", status);
    const answer = await ask(door(), { url, ...request });
    const seen = JSON.parse(answer.ok!.body.text!);
    expect(seen).toMatchObject({ method: then, body, headers: { "x-own": "kept" } });
    expect("content-type" in seen.headers).toBe(body !== "");
    expect("content-language" in seen.headers).toBe(body !== "");
  });

  test("303 keeps HEAD", async () => {
    await ask(door(), { method: "HEAD", url: hop("https://api.example.com/text", 303) });
    expect(server.seen.map(({ method }) => method)).toEqual(["HEAD", "HEAD"]);
  });

  test("the guest's own secrets stay with their origin, other headers go along", async () => {
    const headers = {
      authorization: "Bearer guest",
      "proxy-authorization": "Basic guest",
      "x-api-key": "guest",
    };
    const away = await ask(door(), { headers, url: hop("https://api.example.com/echo") });
    const there = JSON.parse(away.ok!.body.text!).headers;
    expect(there["x-api-key"]).toBe("guest");
    expect(there).not.toHaveProperty("authorization");
    expect(there).not.toHaveProperty("proxy-authorization");

    const home = await ask(door(), { headers, url: hop("/echo") });
    expect(JSON.parse(home.ok!.body.text!).headers).toMatchObject(headers);
  });

  test("a redirect to where the page adds what the guest sent is refused", async () => {
    const credentials = [
      { origin: "https://api.example.com", header: "x-api-key", value: "canary-0123456789" },
    ];
    const secret = createHttpDoor({ network: { ...network, credentials }, transport });
    const url = hop("https://api.example.com/echo");
    expect(kindOf(await ask(secret, { url, headers: { "x-api-key": "guest" } }))).toBe(
      "credential_header",
    );
    expect([...reached()]).toEqual(["example.com"]);
    const answer = await ask(secret, { url });
    expect(kindOf(answer)).toBe("ok");
    expect(server.seen.map((one) => one.headers["x-api-key"])).toEqual([
      "guest",
      undefined,
      "canary-0123456789",
    ]);
  });

  test.each([
    [["https://api.example.com/"], "ok"],
    [["https://evil.test/"], "host_not_allowed"],
    [["https://api.example.com/", "http://example.com/"], "forbidden_destination"],
    [Array.from({ length: 10 }, () => "https://example.com/"), "ok"],
    [Array.from({ length: 11 }, () => "https://example.com/"), "too_many_redirects"],
  ])("hops that a transport followed by itself are judged: %j", async (hops, kind) => {
    const answer = { status: 200, headers: [], body: null, hops };
    const own = createHttpDoor({ network, transport: async () => answer });
    expect(kindOf(await ask(own, { url: "https://example.com/" }))).toBe(kind);
  });
});
