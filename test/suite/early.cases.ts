// What createSandbox begins before its code is there, and images that never come whole: nothing is left at work; page and Node.

import { assert } from "chai";
import { bytes, cases, rejection, sleep, type SuiteEnv } from "./case.ts";

const inPage = {
  skip: ({ mode }: { mode: string }) => (mode === "node" ? "needs a server" : undefined),
};

/** `(module (memory (export "memory") 1 4) (func (export "go")))`, of which an image can be whole. */
const GUEST = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 4, 1, 1, 1, 4],
  ...[7, 15, 2, 6, ...bytes("memory"), 2, 0, 2, ...bytes("go"), 0, 0, 10, 4, 1, 2, 0, 0x0b],
]);
const SPEC = { init: "go", run: "go" };

/** A body that goes on for ever; what has become of it. */
function endless(pieceBytes: number) {
  const seen = { pieces: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(out) {
      seen.pieces += 1;
      await sleep(2);
      out.enqueue(new Uint8Array(pieceBytes));
    },
    cancel() {
      seen.cancelled = true;
    },
  });
  return { image: new Response(body), seen };
}

const withImage = (env: SuiteEnv, image: Response | BufferSource | string, options: object = {}) =>
  env.api.createSandbox({
    module: GUEST,
    snapshot: { ...SPEC, image },
    ...options,
  });

export default cases("early", {
  "a module or an image that breaks off is told as that": [
    async (env) => {
      const cut = env.url("/guests/hello.wasm?cut=40")!;
      for (const snapshot of [undefined, SPEC]) {
        const module = await rejection(
          env.api.createSandbox({ module: cut, ...(snapshot ? { snapshot } : {}) }),
        );
        assert.equal(module.code, "load_failed");
        assert.include(module.message, "broke off");
      }
      const image = await rejection(withImage(env, cut));
      assert.equal(image.code, "load_failed");
      assert.include(image.message, "broke off");
    },
    inPage,
  ],

  "a module and an image of one address are both read, and a length that is none is not believed": [
    async (env) => {
      const module = env.url("/guests/hello.wasm")!;
      const snapshot = { init: "_start", run: "_start", image: module };
      const image = await rejection(env.api.createSandbox({ module, snapshot }));
      assert.equal(image.code, "bad_snapshot", image.message);
      const { fetch } = globalThis;
      globalThis.fetch = async (source, init) => {
        const headers = { "content-length": "-100" };
        return new Response((await fetch(source, init)).body, { headers });
      };
      try {
        const sandbox = await env.api.createSandbox({ module });
        assert.equal((await sandbox.run().result).status, "exited");
        sandbox.close();
      } finally {
        globalThis.fetch = fetch;
      }
    },
    inPage,
  ],

  "an image that never ends is let go of: aborted, too large, of a module that is none": async (
    env,
  ) => {
    const aborted = endless(1_000);
    const reason = new Error("no longer");
    const ending = new AbortController();
    setTimeout(() => ending.abort(reason), 60);
    assert.equal(await rejection(withImage(env, aborted.image, { signal: ending.signal })), reason);
    const large = endless(2 ** 20);
    const error = await rejection(withImage(env, large.image, { memoryBytes: 2 ** 20 }));
    assert.equal(error.code, "bad_snapshot");
    const idle = endless(1_000);
    const module = new Uint8Array([1, 2, 3]);
    assert.equal((await rejection(withImage(env, idle.image, { module }))).code, "not_wasm");
    await sleep(20);
    for (const { seen } of [aborted, large, idle]) assert.isTrue(seen.cancelled);
    assert.isBelow(large.seen.pieces, 10);
  },

  "an image that was read before, gives no bytes, or has gone is told by a code": async (env) => {
    const read = new Response("x");
    await read.text();
    const odd = new ReadableStream({
      start(out) {
        out.enqueue("text");
        out.close();
      },
    });
    const gone = new Uint8Array(4);
    structuredClone(gone, { transfer: [gone.buffer] });
    for (const [code, image] of [
      ["load_failed", read],
      ["load_failed", new Response(odd)],
      ["load_failed", Response.error()],
      ["bad_snapshot", new Response(null)],
      ["bad_option", gone],
      ["bad_option", gone.buffer],
    ] as const) {
      assert.equal((await rejection(withImage(env, image))).code, code);
    }
    const options = { module: GUEST, snapshot: SPEC };
    for (const library of [{ "/lib/a": gone }, { "/lib/a": gone.buffer }]) {
      const error = await rejection(env.api.createSandbox({ ...options, library }));
      assert.equal(error.code, "load_failed");
    }
  },

  "signals that abort at any moment leave no rejection behind": async (env) => {
    const reason = new Error("changed my mind");
    const spec = { init: "_start", run: "_start" };
    const ends = Array.from({ length: 30 }, async (_, at) => {
      const ending = new AbortController();
      setTimeout(() => ending.abort(reason), at * 4);
      const options = { module: env.guest("hello"), signal: ending.signal };
      const end = env.api.createSandbox(at % 2 ? { ...options, snapshot: spec } : options);
      return end.then(
        (sandbox) => sandbox.close(),
        (error: unknown) => error,
      );
    });
    for (const end of await Promise.all(ends)) {
      // hello needs no init, and exits in it: that is no snapshot.
      const { code = "bad_snapshot" } = (end ?? {}) as { code?: string };
      if (end !== reason) assert.equal(code, "bad_snapshot");
    }
    await sleep(50);
  },

  "a module that comes at once is compiled in one go, one that comes slowly while it comes": [
    async (env) => {
      const { compileStreaming } = WebAssembly;
      let streamed = 0;
      WebAssembly.compileStreaming = (source) => {
        streamed += 1;
        return compileStreaming(source);
      };
      try {
        const guest = env.interpreter("quickjs"); // of many pieces
        const slowly = new URL(guest);
        slowly.search = "?trickle=15";
        // Where bodies cannot be read into an array, they all go as they come.
        const atOnce = "ReadableStreamBYOBReader" in globalThis ? 0 : 1;
        for (const [module, times] of [
          [guest, atOnce],
          [slowly, atOnce + 1],
        ] as const) {
          const sandbox = await env.api.createSandbox({ module });
          const { stdoutText } = await sandbox.run({
            args: ["/main.js"],
            files: { "/main.js": bytes("print(6 * 7)") },
          }).result;
          assert.deepEqual([stdoutText, streamed], ["42\n", times]);
          sandbox.close();
        }
        slowly.search += "&cut=700000";
        const broken = await rejection(env.api.createSandbox({ module: slowly }));
        assert.deepEqual([broken.code, streamed], ["load_failed", atOnce + 2]);
      } finally {
        WebAssembly.compileStreaming = compileStreaming;
      }
    },
    inPage,
  ],

  "a worker option is asked once for a worker, and a worker that it promises is ended": [
    async (env) => {
      let asked = 0;
      const module = env.guest("hello");
      const throwing = (): Worker => {
        asked += 1;
        throw new Error("no");
      };
      const thrown = await rejection(env.api.createSandbox({ module, worker: throwing }));
      assert.deepEqual([thrown.code, asked], ["worker_failed", 1]);
      let open = 0;
      const promising = async () => {
        open += 1;
        return { postMessage() {}, addEventListener() {}, terminate: () => (open -= 1) };
      };
      const worker = promising as unknown as () => Worker;
      assert.equal(
        (await rejection(env.api.createSandbox({ module, worker }))).code,
        "worker_failed",
      );
      await sleep(0);
      assert.equal(open, 0);
    },
    inPage,
  ],
});
