// HTTP of real guests in Chromium: a wasm guest over subako_http, a page, and an HTTPS server that sees it all; Node.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NetworkOptions } from "../../src/http/network-policy.ts";
import { debianCorpus } from "../unit/http/debian-corpus.ts";
import { endpoints } from "../unit/http/endpoints.ts";
import type { TestServer } from "../unit/http/test-server.ts";
import { allowedUrls, misleadingUrls, privateHosts } from "../unit/http/url-spellings.ts";
import {
  type HttpPage,
  type HttpPages,
  kinds,
  type Outcome,
  type RunSpec,
  startHttpPages,
} from "./http-pages.ts";

const origin = "https://api.example.com";
let pages: HttpPages;
let server: TestServer;

beforeAll(async () => {
  pages = await startHttpPages();
  server = pages.server;
});
afterAll(() => pages?.close());
beforeEach(() => server.reset());

/** Hosts that saw a connection or, over one that was kept, a request. */
function reached(): string[] {
  return [...new Set([...server.handshakes, ...server.seen.map(({ host }) => host)])];
}

describe.each(["coi", "plain"] as const)("on a page that is %s", (mode) => {
  let opened: HttpPage;
  beforeAll(async () => {
    opened = await pages.open(mode);
  });
  afterAll(() => opened?.page.close());
  afterEach(() => {
    // Whatever a test does: no cookie, no referrer, and nobody but the two listed names.
    for (const { headers } of server.seen) {
      expect(headers).not.toHaveProperty("cookie");
      expect(headers).not.toHaveProperty("referer");
    }
  });

  const network: NetworkOptions = { allow: ["example.com", "*.example.com"] };
  const ask = (requests: readonly (object | string)[], spec: RunSpec = {}): Promise<Outcome[]> =>
    opened.ask(requests, { network, ...spec });

  test("the rung is the one the page allows", async () => {
    const transport = await opened.page.evaluate(() =>
      (globalThis as unknown as { transportOf(): Promise<string> }).transportOf(),
    );
    expect(transport).toBe(mode === "coi" ? "shared-memory" : "suspending");
  });

  const expected: Record<string, string> = {
    text: "ok",
    json: "ok",
    empty: "ok",
    utf8: "ok",
    bom: "ok",
    nul: "ok",
    "status/404": "ok",
    "status/204": "ok",
    teapot: "ok",
    echo: "ok",
    upload: "ok",
    close: "ok",
    trailers: "ok",
    hints: "ok",
    odd: "ok",
    http10: "ok",
    latin1: "not_text",
    binary: "not_text",
    cutoff: "not_text",
    surrogate: "not_text",
    utf16: "not_text",
    gzip: "ok",
    deflate: "ok",
    brotli: "ok",
    liar: "connection",
    bomb: "too_large",
    "size/262144": "ok",
    "size/262145": "too_large",
    "chunked/262144": "ok",
    "chunked/262145": "too_large",
    endless: "too_large",
    boaster: "timeout",
    "late/50": "ok",
    "late/3000": "timeout",
    "pause/50": "ok",
    "pause/3000": "timeout",
    hang: "timeout",
    drip: "timeout",
    halfhead: "connection",
    halfbody: "connection",
    halfchunk: "connection",
    garbage: "connection",
    reset: "connection",
    smuggle: "connection",
    many: "ok",
    heavy: "ok",
    cookies: "ok",
    mirror: "ok",
    "redirect/302?to=/text": "too_many_redirects",
    "chain/1": "too_many_redirects",
    loop: "too_many_redirects",
    // No permission in the answer: the browser keeps it from the page.
    "nocors/text": "connection",
  };

  test.each(Object.entries(expected))("%s: %s", async (path, kind) => {
    const [outcome] = await ask([{ url: `${origin}/${path}`, timeout_ms: 1_500 }]);
    expect(kinds([outcome!])).toEqual([kind]);
    expect(outcome).toMatchObject({ status: "exited", exitCode: 0 });
    expect(outcome!.requests).toHaveLength(1);
    if (kind === "connection") expect(outcome!.answer.error!.message).toMatch(/CORS|broke off/);
  });

  /** What an engine may be lenient about: nothing of these but what was sent. */
  const lenient: Record<string, (text: string) => boolean> = {
    badheader: (text) => text === "",
    badlength: (text) => text === "abc",
    torn: (text) => "one, two, three\n".repeat(9_999).startsWith(text),
  };

  test.each(Object.entries(lenient))("%s: connection, or what came", async (path, asSent) => {
    const [outcome] = await ask([{ url: `${origin}/${path}`, timeout_ms: 1_500 }]);
    const { answer, requests } = outcome!;
    if (answer.error) expect(answer.error.kind).toBe("connection");
    else expect(asSent(answer.ok!.body.text!), answer.ok!.body.text).toBe(true);
    expect(requests).toHaveLength(1);
  });

  test("odd header names are plain keys", async () => {
    const [outcome] = await ask([{ url: `${origin}/odd` }]);
    for (const part of ['"__proto__":"polluted"', '"constructor":"c"', '"x-twice":"1, 2"']) {
      expect(outcome!.stdout).toContain(part);
    }
  });

  test("every endpoint of the server is asked", () => {
    const paths = [...Object.keys(expected), ...Object.keys(lenient)];
    const asked = new Set(paths.map((path) => path.split(/[/?]/)[0]));
    expect(Object.keys(endpoints).filter((name) => !asked.has(name))).toEqual([]);
    expect(Object.keys(expected).length).toBeGreaterThan(40);
  });

  test("bodies and methods arrive", async () => {
    const methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    const body = { type: "text", text: "grün" };
    const outcomes = await ask(methods.map((method) => ({ method, url: `${origin}/echo`, body })));
    outcomes.forEach(({ answer }, at) => {
      const seen = JSON.parse(answer.ok!.body.text!);
      expect(seen).toMatchObject({
        method: methods[at],
        body: Buffer.from("grün").toString("latin1"),
      });
      expect(seen.headers["content-type"]).toBe("text/plain; charset=utf-8");
    });
  });

  test("a bomb is cut off 64 KiB past the limit", async () => {
    const [outcome] = await ask([{ url: `${origin}/bomb` }]);
    expect(outcome!.requests[0]!.responseBytes).toBeLessThanOrEqual(262_144 + 65_536);
    await expect.poll(() => server.cut).toContain("/bomb");
  });

  test("files of the guest go out and come in, and a partial one is not there", async () => {
    const given = Array.from({ length: 2_500_000 }, (_, at) => String.fromCharCode(at % 251)).join(
      "",
    );
    const put = {
      method: "PUT",
      url: `${origin}/upload`,
      body: { type: "file", path: "/in.bin" },
    };
    const [sent] = await ask([put], { files: { "/in.bin": given } });
    expect(JSON.parse(sent!.answer.ok!.body.text!).bytes).toBe(given.length);

    const output = { type: "file", path: "/out.bin" };
    const [saved] = await ask([{ url: `${origin}/size/3000000`, output }]);
    expect(saved!.answer.ok!.body).toEqual({ ...output, bytes: 3_000_000 });
    expect(saved!.files["/out.bin"]).toHaveLength(3_000_000);

    const [partial] = await ask([{ url: `${origin}/halfbody`, output }]);
    expect(kinds([partial!])).toEqual(["connection"]);
    expect(partial!.files).toEqual({});

    const absent = { ...put, body: { type: "file", path: "/absent" } };
    server.reset();
    expect(kinds(await ask([absent, { ...put, output: { ...output, path: "/no/x" } }]))).toEqual([
      "bad_path",
      "bad_path",
    ]);
    expect(server.seen).toEqual([]);
  });

  test("misuse of the imports gives their numbers", async () => {
    const stdin = JSON.stringify({ url: `${origin}/text` });
    const [outcome] = await opened.run("http-misuse", [stdin], { network });
    expect(outcome!.stdout.trim().split("\n")).toEqual(["-1", "-2", "-3", "0", "-2"]);
  });

  test("without a network there is none", async () => {
    const [outcome] = await opened.run("http-raw", [JSON.stringify({ url: `${origin}/text` })], {});
    expect(kinds([outcome!])).toEqual(["host_not_allowed"]);
    expect(reached()).toEqual([]);
  });

  test("a guest that waits for HTTP is killed at once", async () => {
    const started = Date.now();
    const [outcome] = await ask([{ url: `${origin}/hang` }], { killAfterMs: 300 });
    expect(outcome!.status).toBe("killed");
    expect(Date.now() - started).toBeLessThan(1_500);
    await expect.poll(() => server.cut).toContain("/hang");
  });

  test("no spelling of a URL reaches an unlisted host", async () => {
    const data = debianCorpus("librust-url-dev", "tests/urltestdata.json");
    const corpus = (JSON.parse(data ?? "[]") as ({ input: string; base: string | null } | string)[])
      .filter((one) => typeof one === "object")
      .filter(({ input }) => /^\s*https?:/i.test(input))
      .map(({ input }) => input);
    const refused = [...privateHosts.map((host) => `https://${host}/`), ...misleadingUrls];
    const outcomes = await ask(refused.map((url) => ({ url })));
    for (const [at, { answer }] of outcomes.entries())
      expect(answer.error, refused[at]).toBeDefined();
    expect(reached()).toEqual([]);

    await ask(corpus.map((url) => ({ url, timeout_ms: 5_000 })));
    if (data) expect(refused.length + corpus.length).toBeGreaterThan(365);
    for (const host of reached()) expect(host).toMatch(/^(.+\.)?example\.com$/);

    server.reset();
    const allowed = await ask(allowedUrls.map(([url]) => ({ url })));
    expect(kinds(allowed)).toEqual(allowedUrls.map(() => "ok"));
  }, 120_000);

  test("no redirect reaches an unlisted host", async () => {
    const away = [
      ...["https://evil.test/", "//evil.test/", "/\\evil.test/", "http://example.com/"],
      ...["https://127.0.0.1/", "https://0x7f.1/", "http://169.254.169.254/", "https://[::1]/"],
      ...["https://example.com:8443/", "https://user@example.com/", "data:text/plain,x", "/text"],
    ];
    const urls = away.map((to) => `${origin}/redirect/307?to=${encodeURIComponent(to)}`);
    const outcomes = await ask(
      urls.map((url) => ({ url, method: "POST", body: { type: "text", text: "x" } })),
    );
    expect(kinds(outcomes)).toEqual(away.map(() => "too_many_redirects"));
    expect(reached()).toEqual(["api.example.com"]);
    expect(server.seen).toHaveLength(away.length);
  });

  test("a credential is nowhere but at its origin", async () => {
    const canary = "canary-7f3a91c0e5d2";
    const credentials = [{ origin, header: "x-api-key", value: canary }];
    const allow = [{ host: "api.example.com", redirects: "trusted" as const }, "other.example.com"];
    const to = encodeURIComponent("https://other.example.com/mirror?header=x-api-key");
    const outcomes = await ask(
      [
        { url: `${origin}/mirror?header=x-api-key` },
        { url: `${origin}/mirror?header=x-api-key`, output: { type: "file", path: "/out" } },
        { url: `${origin}/redirect/307?to=${to}` },
        { url: `${origin}/echo`, headers: { "x-api-key": "mine" } },
        { url: "https://other.example.com/mirror?header=x-api-key" },
        { url: `${origin}/hang`, timeout_ms: 300 },
      ],
      { network: { allow, credentials } },
    );
    expect(kinds(outcomes)).toEqual([
      "ok",
      "ok",
      "too_many_redirects",
      "credential_header",
      "ok",
      "timeout",
    ]);
    expect(JSON.stringify(outcomes)).not.toContain(canary);
    expect(outcomes[0]!.answer.ok!.body.text).toContain(`[${"*".repeat(canary.length)}]`);
    const carried = server.seen.filter(({ headers }) => JSON.stringify(headers).includes(canary));
    expect(carried.length).toBe(4);
    for (const { host } of carried) expect(host).toBe("api.example.com");
  });

  test("trusted redirects end at a listed host, or their body is dropped", async () => {
    const allow = [{ host: "api.example.com", redirects: "trusted" as const }, "other.example.com"];
    const at = (to: string): object => ({
      url: `${origin}/redirect/302?to=${encodeURIComponent(to)}`,
    });
    const outcomes = await ask(
      [at("https://other.example.com/text"), at("https://third.example.com/text"), at("/text")],
      { network: { allow } },
    );
    expect(kinds(outcomes)).toEqual(["ok", "host_not_allowed", "ok"]);
  });

  test("through the page's relay: redirects, all headers, no CORS, no private address", async () => {
    const at = `https://api.example.com:${server.port}`;
    const allow = [`*.example.com:${server.port}`];
    const headers = { "user-agent": "guest/1", "x-own": "1" };
    const body = { type: "file", path: "/in.bin" };
    const [shown, followed, far, tooFar, echo, cookies, up, hidden, elsewhere] = await ask(
      [
        { url: `${at}/redirect/302?to=/text`, follow_redirects: false },
        { url: `${at}/redirect/302?to=/text` },
        { url: `${at}/chain/10` },
        { url: `${at}/chain/11` },
        { url: `${at}/echo`, headers },
        { url: `${at}/nocors/cookies` },
        { url: `${at}/upload`, method: "PUT", body },
        { url: `https://private.example.com:${server.port}/text` },
        { url: `https://other.example.com:${server.port}/text` },
      ],
      { network: { allow }, relay: true, files: { "/in.bin": "x".repeat(1_500_000) } },
    );
    expect(shown!.answer.ok).toMatchObject({ status: 302, headers: { location: "/text" } });
    expect(kinds([followed!, far!, tooFar!])).toEqual(["ok", "ok", "too_many_redirects"]);
    expect(JSON.parse(echo!.answer.ok!.body.text!).headers).toMatchObject(headers);
    expect(cookies!.answer.ok!.headers["set-cookie"]).toContain("session=1");
    expect(JSON.parse(up!.answer.ok!.body.text!).bytes).toBe(1_500_000);
    expect(kinds([hidden!, elsewhere!])).toEqual(["forbidden_destination", "host_not_allowed"]);
    expect(reached()).toEqual(["api.example.com"]);
  });
});
