// Files, mounts and output as a run sees them; page and Node.

import { assert } from "chai";
import { bytes, cases, sleep, text, type SuiteEnv } from "./case.ts";

const flood = async (env: SuiteEnv) => env.api.createSandbox({ module: env.guest("flood") });

/** Not every browser can iterate a stream. */
async function eachChunk(
  stream: ReadableStream<Uint8Array>,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  await stream.pipeTo(new WritableStream({ write: (chunk) => take(chunk) }));
}

export default cases("output", {
  "streams as it comes, while the guest runs": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("catch-all-stop") });
    const run = sandbox.run();
    const { value } = await run.stdout.getReader().read();
    assert.equal(text(value!).trim(), "waiting"); // the guest sleeps for ten minutes now
    run.kill();
    await run.result;
    sandbox.close();
  },

  "a reader that comes late gets all from the start": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("hello") });
    const run = sandbox.run({ args: ["x"] });
    await run.result;
    let read = "";
    await eachChunk(run.stdout, (chunk) => (read += text(chunk)));
    assert.equal(read, (await run.result).stdoutText);
    sandbox.close();
  },

  "past the cap the rest is dropped, flagged, and the guest runs on": async (env) => {
    const sandbox = await flood(env);
    const result = await sandbox.run({
      args: [String(4 * 2 ** 20)],
      limits: { outputBytes: 100_000 },
    }).result;
    assert.deepEqual([result.status, result.exitCode], ["exited", 0]);
    assert.equal(result.stdout.length, 100_000);
    assert.isTrue(result.stdoutTruncated);
    assert.isFalse(result.stderrTruncated);
    sandbox.close();
  },

  "stdout and stderr are told apart": async (env) => {
    const sandbox = await flood(env);
    const result = await sandbox.run({ args: ["640", "2"] }).result;
    assert.deepEqual([result.stdout.length, result.stderr.length], [0, 640]);
    sandbox.close();
  },

  "a live reader gets every byte, cap or not": async (env) => {
    const sandbox = await flood(env);
    const total = 3 * 2 ** 20;
    const run = sandbox.run({ args: [String(total)], limits: { outputBytes: 1000 } });
    let read = 0;
    await eachChunk(run.stdout, (chunk) => (read += chunk.length));
    assert.equal(read, total);
    assert.equal((await run.result).stdout.length, 1000);
    sandbox.close();
  },

  "a reader that stops reading stops the guest, not the page": async (env) => {
    const sandbox = await flood(env);
    const run = sandbox.run({ args: [String(64 * 2 ** 20)], limits: { outputBytes: 1000 } });
    const reader = run.stdout.getReader();
    await reader.read();
    await sleep(400);
    let settled = false;
    void run.result.then(() => {
      settled = true;
    });
    await sleep(0);
    assert.isFalse(settled); // it waits for room
    let read = 0;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      read += next.value.length;
      if (read > 2 ** 20) break;
    }
    await reader.cancel();
    assert.equal((await run.result).status, "exited"); // nobody reads any more: it runs to its end
    sandbox.close();
  },

  "a chunk is the reader's own": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("hello") });
    const run = sandbox.run({ args: ["keep"] });
    const { value } = await run.stdout.getReader().read();
    value!.fill(0);
    assert.include((await run.result).stdoutText, "arg ");
    sandbox.close();
  },

  "bytes, not text: bad UTF-8 arrives as it is": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("hello") });
    const { stdout } = await sandbox.run({ stdin: new Uint8Array([0xff, 0xfe, 0x80, 0]) }).result;
    assert.deepEqual([...stdout.slice(-4)], [0xff, 0xfe, 0x80, 0]);
    sandbox.close();
  },

  "without memory for copies of the files a result has all but them, and says so": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.interpreter("python") });
    const code = `open("/small", "w").write("x"); open("/huge", "w").truncate(2**44); print("made")`;
    const limits = { fileBytes: Infinity };
    const result = await sandbox.run({ args: ["-c", code], limits }).result;
    assert.deepEqual([result.status, result.exitCode, result.stdoutText], ["exited", 0, "made\n"]);
    assert.isUndefined(result.files);
    assert.equal(result.filesError?.code, "resource_exhausted");
    assert.deepEqual(result.filesError?.data, { lost: ["files"] });
    const next = await sandbox.run({ args: ["-c", `open("/small", "w").write("x")`] }).result;
    assert.deepEqual(Object.keys(next.files!), ["/small"]);
    assert.isUndefined(next.filesError);
    sandbox.close();
  },

  "an option of bad paths is refused": async (env) => {
    const sandbox = await env.api.createSandbox({ module: env.guest("hello") });
    for (const files of [{ "no-slash": bytes("") }, { "/a/../b": bytes("") }, { "/a": 5 }]) {
      const error = await sandbox.run({ files: files as never }).result.then(
        () => undefined,
        (reason: { code?: string }) => reason,
      );
      assert.match(error?.code ?? "", /^bad_(path|option)$/);
    }
    sandbox.close();
  },
});
