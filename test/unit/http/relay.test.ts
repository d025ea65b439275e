// The relay of the demos: full HTTP semantics for guests, over a real HTTPS server, and what it refuses; Node.

import { createHash, randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPublicAddress } from "../../../demo/relay/public-address.mjs";
import { createRelay, type RelayOptions } from "../../../demo/relay/relay.mjs";
import { relayTransport } from "../../../demo/relay/relay-transport.mjs";
import { createHttpDoor, type HttpDoor } from "../../../src/http/http-door.ts";
import { ask, kindOf } from "./ask.ts";
import { memoryFiles } from "./memory-files.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

const app = "https://app.example";
const MiB = 2 ** 20;
let server: TestServer;
const relays: Server[] = [];
let host: string;
let origin: string;

beforeAll(async () => {
  server = await startTestServer();
  host = `api.example.com:${server.port}`;
  origin = `https://${host}`;
});
afterAll(async () => {
  for (const relay of relays) {
    relay.closeAllConnections();
    relay.close();
  }
  await server.close();
});
beforeEach(() => server.reset());

/** Starts a relay whose names all lead to loopback, and allows that. Gives its URL. */
async function startRelay(options: Partial<RelayOptions> = {}): Promise<string> {
  const relay = createRelay({
    allow: [host, `other.example.com:${server.port}`],
    origins: [app],
    resolve: async () => ["127.0.0.1"],
    permits: (address) => address === "127.0.0.1",
    ca: server.ca,
    ...options,
  });
  const listening = createServer((request, response) => void relay(request, response));
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  relays.push(listening);
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}/relay`;
}

/** A page's fetch says where it comes from. */
const pageFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set("origin", app);
  headers.set("sec-fetch-site", "same-origin");
  return fetch(input, { ...init, headers });
};

async function doorOver(options: Partial<RelayOptions> = {}, more: object = {}): Promise<HttpDoor> {
  const endpoint = await startRelay(options);
  const allow = [`*.example.com:${server.port}`];
  return createHttpDoor({
    network: { allow },
    transport: relayTransport(endpoint, pageFetch),
    ...more,
  });
}

describe("what a guest gains", () => {
  test("all headers, both ways", async () => {
    const door = await doorOver();
    const headers = { "user-agent": "guest/1", origin: "https://guest.example", "x-own": "1" };
    const answer = await ask(door, { url: `${origin}/echo`, headers });
    expect(JSON.parse(answer.ok!.body.text!).headers).toMatchObject({ ...headers, host });
    const cookies = await ask(door, { url: `${origin}/cookies` });
    expect(cookies.ok!.headers["set-cookie"]).toBe("session=1; HttpOnly, theme=dark");
  });

  test("redirects as they are, and followed ten times", async () => {
    const door = await doorOver();
    const url = `${origin}/redirect/302?to=/text`;
    const shown = await ask(door, { url, follow_redirects: false });
    expect(shown.ok).toMatchObject({ status: 302, headers: { location: "/text" } });
    expect((await ask(door, { url })).ok?.body.text).toBe("one, two, three\n");
    expect(kindOf(await ask(door, { url: `${origin}/chain/10` }))).toBe("ok");
    expect(kindOf(await ask(door, { url: `${origin}/chain/11` }))).toBe("too_many_redirects");
  });

  test.each(["text", "json", "empty", "utf8", "gzip", "deflate", "brotli", "odd", "teapot"])(
    "%s",
    async (path) => {
      const direct = createHttpDoor({
        network: { allow: ["api.example.com"] },
        fetch: server.fetch,
      });
      const expected = await ask(direct, { url: `https://api.example.com/${path}` });
      const answer = await ask(await doorOver(), { url: `${origin}/${path}` });
      expect(answer.ok?.body).toEqual(expected.ok?.body);
      expect(answer.ok?.status).toBe(expected.ok?.status);
    },
  );

  test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])("%s", async (method) => {
    const body = method === "GET" || method === "HEAD" ? {} : { body: { type: "text", text: "x" } };
    expect(kindOf(await ask(await doorOver(), { url: `${origin}/echo`, method, ...body }))).toBe(
      "ok",
    );
    expect(server.seen.at(-1)?.method).toBe(method);
  });

  test("files of any size, there and back", async () => {
    const bytes = new Uint8Array(randomBytes(3 * MiB + 1));
    const files = memoryFiles({ "/in": bytes });
    const door = await doorOver({}, { files });
    const body = { type: "file", path: "/in" };
    const up = await ask(door, { method: "PUT", url: `${origin}/upload`, body });
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(JSON.parse(up.ok!.body.text!)).toEqual({ bytes: bytes.length, sha256 });
    expect(server.seen.at(-1)?.headers["transfer-encoding"]).toBe("chunked");
    const output = { type: "file", path: "/out" };
    const down = await ask(door, { url: `${origin}/size/${2 * MiB}`, output });
    expect(down.ok?.body.bytes).toBe(2 * MiB);
    expect(files.files.get("/out")).toHaveLength(2 * MiB);
  });
});

