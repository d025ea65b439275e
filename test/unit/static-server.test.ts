// The server that the browser tests rely on: headers, types, paths and faults; Node.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveStatic } from "../static-server.ts";
import type { StaticServer } from "../static-server.ts";

let folder: string;
let server: StaticServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "static-server-"));
  mkdirSync(join(folder, "site"));
  writeFileSync(join(folder, "secret.txt"), "secret");
  writeFileSync(join(folder, "site/index.html"), "<p>index");
  writeFileSync(join(folder, "site/a.wasm"), new Uint8Array(200_000));
  server = await serveStatic({
    folders: { "/": join(folder, "site") },
    files: { "/held.js": "export {};" },
    handlers: { "/echo": (request, response) => void response.end(request.method) },
  });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test("serves files with their types", async () => {
  const index = await fetch(server.url("/"));
  expect(await index.text()).toBe("<p>index");
  expect(index.headers.get("content-type")).toMatch("text/html");
  const wasm = await fetch(server.url("/a.wasm"));
  expect(wasm.headers.get("content-type")).toBe("application/wasm");
  expect((await wasm.arrayBuffer()).byteLength).toBe(200_000);
  expect((await fetch(server.url("/held.js"))).headers.get("content-type")).toMatch(
    "text/javascript",
  );
  expect(await (await fetch(server.url("/echo"), { method: "POST" })).text()).toBe("POST");
  expect((await fetch(server.url("/none"))).status).toBe(404);
});

test("each mode sends its headers, and modes add up", async () => {
  const headers = async (mode?: "coi" | "dip" | "csp" | "csp-tt" | "coi+csp") =>
    (await fetch(server.url("/", mode))).headers;
  expect((await headers()).has("cross-origin-opener-policy")).toBe(false);
  const coi = await headers("coi");
  expect(coi.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(coi.get("cross-origin-embedder-policy")).toBe("require-corp");
  expect((await headers("dip")).get("document-isolation-policy")).toBe("isolate-and-require-corp");
  expect((await headers("csp")).get("content-security-policy")).toContain("default-src 'none'");
  expect((await headers("csp")).get("content-security-policy")).not.toContain("trusted");
  expect((await headers("csp-tt")).get("content-security-policy")).toContain(
    "require-trusted-types-for",
  );
  const both = await headers("coi+csp");
  expect(both.has("cross-origin-embedder-policy") && both.has("content-security-policy")).toBe(
    true,
  );
});

test("never serves what lies outside a folder", async () => {
  for (const path of ["/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"]) {
    expect(await raw(path)).not.toContain("secret");
  }
});

test("faults by query: status, type, delay, a broken connection", async () => {
  expect((await fetch(server.url("/?status=503"))).status).toBe(503);
  expect((await fetch(server.url("/a.wasm?type=text/plain"))).headers.get("content-type")).toBe(
    "text/plain",
  );
  const started = performance.now();
  await fetch(server.url("/?delay=150"));
  expect(performance.now() - started).toBeGreaterThan(140);
  const cut = await fetch(server.url("/a.wasm?cut=1000"));
  await expect(cut.arrayBuffer()).rejects.toThrow();
});

test("allows other origins only when asked to", async () => {
  expect((await fetch(server.url("/"))).headers.has("access-control-allow-origin")).toBe(false);
  const open = await serveStatic({ files: { "/x.js": "" }, cors: true });
  const { headers } = await fetch(open.url("/x.js"));
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  await open.close();
});

/** Sends a path as it is; fetch would tidy it first. */
function raw(path: string): Promise<string> {
  const { port, hostname } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (data) => (text += data));
    socket.on("end", () => resolve(text)).on("error", reject);
  });
}
