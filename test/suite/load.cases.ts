// Loading: sources, limits, and what a bad module is told; page and Node.

import { assert } from "chai";
import { TABLE_ENTRIES } from "../../src/limits.ts";
import { bytes, cases, rejection } from "./case.ts";

const inPage = {
  skip: ({ mode }: { mode: string }) => (mode === "node" ? "needs a server" : undefined),
};

async function code(promise: Promise<unknown>): Promise<string | undefined> {
  return (await rejection(promise)).code;
}

export default cases("load", {
  "a URL, a Response, bytes, a view and a compiled Module all run": async (env) => {
    const whole = await env.guestBytes("never-blocks");
    const padded = new Uint8Array([1, 2, ...whole, 3]);
    const sources = [
      env.guest("never-blocks"),
      new Response(whole, { headers: { "content-type": "application/wasm" } }),
      whole.buffer,
      whole,
      padded.subarray(2, padded.length - 1),
    ];
    for (const module of sources) {
      const sandbox = await env.api.createSandbox({ module });
      assert.equal((await sandbox.run().result).status, "exited");
      sandbox.close();
    }
    const compiled = await WebAssembly.compile(whole);
    const sandbox = await env.api.createSandbox({ module: compiled, memoryBytes: "declared" });
    assert.equal((await sandbox.run().result).status, "exited");
    sandbox.close();
  },

  "a compiled Module whose memory is not bounded is refused": async (env) => {
    const compiled = await WebAssembly.compile(await env.guestBytes("grow-memory"));
    const error = await rejection(env.api.createSandbox({ module: compiled }));
    assert.equal(error.code, "memory_unbounded");
    assert.include(error.message, "declared");
  },

  "memory grows to its limit, and past it gets -1": async (env) => {
    for (const [name, memoryBytes, pages] of [
      ["grow-memory", 2 ** 20, 16],
      ["grow-memory-declared", 2 ** 20, 16],
      ["import-memory", 2 ** 20, 16],
      ["grow-memory", 16 * 2 ** 20 + 5, 256],
    ] as const) {
      const sandbox = await env.api.createSandbox({ module: env.guest(name), memoryBytes });
      for (const round of [1, 2]) {
        const { status, stdoutText } = await sandbox.run({ args: ["4096"] }).result;
        const told = [name, round, status, Number.parseInt(stdoutText, 10)];
        assert.deepEqual(told, [name, round, "exited", pages]);
      }
      sandbox.close();
    }
  },

  "tables grow to their limit, and past it get -1": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("grow-table") });
    const { status, stdoutText } = await sandbox.run().result;
    assert.deepEqual([status, Number.parseInt(stdoutText, 10)], ["exited", TABLE_ENTRIES]);
    sandbox.close();
  },

  "a module that starts with more memory than it may have is refused": async (env) => {
    const error = await rejection(
      env.api.createSandbox({ module: env.guest("large-memory"), memoryBytes: 2 ** 20 }),
    );
    assert.match(error.message, /memory/);
    const sandbox = await env.api.createSandbox({
      module: env.guest("large-memory"),
      memoryBytes: "declared",
    });
    assert.include((await sandbox.run().result).stdoutText, "8192");
    sandbox.close();
  },

  "what is no module, or half of one, is told so": async (env) => {
    const whole = await env.guestBytes("hello");
    const component = new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]);
    for (const [wanted, module] of [
      ["not_wasm", bytes("<!doctype html><title>404</title>")],
      ["not_wasm", new Uint8Array(0)],
      ["truncated", whole.subarray(0, whole.length - 5)],
      ["truncated", whole.subarray(0, 8 + 3)],
      ["component", component],
      ["no_memory", await env.guestBytes("no-memory")],
      ["missing_import", await env.guestBytes("unknown-import")],
      [
        "no_entry",
        new Uint8Array([
          0,
          0x61,
          0x73,
          0x6d,
          1,
          0,
          0,
          0,
          5,
          3,
          1,
          0,
          1,
          7,
          10,
          1,
          6,
          ...bytes("memory"),
          2,
          0,
        ]),
      ],
    ] as const) {
      assert.equal(await code(env.api.createSandbox({ module: module })), wanted);
      if (env.mode === "node" && wanted === "truncated") continue;
      const response = new Response(module as BufferSource);
      assert.equal(
        await code(env.api.createSandbox({ module: response })),
        wanted,
        `${wanted} as a response`,
      );
    }
    const missing = await rejection(
      env.api.createSandbox({ module: await env.guestBytes("unknown-import") }),
    );
    assert.include(missing.message, "env.nothing_there");
  },

  "a missing file, a wrong address and an HTML page are told apart": [
    async (env) => {
      const missing = await rejection(env.api.createSandbox({ module: env.url("/nowhere.wasm")! }));
      assert.equal(missing.code, "load_failed");
      assert.include(missing.message, "404");
      // Under a strict policy the browser refuses it and reports that, as it should.
      if (!env.mode.startsWith("csp")) {
        const module = "http://localhost:9/x.wasm";
        assert.equal(await code(env.api.createSandbox({ module })), "load_failed");
      }
      const html = await rejection(env.api.createSandbox({ module: env.url("/")! }));
      assert.equal(html.code, "not_wasm");
      assert.match(html.message, /html/i);
    },
    inPage,
  ],

  "integrity is checked on every source": async (env) => {
    const whole = await env.guestBytes("hello");
    const digest = await crypto.subtle.digest("SHA-384", whole);
    const right = `sha384-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
    const wrong = `sha384-${"A".repeat(64)}`;
    for (const module of [whole, env.guest("hello")]) {
      const sandbox = await env.api.createSandbox({ module, integrity: right });
      sandbox.close();
      assert.equal(
        await code(env.api.createSandbox({ module, integrity: wrong })),
        "integrity_mismatch",
      );
    }
    assert.equal(
      await code(env.api.createSandbox({ module: whole, integrity: "md5-x" })),
      "bad_option",
    );
  },

  "progress counts up to the whole": async (env) => {
    const seen: { loaded: number; total: number | undefined }[] = [];
    const sandbox = await env.api.createSandbox({
      module: env.guest("hello"),
      onProgress: (progress) => seen.push(progress),
    });
    const whole = await env.guestBytes("hello");
    assert.equal(seen.at(-1)?.loaded, whole.length);
    sandbox.close();
  },

  "what onProgress throws comes out as it is, whatever the module is given as": async (env) => {
    const whole = await env.guestBytes("hello");
    const response = new Response(whole, { headers: { "content-type": "application/wasm" } });
    for (const module of [whole, response, env.guest("hello")]) {
      const thrown = new Error("the progress bar is gone");
      const onProgress = (): void => {
        throw thrown;
      };
      assert.equal(await rejection(env.api.createSandbox({ module, onProgress })), thrown);
    }
  },

  "an aborted load rejects with the signal's reason": async (env) => {
    const reason = new Error("changed my mind");
    const error = await rejection(
      env.api.createSandbox({ module: env.guest("hello"), signal: AbortSignal.abort(reason) }),
    );
    assert.equal(error, reason);
  },

  "wrong options are named": async (env) => {
    const module = env.guest("hello");
    for (const [name, options] of [
      ["module", {}],
      ["module", { module: 5 }],
      ["memoryBytes", { module, memoryBytes: 5 }],
      ["memoryBytes", { module, memoryBytes: "all" }],
      ["integrity", { module, integrity: 5 }],
      ["onProgress", { module, onProgress: 5 }],
      ["maxGuests", { module, maxGuests: 0 }],
      ["transport", { module, transport: "pigeon" }],
      ["signal", { module, signal: 1 }],
      ["memorybytes", { module, memorybytes: 2 ** 20 }],
    ] as const) {
      const error = await rejection(env.api.createSandbox(options as never));
      assert.equal(error.code, "bad_option", name);
      assert.include(error.message, name);
    }
  },

  "a worker script that does not load is told within two seconds": [
    async (env) => {
      const before = performance.now();
      const error = await rejection(
        env.api.createSandbox({
          module: env.guest("hello"),
          worker: () => {
            const url = env.url("/no-such-worker.js")!;
            const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy: Function } };
            if (!trustedTypes) return new Worker(url, { type: "module" });
            const policy = trustedTypes.createPolicy("suite", {
              createScriptURL: (own: string) => own,
            });
            return new Worker(policy.createScriptURL(url), { type: "module" });
          },
        }),
      );
      assert.equal(error.code, "worker_failed");
      assert.isBelow(performance.now() - before, 2_000);
      assert.match(error.message, /404/);
      assert.match(error.message, /Cross-Origin-Embedder-Policy/);
      assert.match(error.message, /worker-src/);
    },
    inPage,
  ],

  "the module is fetched once, however often it runs": [
    async (env) => {
      const address = env.url("/guests/hello.wasm?once")!;
      const sandbox = await env.api.createSandbox({ module: address });
      await Promise.all([1, 2, 3, 4].map(() => sandbox.run().result));
      const fetched = performance.getEntriesByName(new URL(address, location.href).href);
      assert.equal(fetched.length, 1);
      sandbox.close();
    },
    inPage,
  ],
});
