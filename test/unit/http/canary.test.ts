// A credential is nowhere but at its own origin: every byte that reached guest, record and other hosts is searched; Node.

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createHttpDoor, type HttpDoor } from "../../../src/http/http-door.ts";
import type { HttpTransport } from "../../../src/http/http-transport.ts";
import { ask } from "./ask.ts";
import { endpoints } from "./endpoints.ts";
import { memoryFiles, type MemoryFiles } from "./memory-files.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

let server: TestServer;
const canary = 'canary/7f3a"91c0+e5d2';
const values = { authorization: `Bearer ${canary}`, "x-api-key": canary };
const spellings = [canary, JSON.stringify(canary).slice(1, -1), encodeURIComponent(canary)];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(() => server.reset());

const transport: HttpTransport = async ({ url, headers, ...request }, signal) => {
  const init = { ...request, headers: headers.map(([...pair]) => pair), signal };
  const response = await server.fetch(url, { ...init, redirect: "manual" });
  return { status: response.status, headers: response.headers, body: response.body };
};

const network = {
  allow: [{ host: "api.example.com", redirects: "trusted" as const }, "other.example.com"],
  credentials: Object.entries(values).map(([header, value]) => ({
    origin: "https://api.example.com",
    header,
    value: async () => value,
  })),
};

function requests(): object[] {
  const at = "https://api.example.com";
  const away = encodeURIComponent("https://other.example.com/mirror?header=x-api-key");
  const evil = encodeURIComponent("https://evil.test/");
  const plain = Object.keys(endpoints).map((name) => ({ url: `${at}/${name}/9`, timeout_ms: 150 }));
  const output = { type: "file", path: "/out" };
  return [
    ...plain,
    ...Object.keys(values).flatMap((header) => [
      { url: `${at}/mirror?header=${header}` },
      { url: `${at}/mirror?header=${header}`, output },
      { url: `${at}/mirror?header=${header}`, headers: { [header]: "mine" } },
      { url: `https://other.example.com/mirror?header=${header}` },
    ]),
    { url: `${at}/echo` },
    { url: `${at}/echo`, method: "POST", body: { type: "text", text: "x" }, output },
    { url: `${at}/redirect/307?to=${away}` },
    { url: `${at}/redirect/307?to=${away}`, follow_redirects: false },
    { url: `${at}/redirect/302?to=${evil}` },
    { url: `https://other.example.com/redirect/302?to=${encodeURIComponent(`${at}/echo`)}` },
    { url: `https://user@api.example.com/` },
    { url: `http://api.example.com/` },
  ];
}

async function everything(door: HttpDoor, files: MemoryFiles): Promise<string[]> {
  const bytes: string[] = [];
  for (const request of requests()) {
    // oxlint-disable-next-line no-await-in-loop
    bytes.push(JSON.stringify(await ask(door, request)));
    const saved = files.files.get("/out");
    if (saved) bytes.push(Buffer.from(saved).toString("latin1"));
  }
  return [...bytes, JSON.stringify(door.requests)];
}

test.each(["fetch", "transport"])(
  "over %s",
  async (way) => {
    const files = memoryFiles();
    const heard: unknown[] = [];
    const door = createHttpDoor({
      network,
      files,
      onRequest: (record) => heard.push(structuredClone(record)),
      onProgress: (progress) => heard.push(progress),
      ...(way === "fetch" ? { fetch: server.fetch } : { transport }),
    });
    const seen = [...(await everything(door, files)), JSON.stringify(heard)];
    for (const text of seen) {
      for (const spelling of spellings) {
        expect(text).not.toContain(spelling);
        expect(text).not.toContain(JSON.stringify(spelling).slice(1, -1));
      }
    }
    // It did arrive where it belongs, was sent back from there, and nobody else has it.
    const mirrored = seen.filter((text) => text.includes("*".repeat(canary.length)));
    expect(mirrored.length).toBeGreaterThanOrEqual(6);
    const carried = server.seen.filter(({ headers }) => JSON.stringify(headers).includes("canary"));
    expect(carried.length).toBeGreaterThan(50);
    expect(new Set(carried.map(({ host }) => host))).toEqual(new Set(["api.example.com"]));
    expect(server.seen.some(({ host }) => host === "other.example.com")).toBe(true);
    for (const { host } of server.seen) expect(host).toMatch(/^(api|other)\.example\.com$/);
    for (const { headers } of server.seen) {
      expect(headers).not.toHaveProperty("cookie");
      expect(headers).not.toHaveProperty("referer");
    }
  },
  60_000,
);
