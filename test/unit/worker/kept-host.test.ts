// The host that a worker keeps between runs: what one run did, opened, held or left open is not there in the next; Node.

import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import type { PreopenSpec } from "../../../src/files/preopens.ts";
import type {
  BlockingCaller,
  BlockingEntry,
  PlainImport,
} from "../../../src/wire/blocking-call.ts";
import type { RunChannel, RunInit, RunOutcome } from "../../../src/wire/messages.ts";
import { IDLE_MS } from "../../../src/worker/held-memories.ts";
import { KeptHost } from "../../../src/worker/kept-host.ts";
import { DeferredCode } from "../../../src/worker/load-code.ts";
import { runGuest } from "../../../src/worker/run.ts";
import { boundModule } from "../../../src/wasm/bound-module.ts";
import { wat } from "../wasm/wat.ts";

/** Answers every HTTP request with a document, and never blocks. */
class Answering implements BlockingCaller {
  readonly transport = "none";
  stopped = (): boolean => false;
  renew = (): boolean => true;
  enter = (_name: string, call: PlainImport): unknown => call();

  wrap(entries: Readonly<Record<string, BlockingEntry>>): Record<string, PlainImport> {
    return Object.fromEntries(Object.entries(entries).map(([name, { run }]) => [name, run]));
  }
}

/**
 * Exits with what it was asked for by its one argument's length: 1 counts in a global and in memory, 2 opens the preopen's
 * folder "d" and gives its number, 3 asks over HTTP without a network and keeps the answer, 4 tries to read an answer that
 * was kept, 5 traps, 6 gives the number of bytes of its environment.
 */
const GUEST = `(module
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (import "wasi_snapshot_preview1" "path_open"
    (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "subako_http" "request" (func $request (param i32 i32) (result i32)))
  (import "subako_http" "read_response" (func $read (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (global $count (mut i32) (i32.const 0))
  (data (i32.const 64) "d")
  (data (i32.const 128) "{}")
  (func (export "_start")
    (local $what i32)
    (drop (call $sizes (i32.const 0) (i32.const 4)))
    (local.set $what (i32.sub (i32.load (i32.const 4)) (i32.const 1)))
    (if (i32.eq (local.get $what) (i32.const 1)) (then
      (global.set $count (i32.add (global.get $count) (i32.const 1)))
      (i32.store (i32.const 512) (i32.add (i32.load (i32.const 512)) (i32.const 1)))
      (call $exit (i32.add (global.get $count) (i32.mul (i32.load (i32.const 512)) (i32.const 10))))))
    (if (i32.eq (local.get $what) (i32.const 2)) (then
      (if (call $open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 2)
        (i64.const 0) (i64.const 0) (i32.const 0) (i32.const 8)) (then (call $exit (i32.const 99))))
      (call $exit (i32.load (i32.const 8)))))
    (if (i32.eq (local.get $what) (i32.const 3)) (then
      (call $exit (i32.gt_s (call $request (i32.const 128) (i32.const 2)) (i32.const 0)))))
    (if (i32.eq (local.get $what) (i32.const 4)) (then
      (call $exit (i32.sub (i32.const 0) (call $read (i32.const 1024) (i32.const 4))))))
    (if (i32.eq (local.get $what) (i32.const 5)) (then (unreachable)))
    (drop (call $environ (i32.const 0) (i32.const 4)))
    (call $exit (i32.load (i32.const 4)))))`;

const COUNT = "c";
const OPEN = "oo";
const ASK = "ask";
const READ = "read";
const TRAP = "traps";
const ENVIRON = "enviro";

const CHANNEL: RunChannel = { run: 1, transport: "none" };

function initOf(argument: string, more: Partial<RunInit<PreopenSpec>> = {}): RunInit<PreopenSpec> {
  const entries = [{ path: "d", type: "directory" as const }];
  return {
    args: [argument],
    env: {},
    stdin: { kind: "bytes", bytes: new Uint8Array(0) },
    preopens: [{ path: "/", source: { kind: "memory", entries } }],
    door: false,
    http: false,
    timeoutMs: 1000,
    quotas: { fileBytes: 1000, entries: 10, descriptors: 5, writeBytes: 1000 },
    tty: [],
    ...more,
  };
}

