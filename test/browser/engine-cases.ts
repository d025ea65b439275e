// Runs cases in browsers that no driver speaks to: their page asks for the next case, and tells what came; Node.

import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeaderMode, StaticServer, StaticServerOptions } from "../static-server.ts";
import { serveStatic } from "../static-server.ts";
import { type Engine, EngineWindow } from "./engine.ts";

/** Until a browser has started, and asks. */
const START_MS = 10_000;

/** Behind a script that makes `runCase(name)`, which gives undefined or what went wrong. */
const LOOP = `
  for (;;) {
    const name = await (await fetch("/next")).text();
    const problem = await runCase(name);
    const found = [problem, ...(globalThis.problems ?? []).splice(0)].filter(Boolean);
    await fetch("/told", { method: "POST", body: JSON.stringify(found) });
  }`;

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  resolve(value: Value): void;
  reject(error: unknown): void;
}

function defer<Value>(): Deferred<Value> {
  let resolve!: (value: Value) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Value>((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request) body += String(piece);
  return body;
}

/** Cases at work in one engine, on one kind of page. */
export class EngineCases {
  readonly #engine: Engine;
  readonly #address: string;
  readonly #server: StaticServer;
  readonly #asked: { answer: Deferred<ServerResponse>; report: Deferred<string[]> };
  #window: EngineWindow | undefined;

  private constructor(
    engine: Engine,
    address: string,
    server: StaticServer,
    asked: { answer: Deferred<ServerResponse>; report: Deferred<string[]> },
  ) {
    this.#engine = engine;
    this.#address = address;
    this.#server = server;
    this.#asked = asked;
  }

  /** Serves a site whose `/cases/page.js` makes `runCase`. */
  static async open(
    engine: Engine,
    mode: HeaderMode,
    query: string,
    site: StaticServerOptions,
  ): Promise<EngineCases> {
    const asked = { answer: defer<ServerResponse>(), report: defer<string[]>() };
    const server = await serveStatic({
      ...site,
      files: {
        ...site.files,
        "/cases/": `<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>
          <script type="module">${LOOP}</script>`,
      },
      handlers: {
        "/next": (_, response) => asked.answer.resolve(response),
        "/told": async (request, response) => {
          asked.report.resolve(JSON.parse(await bodyOf(request)) as string[]);
          response.end();
        },
      },
    });
    return new EngineCases(engine, server.url(`/cases/?${query}`, mode), server, asked);
  }

  /** What went wrong in a case; nothing for good. Rejects when nothing comes in time. */
  async run(name: string, timeoutMs: number): Promise<string[]> {
    if (!this.#window || this.#engine.leavesSpinning) await this.#newWindow();
    const response = await this.#nextAsked();
    this.#asked.answer = defer();
    const report = (this.#asked.report = defer<string[]>());
    const late = setTimeout(() => report.reject(new Error(`${name}: nothing came`)), timeoutMs);
    response.end(name);
    try {
      return await report.promise;
    } catch (error) {
      await this.#newWindow(); // whatever keeps this one busy, the other cases are not to miss
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** The page's question for what to do. A browser that does not come up is started again. */
  async #nextAsked(): Promise<ServerResponse> {
    for (let tries = 3; tries > 0; tries--) {
      const asked = await Promise.race([this.#asked.answer.promise, sleep(START_MS)]);
      if (asked) return asked;
      await this.#newWindow();
    }
    throw new Error(`${this.#address}: no browser came up`);
  }

  async close(): Promise<void> {
    await this.#window?.close();
    await this.#server.close();
  }

  async #newWindow(): Promise<void> {
    await this.#window?.close();
    this.#asked.answer = defer();
    this.#window = new EngineWindow(this.#engine, this.#address);
  }
}
