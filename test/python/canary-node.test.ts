// Looks through the memory of an instance that was put back for what the run before knew; Node, without a page.

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { NoBlockingCaller } from "../../src/wire/no-blocking.ts";
import type { RunInit } from "../../src/wire/messages.ts";
import type { PreopenSpec } from "../../src/files/preopens.ts";
import { GuestHost } from "../../src/worker/guest-host.ts";
import { hostKind } from "../../src/worker/host-kind.ts";
import { runGuest } from "../../src/worker/run.ts";
import { SnapshotInstances, takeSnapshot } from "../../src/worker/snapshot.ts";
import { PYTHON } from "./builds.ts";

const there = existsSync(PYTHON.own);
const CANARY = "kanarienvogel-7f3a9c";
const encoder = new TextEncoder();

const QUOTAS = { fileBytes: 2 ** 24, entries: 1000, descriptors: 64, writeBytes: 2 ** 24 };
const SPEC = {
  init: "snapshot_init",
  run: "snapshot_run",
  args: ["json"],
  env: {},
  timeoutMs: 60_000,
  entries: [],
};

function runInit(program: string, secrets: boolean): RunInit<PreopenSpec> {
  const bytes = encoder.encode(secrets ? `${CANARY}-stdin` : "");
  const entries = secrets
    ? [{ path: "secret", type: "file" as const, bytes: encoder.encode(`${CANARY}-file`) }]
    : [];
  return {
    args: ["python", "-c", program, ...(secrets ? [`${CANARY}-argument`] : [])],
    env: secrets ? { SECRET: `${CANARY}-environment` } : {},
    stdin: { kind: "bytes", bytes },
    preopens: [{ path: "/", source: { kind: "memory", entries } }],
    entry: SPEC.run,
    door: false,
    http: false,
    timeoutMs: 30_000,
    quotas: QUOTAS,
    tty: [],
  };
}

const READS_ALL = `import sys, os, json
kept = [open("/secret").read(), sys.stdin.read(), dict(os.environ), sys.argv]
text = json.dumps(kept)
print(len(text))`;

describe.skipIf(!there)("a memory that was put back", () => {
  const module = there ? new WebAssembly.Module(readFileSync(PYTHON.own)) : undefined;

  async function run(instances: SnapshotInstances, program: string, secrets: boolean) {
    let out = "";
    instances.prepare(true);
    const init = runInit(program, secrets);
    const outcome = await runGuest(init, {
      host: new GuestHost(module!, hostKind(init), (hooks) => new NoBlockingCaller(hooks)),
      emit: (_stream, bytes) => {
        out += new TextDecoder().decode(bytes);
      },
      started: () => {},
      instances,
    });
    return { outcome, out };
  }

  /** Instances of a snapshot that is taken now, which may be put back. */
  async function snapshotInstances(): Promise<SnapshotInstances> {
    const taken = await takeSnapshot(module!, SPEC, "python");
    if ("ended" in taken) throw new Error(taken.ended.end);
    const instances = new SnapshotInstances(module!, taken.image);
    instances.allowInPlace();
    return instances;
  }

  test("holds nothing of the run before, and is the snapshot to the last byte", async () => {
    const instances = await snapshotInstances();
    const seen: Uint8Array[] = [];
    const memories: WebAssembly.Memory[] = [];
    const obtain = instances.obtain.bind(instances);
    instances.obtain = (imports) => {
      const instance = obtain(imports);
      const memory = instance.exports["memory"] as WebAssembly.Memory;
      memories.push(memory);
      seen.push(new Uint8Array(memory.buffer.slice(0)));
      return instance;
    };
    // The first run is spared the copy that putting back needs: the second one's instance is the first that is kept.
    const spared = await run(instances, "pass", false);
    instances.left(spared.outcome);
    instances.makeReady();
    seen.length = memories.length = 0;
    const first = await run(instances, READS_ALL, true);
    expect(first.out).toMatch(/^\d+\n$/);
    // It was there: or this test could not fail.
    expect(Buffer.from(memories[0]!.buffer).includes(CANARY)).toBe(true);
    instances.left(first.outcome);
    instances.makeReady();
    // Put back as soon as the page has the outcome, not when the next run comes.
    expect(Buffer.from(memories[0]!.buffer).includes(CANARY)).toBe(false);
    const second = await run(instances, "print('hi')", false);
    expect(second.out).toBe("hi\n");
    expect(memories[1]).toBe(memories[0]); // the same instance, put back
    expect(Buffer.from(seen[1]!).includes(CANARY)).toBe(false);
    expect(Buffer.compare(seen[0]!, seen[1]!)).toBe(0);
  });

  test("is given up after a trap and after growth", async () => {
    const instances = await snapshotInstances();
    const memories: WebAssembly.Memory[] = [];
    const obtain = instances.obtain.bind(instances);
    instances.obtain = (imports) => {
      const instance = obtain(imports);
      memories.push(instance.exports["memory"] as WebAssembly.Memory);
      return instance;
    };
    for (const program of [
      "print(0)",
      "print(1)",
      "import os; os.abort()",
      "x = bytearray(50 << 20)",
      "print(2)",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      instances.left((await run(instances, program, false)).outcome);
    }
    const [first, plain, aborted, grown, last] = memories;
    expect(plain).not.toBe(first);
    expect(aborted).toBe(plain);
    expect(grown).not.toBe(aborted);
    expect(last).not.toBe(grown);
  });
});