describe("failures come through", () => {
  test.each([
    ["latin1", "not_text"],
    ["bomb", "too_large"],
    ["endless", "too_large"],
    ["hang", "timeout"],
    ["drip", "timeout"],
    ["reset", "connection"],
    ["halfhead", "connection"],
    ["halfbody", "connection"],
    ["halfchunk", "connection"],
    ["garbage", "connection"],
    ["liar", "connection"],
    ["torn", "connection"],
  ])("%s: %s", async (path, kind) => {
    const answer = await ask(await doorOver(), { url: `${origin}/${path}`, timeout_ms: 1_000 });
    expect(kindOf(answer)).toBe(kind);
  });

  test("the server's connection ends with the guest's", async () => {
    const door = await doorOver();
    await ask(door, { url: `${origin}/endless` });
    await ask(door, { url: `${origin}/hang`, timeout_ms: 100 });
    await expect.poll(() => server.cut.toSorted()).toEqual(["/endless", "/hang"]);
  });

  test("the relay's own time limit", async () => {
    const door = await doorOver({ timeoutMs: 100 });
    expect(kindOf(await ask(door, { url: `${origin}/hang` }))).toBe("timeout");
  });

  test("a body over the relay's limit", async () => {
    const door = await doorOver({ bodyBytes: 1_000 });
    const body = { type: "text", text: "x".repeat(200_000) };
    const answer = await ask(door, { method: "PUT", url: `${origin}/upload`, body });
    expect(answer.error).toMatchObject({ kind: "abi", message: expect.stringContaining("413") });
    expect(server.seen).toEqual([]);
  });
});

