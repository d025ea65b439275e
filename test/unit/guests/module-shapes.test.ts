// The guests that are told apart by their shape, and those that never end; Node.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { SandboxError } from "../../../src/errors.ts";
import { readModule } from "../../../src/wasm/bound-module.ts";
import { brokenBytes } from "../../guests/broken-bytes.ts";

const wasm = (name: string) => readFileSync(new URL(`../../guests/${name}.wasm`, import.meta.url));
const moduleOf = (name: string) => new WebAssembly.Module(wasm(name));

function exportsOf(name: string): string[] {
  return WebAssembly.Module.exports(moduleOf(name)).map((entry) => `${entry.kind} ${entry.name}`);
}

describe("shapes", () => {
  test("no-memory, no-entry, entry-takes, unknown-import, import-memory", () => {
    expect(exportsOf("no-memory")).toEqual(["function _start"]);
    expect(exportsOf("no-entry")).toEqual(["memory memory", "function add"]);
    const takes = new WebAssembly.Instance(moduleOf("entry-takes"));
    expect((takes.exports["_start"] as (value: number) => void).length).toBe(1);
    const imports = (name: string) =>
      WebAssembly.Module.imports(moduleOf(name)).map(
        (entry) => `${entry.kind} ${entry.module}.${entry.name}`,
      );
    expect(imports("unknown-import")).toEqual(["function env.nothing_there"]);
    expect(imports("import-memory")).toContain("memory env.memory");
    expect(imports("spin")).toEqual([]);
  });

  test("reactor runs only once it is initialised", () => {
    const imports = { wasi_snapshot_preview1: { fd_write: () => 8 } };
    const reactor = new WebAssembly.Instance(moduleOf("reactor"), imports);
    const { _initialize, run, second, silent } = reactor.exports as Record<string, () => unknown>;
    expect(run?.()).toBe(99);
    _initialize?.();
    expect([run?.(), second?.(), silent?.()]).toEqual([7, 3, undefined]);
    _initialize?.();
    expect(run?.()).toBe(99);
  });

  test("hostile host_alloc exports that are no (i32) -> i32", () => {
    const allocate = (name: string) => {
      const imports = { host: { call: () => 0 }, wasi_snapshot_preview1: { fd_write: () => 8 } };
      return new WebAssembly.Instance(moduleOf(`host-alloc/${name}`), imports).exports[
        "host_alloc"
      ];
    };
    const called = (name: string) => (allocate(name) as (length: number) => unknown)(1);
    expect(called("gives-i64")).toBe(65536n);
    expect(called("gives-nothing")).toBe(undefined);
    expect(called("gives-fraction")).toBe(65536.5);
    expect(called("gives-two")).toEqual([65536, 65536]);
    expect(() => called("takes-i64")).toThrow(TypeError);
    expect(allocate("no-function")).toBeInstanceOf(WebAssembly.Global);
    expect(allocate("missing")).toBe(undefined);
  });

  test("broken bytes are no modules, and the whole one is", () => {
    const whole = Uint8Array.from(wasm("hello"));
    const code = (bytes: Uint8Array<ArrayBuffer>) => {
      try {
        readModule(bytes);
        return "fine";
      } catch (error) {
        return error instanceof SandboxError ? error.code : error;
      }
    };
    expect([WebAssembly.validate(whole), code(whole)]).toEqual([true, "fine"]);
    for (const { name, bytes, problem } of brokenBytes(whole)) {
      expect([name, WebAssembly.validate(bytes), code(bytes)]).toEqual([name, false, problem]);
    }
  });
});

describe("guests that never end", () => {
  // Every import throws, as in a stopped run, or answers 0; a counter tells that the imports are still called.
  const program = `
    const { parentPort, workerData } = require("node:worker_threads");
    const { module, throws } = workerData;
    const calls = new Int32Array(workerData.calls);
    const imports = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      (imports[from] ??= {})[name] = () => {
        Atomics.add(calls, 0, 1);
        if (throws) throw new Error("stopped");
        return 0;
      };
    }
    const { exports } = new WebAssembly.Instance(module, imports);
    parentPort.postMessage("started");
    try { (exports._start)(); } catch {}
    parentPort.postMessage("ended");`;

  async function outcome(
    name: string,
    throws: boolean,
  ): Promise<{ ended: boolean; calls: number }> {
    const calls = new SharedArrayBuffer(4);
    const worker = new Worker(program, {
      eval: true,
      workerData: { module: moduleOf(name), throws, calls },
    });
    const messages: unknown[] = [];
    worker.on("message", (message) => messages.push(message));
    await new Promise((started) => worker.once("message", started));
    await sleep(150);
    const ended = messages.includes("ended");
    await worker.terminate();
    return { ended, calls: new Int32Array(calls)[0] as number };
  }

  test("spin computes on without imports", async () => {
    expect(await outcome("spin", true)).toEqual({ ended: false, calls: 0 });
  });

  test("spin-calling ends when its import throws, and only then", async () => {
    const { ended, calls } = await outcome("spin-calling", false);
    expect([ended, calls > 1000]).toEqual([false, true]);
    expect(await outcome("spin-calling", true)).toEqual({ ended: true, calls: 1 });
  });

  test("catch-all-loop goes on although every import throws", async () => {
    const { ended, calls } = await outcome("catch-all-loop", true);
    expect([ended, calls > 100]).toEqual([false, true]);
  });

  test("catch-all-exit tries every import after the first throw, and returns", async () => {
    expect(await outcome("catch-all-exit", true)).toEqual({ ended: true, calls: 4 });
  });

  test("catch-all-stop does so once its sleep is ended by a throw", () => {
    const tries: string[] = [];
    const thrower = (name: string) => () => {
      tries.push(name);
      throw new Error("stopped");
    };
    const held: { memory?: WebAssembly.Memory } = {};
    const wasi = {
      fd_write: (_fd: number, vector: number, _count: number, written: number) => {
        tries.push("fd_write");
        if (tries.length > 1) throw new Error("stopped");
        const view = new DataView((held.memory as WebAssembly.Memory).buffer);
        view.setUint32(written, view.getUint32(vector + 4, true), true);
        return 0;
      },
      poll_oneoff: thrower("poll_oneoff"),
      proc_exit: thrower("proc_exit"),
    };
    const imports = { wasi_snapshot_preview1: wasi, host: { call: thrower("call") } };
    const { exports } = new WebAssembly.Instance(moduleOf("catch-all-stop"), imports);
    held.memory = exports["memory"] as WebAssembly.Memory;
    (exports["_start"] as () => void)();
    expect(tries).toEqual(["fd_write", "poll_oneoff", "fd_write", "call", "proc_exit"]);
  });

  test("flood writes 512 MiB by itself", async () => {
    // fd_write that takes all: the length is where the guest put it.
    let bytes = 0;
    const held: { memory?: WebAssembly.Memory } = {};
    const view = () => new DataView((held.memory as WebAssembly.Memory).buffer);
    const wasi = {
      args_sizes_get: (count: number, size: number) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
      },
      args_get: () => 0,
      proc_exit: () => 0,
      fd_write: (_fd: number, vector: number, _count: number, written: number) => {
        const length = view().getUint32(vector + 4, true);
        bytes += length;
        view().setUint32(written, length, true);
        return 0;
      },
    };
    const instance = new WebAssembly.Instance(moduleOf("flood"), { wasi_snapshot_preview1: wasi });
    held.memory = instance.exports["memory"] as WebAssembly.Memory;
    (instance.exports["_start"] as () => void)();
    expect(bytes).toBe(512 * 2 ** 20);
  });
});
