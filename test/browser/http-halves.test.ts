// HTTP in Chromium through the C and AssemblyScript halves, at the protocol's limits, and what the page hears of it; Node.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HTTP_ERROR_KINDS } from "../../src/http/http-failure.ts";
import type { NetworkOptions } from "../../src/http/network-policy.ts";
import { HTTP_REQUEST_BYTES } from "../../src/limits.ts";
import {
  type HttpPage,
  type HttpPages,
  kinds,
  type Outcome,
  type RunSpec,
  startHttpPages,
} from "./http-pages.ts";

const origin = "https://api.example.com";
const network: NetworkOptions = { allow: ["api.example.com"] };
let pages: HttpPages;
beforeAll(async () => {
  pages = await startHttpPages();
});
afterAll(() => pages?.close());
beforeEach(() => pages.server.reset());

describe.each(["coi", "plain"] as const)("on a page that is %s", (mode) => {
  let opened: HttpPage;
  beforeAll(async () => {
    opened = await pages.open(mode);
  });
  afterAll(() => opened?.page.close());

  const run = async (guest: string, spec: RunSpec, stdin = ""): Promise<Outcome> =>
    (await opened.run(guest, [stdin], { network, ...spec }))[0]!;
  const ask = async (request: object | string, spec: RunSpec = {}): Promise<Outcome> =>
    (await opened.ask([request], { network, ...spec }))[0]!;

  describe.each([
    // The guests differ here, so that numbers are seen to be read as numbers.
    ["C", "http-get", "200"],
    ["AssemblyScript", "http-get-assemblyscript", "200.5"],
  ])("the %s half", (_language, guest, status) => {
    test("sends a header and reads the answer", async () => {
      const args = [`${origin}/json`, "x-own", "one two"];
      const { stdout, stderr, exitCode, requests } = await run(guest, { args });
      expect({ stdout, stderr, exitCode }).toEqual({
        stdout: `${status}\napplication/json\n{"status":"shipped"}\n`,
        stderr: "",
        exitCode: 0,
      });
      expect(pages.server.seen).toMatchObject([
        { host: "api.example.com", method: "GET", path: "/json", headers: { "x-own": "one two" } },
      ]);
      expect(requests).toMatchObject([{ method: "GET", status: 200, responseBytes: 20 }]);
    });

    test("reads a body of 256 KiB, and text of any script", async () => {
      const full = await run(guest, { args: [`${origin}/size/262144`] });
      expect(full.stdout).toHaveLength(`${status}\n\n\n`.length + 262_144);
      expect(full.stdout).toMatch(/\na{262144}\n$/);
      const { stdout } = await run(guest, { args: [`${origin}/utf8`] });
      expect(stdout).toBe(`${status}\n\ngrün 東京 🏰\n`);
    });

    test.each([
      ["https://other.example.com/text", "host_not_allowed", /allowlist/],
      ["http://api.example.com/text", "forbidden_destination", /https/],
      [`${origin}/latin1`, "not_text", /file/],
      [`${origin}/size/262145`, "too_large", /file/],
      [`${origin}/nocors/text`, "connection", /CORS/],
      ["no url", "invalid_request", /URL/i],
    ])("%s: %s", async (url, kind, advice) => {
      const { stdout, stderr, exitCode } = await run(guest, { args: [url] });
      expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 1 });
      expect(stderr).toMatch(new RegExp(`^${kind}: .+\n$`));
      expect(stderr).toMatch(advice);
    });

    test("has no network without a policy", async () => {
      const [outcome] = await opened.run(guest, [""], { args: [`${origin}/text`] });
      expect(outcome!.stderr).toMatch(/^host_not_allowed: /);
      expect(pages.server.handshakes.size).toBe(0);
    });
  });

  /** A request document of exactly so many bytes. */
  const documentOf = (bytes: number): string => {
    const around = { method: "PUT", url: `${origin}/upload`, body: { type: "text", text: "" } };
    const text = "a".repeat(bytes - JSON.stringify(around).length);
    return JSON.stringify({ ...around, body: { type: "text", text } });
  };

  test("a request of 8 MiB goes over the channel whole", async () => {
    const document = documentOf(HTTP_REQUEST_BYTES);
    expect(document).toHaveLength(8 * 2 ** 20);
    const sent = await ask(document);
    const { bytes } = JSON.parse(sent.answer.ok!.body.text!);
    expect(bytes).toBe(JSON.parse(document).body.text.length);
    expect(sent.requests).toMatchObject([{ status: 200, requestBytes: bytes }]);
    expect(sent.heard).toEqual([`up ${bytes}`, "PUT 200"]);
  });

  test("one byte more is refused, and nothing is sent", async () => {
    const over = await ask(documentOf(HTTP_REQUEST_BYTES + 1));
    expect(kinds([over])).toEqual(["invalid_request"]);
    expect(over.answer.error!.message).toContain("8388609 bytes; at most 8388608");
    expect(over).toMatchObject({ status: "exited", exitCode: 0 });
    expect(pages.server.handshakes.size).toBe(0);
  });

  test("twelve kinds of failure reach a guest; the thirteenth would be the host's own", async () => {
    const twice = [1, 2].map((n) => ({ origin, header: "x-api-key", value: `secret-${n}` }));
    const credentials = twice.slice(0, 1);
    const out = { type: "file", path: "/out.bin" };
    const cases: [string, object, RunSpec?][] = [
      ["invalid_request", { url: `${origin}/text`, nope: 1 }],
      ["host_not_allowed", { url: "https://other.example.com/" }],
      ["forbidden_destination", { url: "https://127.0.0.1/" }],
      [
        "credential_header",
        { url: `${origin}/text`, headers: { "x-api-key": "mine" } },
        { network: { ...network, credentials } },
      ],
      [
        "credential_unavailable",
        { url: `${origin}/text` },
        { network: { ...network, credentials: twice } },
      ],
      ["too_many_redirects", { url: `${origin}/chain/1` }],
      ["timeout", { url: `${origin}/hang`, timeout_ms: 200 }],
      ["too_large", { url: `${origin}/endless` }],
      ["not_text", { url: `${origin}/binary` }],
      [
        "write_budget",
        { url: `${origin}/size/50000`, output: out },
        { limits: { writeBytes: 1_000 } },
      ],
      ["bad_path", { url: `${origin}/text`, output: { ...out, path: "/no/where" } }],
      ["connection", { url: `${origin}/halfbody` }],
    ];
    const seen = await Promise.all(
      cases.map(async ([, request, spec]) => kinds([await ask(request, spec)])[0]),
    );
    expect(seen).toEqual(cases.map(([kind]) => kind));
    expect(HTTP_ERROR_KINDS.filter((kind) => !seen.includes(kind))).toEqual(["abi"]);
  });

  test("a credential that a function fetches is at its origin, and nowhere that a guest or a page looks", async () => {
    const value = "canary-late-51b0c7";
    const credentials = [{ origin, header: "authorization", value: `Bearer ${value}` }];
    const outcome = await ask(
      { url: `${origin}/mirror` },
      { network: { ...network, credentials }, lateCredentials: true },
    );
    expect(pages.server.seen.map(({ headers }) => headers["authorization"])).toEqual([
      `Bearer ${value}`,
    ]);
    expect(outcome.answer.ok!.status).toBe(200);
    expect(JSON.stringify(outcome)).not.toContain(value);
  });

  test("the page hears of each request as it ends, and of a large body as it comes", async () => {
    const output = { type: "file", path: "/out.bin" };
    const { heard } = await ask({ url: `${origin}/size/1000000`, output });
    expect(heard.at(-1)).toBe("GET 200");
    const sizes = heard.slice(0, -1).map((one) => Number(/^down (\d+)$/.exec(one)![1]));
    expect(sizes.length).toBeGreaterThanOrEqual(3);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(sizes.at(-1)).toBeLessThanOrEqual(1_000_000);
    const refused = await ask({ url: "https://other.example.com/" });
    expect(refused.heard).toEqual(["GET host_not_allowed"]);
  });

  test("a function package fetches, from its volume and into it", async () => {
    const upload = { method: "PUT", url: `${origin}/upload` };
    const output = { type: "file", path: "/volume/data/out.bin" };
    const { answers, saved, requests } = await opened.callPackage(
      [
        { url: `${origin}/json` },
        { ...upload, body: { type: "file", path: "/volume/data/in.txt" } },
        { url: `${origin}/size/3000000`, output },
        { url: `${origin}/halfbody`, output: { ...output, path: "/volume/data/partial" } },
        { ...upload, body: { type: "file", path: "/volume/data/absent" } },
        { url: "https://other.example.com/" },
      ],
      { "/data/in.txt": "x".repeat(1_500_000) },
      { network },
    );
    expect(answers[0]).toContain('"status":200');
    expect(JSON.parse(JSON.parse(answers[1]!).ok.body.text).bytes).toBe(1_500_000);
    expect(JSON.parse(answers[2]!).ok.body).toEqual({ ...output, bytes: 3_000_000 });
    const failed = answers.slice(3).map((one) => JSON.parse(one).error.kind);
    expect(failed).toEqual(["connection", "bad_path", "host_not_allowed"]);
    expect(saved).toEqual({ "/data/in.txt": 1_500_000, "/data/out.bin": 3_000_000 });
    expect(requests.map(({ status, kind }) => kind ?? status)).toEqual([200, 200, 200, ...failed]);
  });

  test("a package's own time limit holds while it waits for HTTP, whatever the request allows", async () => {
    const started = Date.now();
    const hang = { url: `${origin}/hang`, timeout_ms: 60_000 };
    const { answers } = await opened.callPackage([hang], {}, { network, timeoutMs: 500 });
    expect(answers).toEqual(["PackageCrash: timeout"]);
    expect(Date.now() - started).toBeLessThan(5_000);
    await expect.poll(() => pages.server.cut).toContain("/hang");
  });
});