describe("a kept host", () => {
  const module = new WebAssembly.Module(wat(GUEST));
  let hosts: KeptHost;
  let made: number;

  beforeEach(() => {
    made = 0;
    hosts = new KeptHost(() => {
      made++;
      return new Answering();
    }, new DeferredCode());
    hosts.use(module, true);
  });

  async function run(init: RunInit<PreopenSpec>): Promise<RunOutcome & { ahead: boolean }> {
    const host = hosts.take(init, CHANNEL);
    const outcome = await runGuest(init, { host, emit: () => true, started: () => {} });
    hosts.ends(false);
    return { ...outcome, ahead: hosts.left(outcome) !== undefined };
  }

  test("serves runs of one kind, each with an instance of its own", async () => {
    const exits = [await run(initOf(COUNT)), await run(initOf(COUNT)), await run(initOf(COUNT))];
    expect(exits.map(({ exitCode }) => exitCode)).toEqual([11, 11, 11]);
    expect(made).toBe(1);
  });

  test("makes an instance ahead once runs come one after the other, and lets go of it", async () => {
    expect((await run(initOf(COUNT))).ahead).toBe(false);
    expect(hosts.drop()).toBe(0);
    expect((await run(initOf(COUNT))).ahead).toBe(true);
    expect(hosts.drop()).toBe(65_536);
    expect(hosts.drop()).toBe(0);
    expect((await run(initOf(COUNT))).exitCode).toBe(11);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS + 20));
    expect((await run(initOf(COUNT))).ahead).toBe(false);
  });

  test("makes none of a module that may not be instantiated before its run", async () => {
    hosts.use(module, false);
    await run(initOf(COUNT));
    expect((await run(initOf(COUNT))).ahead).toBe(false);
  });

  describe("whose instances may be put back", () => {
    const traces = new WebAssembly.Module(
      boundModule(readFileSync("test/guests/traces.wasm"), {
        memoryBytes: 2 ** 20,
        exportGlobals: true,
      }).bytes,
    );
    const CLEAN: readonly string[] = [];
    const GROW = ["grow"];
    const TRAPS = ["a", "b"];
    const RETURN = ["a", "b", "c"];

    beforeEach(() => {
      hosts.use(traces, true);
      hosts.allowInPlace();
    });

    /** Runs with such arguments, and gives the exit code and the memory it ran in. */
    async function traced(args: readonly string[]) {
      const init = initOf("traces", { args: ["traces", ...args] });
      const host = hosts.take(init, CHANNEL);
      let memory: WebAssembly.Memory | undefined;
      const holds = (held: WebAssembly.Memory): void => void (memory = held);
      const outcome = await runGuest(init, { host, emit: () => true, started: () => {}, holds });
      hosts.ends(false);
      hosts.left(outcome);
      return { end: outcome.end, code: outcome.exitCode, memory: memory! };
    }

    test("has one instance for all runs, in which none finds anything of another", async () => {
      const runs = [];
      for (let i = 0; i < 8; i++) runs.push(await traced(i % 3 === 2 ? RETURN : CLEAN));
      expect(runs.map(({ code }) => code)).toEqual(Array(8).fill(0));
      // The first run is not known to be followed by another.
      expect(new Set(runs.map(({ memory }) => memory)).size).toBe(3);
      expect(new Set(runs.slice(2).map(({ memory }) => memory)).size).toBe(1);
      expect(
        new Uint8Array(runs[7]!.memory.buffer).every((byte, at) => byte === 0 || at >> 4 === 64),
      ).toBe(true);
    });

    test("makes a new one after a run that grew its memory, and gives up where all do", async () => {
      for (let i = 0; i < 4; i++) await traced(CLEAN);
      const [before, grown, after, again, oneMore, last] = [
        await traced(CLEAN),
        await traced(GROW),
        await traced(CLEAN),
        await traced(GROW),
        await traced(CLEAN),
        await traced(CLEAN),
      ];
      expect([before, grown, after, again, oneMore, last].map(({ code }) => code)).toEqual([
        0, 0, 0, 0, 0, 0,
      ]);
      expect(grown.memory).toBe(before.memory);
      expect(after.memory).not.toBe(grown.memory);
      expect(again.memory).toBe(after.memory);
      expect(last.memory).not.toBe(oneMore.memory);
    });

    test("makes a new one after a trap, and after a pause", async () => {
      for (let i = 0; i < 4; i++) await traced(CLEAN);
      const before = await traced(CLEAN);
      expect((await traced(TRAPS)).end).toBe("trapped");
      const after = await traced(CLEAN);
      expect([after.code, after.memory === before.memory]).toEqual([0, false]);
      for (let i = 0; i < 4; i++) await traced(CLEAN);
      expect(hosts.drop()).toBe(131_072);
      expect((await traced(CLEAN)).code).toBe(0);
    });

    test("puts nothing back before it was allowed, or in a module of which nothing is known", async () => {
      hosts.use(traces, true);
      const memories = [];
      for (let i = 0; i < 5; i++) memories.push((await traced(CLEAN)).memory);
      expect(new Set(memories).size).toBe(5);
    });
  });

  test("opens the same numbers, up to the same limit, in every run", async () => {
    const numbers: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) numbers.push((await run(initOf(OPEN))).exitCode);
    expect(numbers).toEqual([4, 4, 4, 4]);
  });

  test("shows a run its own arguments, environment and files alone", async () => {
    expect((await run(initOf(ENVIRON, { env: { A: "secret" } }))).exitCode).toBe(9);
    expect((await run(initOf(ENVIRON))).exitCode).toBe(0);
    expect((await run(initOf(OPEN))).exitCode).toBe(4);
    const empty = initOf(OPEN, {
      preopens: [{ path: "/", source: { kind: "memory", entries: [] } }],
    });
    expect((await run(empty)).exitCode).toBe(99);
    expect(made).toBe(1);
  });

  test("forgets an answer of HTTP that a run did not read", async () => {
    const there = initOf(ASK);
    expect((await run(there)).exitCode).toBe(1);
    // -2: no answer held. With one it would be -3, a length that does not match.
    expect((await run(initOf(READ))).exitCode).toBe(2);
    expect(made).toBe(1);
  });

  test("is made anew after a trap, and for a run of another kind", async () => {
    await run(initOf(COUNT));
    const trapped = await run(initOf(TRAP));
    expect([trapped.end, trapped.ahead]).toEqual(["trapped", false]);
    expect((await run(initOf(COUNT))).exitCode).toBe(11);
    expect(made).toBe(2);
    await run(initOf(COUNT, { abi1: true }));
    expect(made).toBe(3);
  });

  test("is not kept by a caller that cannot be used again", async () => {
    const stubborn = new KeptHost(() => {
      made++;
      return Object.assign(new Answering(), { renew: () => false });
    }, new DeferredCode());
    stubborn.use(module, true);
    hosts = stubborn;
    await run(initOf(COUNT));
    expect((await run(initOf(COUNT))).ahead).toBe(false);
    expect(made).toBe(2);
  });
});