describe("the relay judges by itself", () => {
  test("its list is its own", async () => {
    const door = await doorOver({ allow: [`other.example.com:${server.port}`] });
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("host_not_allowed");
    expect(server.seen).toEqual([]);
  });

  test("each hop is judged: by the door's list, and by the relay's", async () => {
    const door = await doorOver({ allow: [host] });
    for (const to of [`https://other.example.com:${server.port}/text`, "https://evil.test/"]) {
      const url = `${origin}/redirect/302?to=${encodeURIComponent(to)}`;
      // oxlint-disable-next-line no-await-in-loop
      expect(kindOf(await ask(door, { url }))).toBe("host_not_allowed");
    }
    expect(new Set(server.seen.map((one) => one.host))).toEqual(new Set(["api.example.com"]));
  });

  test.each([
    [["127.0.0.1"]],
    [["10.0.0.1"]],
    [["8.8.8.8", "192.168.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["fd00::1"]],
    [["2606:4700::1111", "fe80::1"]],
  ])("a name that leads to %j is a forbidden destination", async (addresses) => {
    const door = await doorOver({ resolve: async () => addresses, permits: isPublicAddress });
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("forbidden_destination");
    expect(server.seen).toEqual([]);
  });

  test("a name is asked for once, and the answer that was checked is the one connected to", async () => {
    const answers = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const door = await doorOver({ resolve: async () => answers[asked++] ?? [] });
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("ok");
    expect(asked).toBe(1);
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("forbidden_destination");
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("connection");
  });

  test("a server with a certificate that nobody vouches for", async () => {
    const resolve = async (): Promise<string[]> => ["127.0.0.1"];
    const relay = createRelay({ allow: [host], origins: [app], permits: () => true, resolve });
    const listening = createServer((request, response) => void relay(request, response));
    await new Promise<void>((done) => listening.listen(0, "127.0.0.1", done));
    relays.push(listening);
    const at = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/relay`;
    const network = { allow: [host] };
    const door = createHttpDoor({ network, transport: relayTransport(at, pageFetch) });
    expect(kindOf(await ask(door, { url: `${origin}/text` }))).toBe("connection");
    expect(server.seen).toEqual([]);
  });
});

describe("who may use it, and how", () => {
  const frame = (head: object | string): Blob => {
    const json = Buffer.from(typeof head === "string" ? head : JSON.stringify(head));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(json.byteLength);
    return new Blob([length, json]);
  };
  const good = { origin: app, "content-type": "application/x-sallyport-relay" };
  const post = async (headers: Record<string, string>, body: Blob | string, method = "POST") => {
    const endpoint = await startRelay();
    const init = { method, headers, ...(method === "POST" && { body }) };
    return fetch(endpoint, init);
  };

  test.each([
    ["another origin", { ...good, origin: "https://evil.example" }, 403],
    ["no origin", { "content-type": good["content-type"] }, 403],
    ["another site's page", { ...good, "sec-fetch-site": "cross-site" }, 403],
    ["a form", { ...good, "content-type": "text/plain" }, 415],
  ])("%s: %i", async (_what, headers, status) => {
    const head = { method: "GET", url: `${origin}/text`, headers: [] };
    expect((await post(headers, frame(head))).status).toBe(status);
    expect(server.seen).toEqual([]);
  });

  test("GET: 405", async () => {
    expect((await post(good, "", "GET")).status).toBe(405);
  });

  test.each([
    ["nothing", ""],
    ["a short length", "\0\0"],
    ["a length without a head", "\0\0\0\x10"],
    ["a head that is too long", "\x7f\0\0\0"],
    ["no JSON", frame("{")],
    ["null", frame("null")],
    [
      "a method of its own",
      frame({ method: "TRACE", url: "https://api.example.com/", headers: [] }),
    ],
    ["no headers", frame({ method: "GET", url: "https://api.example.com/" })],
    ["plain http", frame({ method: "GET", url: "http://api.example.com/", headers: [] })],
    ["user information", frame({ method: "GET", url: "https://u@api.example.com/", headers: [] })],
    ["no URL", frame({ method: "GET", url: 7, headers: [] })],
  ])("%s is an invalid request", async (_what, body) => {
    const response = await post(good, typeof body === "string" ? new Blob([body]) : body);
    const bytes = Buffer.from(await response.arrayBuffer());
    const head = JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32BE(0)).toString());
    expect(head.error.kind).toBe("invalid_request");
  });

  test.each(["https://127.0.0.1/", "https://[::1]/", "https://2130706433/", "https://localhost/"])(
    "%s is not allowed by any entry",
    async (url) => {
      const response = await post(good, frame({ method: "GET", url, headers: [] }));
      expect(await response.text()).toContain("host_not_allowed");
    },
  );

  test.each([
    "",
    "127.0.0.1",
    "localhost",
    "*",
    "*.com",
    "https://a.example",
    "a.example/",
    "[::1]",
  ])("%j cannot be in its list", (entry) => {
    expect(() => createRelay({ allow: [entry], origins: [app] })).toThrow("not a host");
  });
});

test.each([
  ["8.8.8.8", true],
  ["1.1.1.1", true],
  ["2606:4700:4700::1111", true],
  ["172.15.255.255", true],
  ["172.32.0.1", true],
  ["100.63.255.255", true],
  ["0.0.0.0", false],
  ["10.255.255.255", false],
  ["100.64.0.1", false],
  ["127.0.0.1", false],
  ["169.254.169.254", false],
  ["172.16.0.1", false],
  ["172.31.255.255", false],
  ["192.0.0.1", false],
  ["192.168.1.1", false],
  ["198.19.0.1", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::ffff:8.8.8.8", false],
  ["::ffff:127.0.0.1", false],
  ["64:ff9b::7f00:1", false],
  ["fe80::1", false],
  ["fc00::1", false],
  ["ff02::1", false],
  ["2001::1", false],
  ["2001:db8::1", false],
  ["2002:7f00:1::", false],
  ["fe80::1%eth0", false],
  ["localhost", false],
  ["", false],
])("%s is public: %s", (address, expected) => expect(isPublicAddress(address)).toBe(expected));
