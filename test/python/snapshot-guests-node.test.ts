// Snapshots of guests written in text, where every byte is known: what is put back, and what is refused; Node.

import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import wabt from "wabt";
import type * as Sallyport from "../../src/index.ts";

const entry = new URL("../../dist/node.js", import.meta.url).href;
const api = (await import(entry)) as typeof Sallyport;
const compiler = await wabt();

function wat(body: string): Uint8Array<ArrayBuffer> {
  const module = compiler.parseWat("guest.wat", `(module ${body})`, {
    reference_types: true,
    bulk_memory: true,
  });
  const { buffer } = module.toBinary({});
  module.destroy();
  return Uint8Array.from(buffer);
}

const SPEC = { init: "init", run: "go" };

/** `init` takes 5 from memory, zeroes what a data segment put there, and sets a global; `go` counts all of them up. */
const COUNTER = `
  (memory (export "memory") 1 4)
  (global $g (export "g") (mut i32) (i32.const 1))
  (global $wide (export "wide") (mut i64) (i64.const 9007199254740993))
  (data (i32.const 100) "\\05\\07")
  (func (export "init")
    (i32.store (i32.const 0) (i32.load8_u (i32.const 100)))
    (i32.store8 (i32.const 100) (i32.const 0))
    (global.set $g (i32.const 20))
    (global.set $wide (i64.add (global.get $wide) (i64.const 2))))
  (func (export "go") (result i32)
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (global.set $g (i32.add (global.get $g) (i32.const 1)))
    (i32.store8 (i32.const 100) (i32.add (i32.load8_u (i32.const 100)) (i32.const 1)))
    (if (i64.ne (global.get $wide) (i64.const 9007199254740995)) (then (unreachable)))
    (global.set $wide (i64.const 0))
    (i32.store (i32.const 65532) (i32.const -1))
    (i32.add
      (i32.add (i32.load (i32.const 0)) (global.get $g))
      (i32.add (i32.load8_u (i32.const 100)) (i32.load8_u (i32.const 101)))))`;

/** An image that says nothing of memory, as anybody can write it. */
function emptyImage(module: Uint8Array): Buffer<ArrayBuffer> {
  const origin = [createHash("sha256").update(module).digest("hex"), "init", [], []];
  const head = JSON.stringify({ origin: JSON.stringify(origin), pages: 1, globals: [] });
  const room = Math.ceil(head.length / 8) * 8;
  const start = Buffer.from("spsnap02");
  const image = Buffer.concat([start, Buffer.alloc(8), Buffer.from(head.padEnd(room))]);
  image.writeUInt32LE(room, 8);
  return image;
}

async function codes(sandbox: Sallyport.Sandbox, count: number): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let at = 0; at < count; at += 1) {
    // oxlint-disable-next-line no-await-in-loop
    const { status, exitCode } = await sandbox.run().result;
    all.push(status === "exited" ? exitCode : status);
  }
  return all;
}

async function refusal(
  module: Sallyport.SandboxOptions["module"],
  snapshot: object = SPEC,
): Promise<{ code?: string; message: string }> {
  try {
    const sandbox = await api.createSandbox({
      module,
      snapshot: snapshot as NonNullable<Sallyport.SandboxOptions["snapshot"]>,
    });
    sandbox.close();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("it was not refused");
}

describe("what init left is there in every run", () => {
  test("memory, zeroed data, globals of both widths", async () => {
    const sandbox = await api.createSandbox({ module: wat(COUNTER), snapshot: SPEC });
    expect(sandbox.snapshot).toBe(true);
    expect(await codes(sandbox, 4)).toEqual([35, 35, 35, 35]); // 6 + 21 + 1 + 7
    const image = (await sandbox.snapshotImage())!;
    sandbox.close();
    const plain = await api.createSandbox({ module: wat(COUNTER), snapshot: { ...SPEC, image } });
    expect(await codes(plain, 3)).toEqual([35, 35, 35]);
    // By now the module's code has been read, and instances are put back.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await codes(plain, 3)).toEqual([35, 35, 35]);
    const same = await plain.snapshotImage({ gzip: false });
    plain.close();
    expect(Buffer.compare(gunzipSync(image), same!)).toBe(0);
    const response = new Response(same);
    const again = await api.createSandbox({
      module: wat(COUNTER),
      snapshot: { ...SPEC, image: response },
    });
    expect(await codes(again, 3)).toEqual([35, 35, 35]);
    again.close();
  });

  test("without init the module is in that state as it is, and put back to it", async () => {
    // As the linker, or a build, has left it: memory, and globals of both widths.
    const started = COUNTER.replace('"\\05\\07"', '"\\00\\07"')
      .replace("(i32.const 1))", "(i32.const 20))")
      .replace("9007199254740993", "9007199254740995")
      .replace("(data", '(data (i32.const 0) "\\05") (data');
    const bytes = wat(started);
    const module = new WebAssembly.Module(bytes);
    // What is undefined is not given.
    const snapshot = { run: "go", image: undefined } as object as { run: string };
    for (const given of [bytes, new Response(bytes), module]) {
      const options = { module: given, memoryBytes: "declared" as const };
      // oxlint-disable-next-line no-await-in-loop
      const sandbox = await api.createSandbox({ ...options, snapshot });
      // oxlint-disable-next-line no-await-in-loop
      expect([sandbox.snapshot, await sandbox.snapshotImage()]).toEqual([true, undefined]);
      // oxlint-disable-next-line no-await-in-loop
      expect(await codes(sandbox, 3)).toEqual([35, 35, 35]);
      // By now the module's code has been read, where that can be, and instances are put back.
      // oxlint-disable-next-line no-await-in-loop
      await new Promise((resolve) => setTimeout(resolve, 400));
      // oxlint-disable-next-line no-await-in-loop
      expect(await codes(sandbox, 3)).toEqual([35, 35, 35]);
      sandbox.close();
    }
    expect(await refusal(bytes, { run: "gone" })).toMatchObject({ code: "no_entry" });
    for (const more of [{ args: [] }, { env: {} }, { image: bytes }, { cache: true }]) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await refusal(bytes, { run: "go", ...more })).toMatchObject({ code: "bad_option" });
    }
  });

  test("an image that does not fit, or is not there, is an error, and where it is optional init is called", async () => {
    const other = await api.createSandbox({ module: wat(COUNTER), snapshot: SPEC });
    const image = (await other.snapshotImage())!;
    other.close();
    const guest = COUNTER.replace('"\\05\\07"', '"\\06\\07"');
    expect(guest).not.toBe(COUNTER);
    const cases: [Sallyport.SandboxOptions["snapshot"], string][] = [
      [{ ...SPEC, image }, "bad_snapshot"],
      [{ ...SPEC, image: new Response("", { status: 404 }) }, "load_failed"],
      [{ ...SPEC, image: "/no/such/file" }, "load_failed"],
    ];
    for (const [snapshot, code] of cases) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await refusal(wat(guest), snapshot)).toMatchObject({ code });
      const optional = { ...snapshot!, optional: true };
      // oxlint-disable-next-line no-await-in-loop
      const sandbox = await api.createSandbox({ module: wat(guest), snapshot: optional });
      // oxlint-disable-next-line no-await-in-loop
      expect([sandbox.snapshot, ...(await codes(sandbox, 2))]).toEqual([true, 36, 36]);
      sandbox.close();
    }
  });

  test("a forged image for a module that cannot be put back gives every run a fresh instance", async () => {
    // The table is state that no image holds: a run that saw another's entry would give 2.
    const guest = `
      (memory (export "memory") 1)
      (table 1 funcref) (func $f) (elem declare func $f)
      (func (export "init"))
      (func (export "go") (result i32)
        (if (i32.eqz (ref.is_null (table.get 0 (i32.const 0)))) (then (return (i32.const 2))))
        (table.set 0 (i32.const 0) (ref.func $f))
        (i32.const 1))`;
    const module = wat(guest);
    const image = emptyImage(module);
    const sandbox = await api.createSandbox({ module, snapshot: { ...SPEC, image } });
    expect(await codes(sandbox, 3)).toEqual([1, 1, 1]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await codes(sandbox, 3)).toEqual([1, 1, 1]);
    sandbox.close();
  });

  test("several at once, in workers of their own", async () => {
    const sandbox = await api.createSandbox({ module: wat(COUNTER), snapshot: SPEC });
    const runs = Array.from({ length: 6 }, () => sandbox.run().result);
    expect((await Promise.all(runs)).map(({ exitCode }) => exitCode)).toEqual(Array(6).fill(35));
    sandbox.close();
  });

  test("a memory that init or a run has grown", async () => {
    const guest = `
      (memory (export "memory") 1 8)
      (func (export "init")
        (drop (memory.grow (i32.const 2)))
        (i32.store (i32.const 150000) (i32.const 9)))
      (func (export "go") (result i32)
        (drop (memory.grow (i32.const 1)))
        (i32.add (memory.size) (i32.load (i32.const 150000))))`;
    const sandbox = await api.createSandbox({ module: wat(guest), snapshot: SPEC });
    expect(await codes(sandbox, 3)).toEqual([13, 13, 13]);
    sandbox.close();
  });

  test("after a trap", async () => {
    const guest = `
      (memory (export "memory") 1)
      (func (export "init") (i32.store (i32.const 0) (i32.const 3)))
      (func (export "go") (result i32)
        (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
        (if (i32.ne (i32.load (i32.const 0)) (i32.const 4)) (then (return (i32.const 99))))
        (unreachable))`;
    const sandbox = await api.createSandbox({ module: wat(guest), snapshot: SPEC });
    expect(await codes(sandbox, 3)).toEqual(["trapped", "trapped", "trapped"]);
    sandbox.close();
  });

  test("a reactor is initialized before init, once", async () => {
    const guest = `
      (memory (export "memory") 1)
      (func $add (param i32)
        (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (local.get 0))))
      (func (export "_initialize") (call $add (i32.const 1)))
      (func (export "init") (call $add (i32.const 10)))
      (func (export "go") (result i32) (call $add (i32.const 100)) (i32.load (i32.const 0)))`;
    const sandbox = await api.createSandbox({ module: wat(guest), snapshot: SPEC });
    expect(await codes(sandbox, 3)).toEqual([111, 111, 111]);
    sandbox.close();
  });
});

describe("refused", () => {
  const ENTRIES = `(memory (export "memory") 1) (func (export "init")) (func (export "go"))`;

  test.each([
    ["hidden globals", `${ENTRIES} (global (mut i32) (i32.const 0))`, /mutable global/],
    [
      "table writes",
      `${ENTRIES} (table 1 funcref) (func (table.set 0 (i32.const 0) (ref.null func)))`,
      /tables/,
    ],
    ["dropped segments", `${ENTRIES} (data "x") (func (data.drop 0))`, /segments/],
  ])("%s", async (_name, guest, why) => {
    const error = await refusal(wat(guest));
    expect([error.code, error.message]).toEqual(["bad_snapshot", expect.stringMatching(why)]);
    const optional = { ...SPEC, optional: true };
    const sandbox = await api.createSandbox({ module: wat(guest), snapshot: optional });
    expect([sandbox.snapshot, await sandbox.snapshotImage()]).toEqual([false, undefined]);
    expect((await sandbox.run({ entry: "go" }).result).exitCode).toBe(0);
    sandbox.close();
  });

  test("an imported memory, a compiled Module, absent exports", async () => {
    const imported = `(import "env" "memory" (memory 1 2)) (func (export "init")) (func (export "go"))`;
    expect(await refusal(wat(imported))).toMatchObject({ code: "bad_snapshot" });
    const forged = { ...SPEC, image: emptyImage(wat(imported)) };
    expect(await refusal(wat(imported), forged)).toMatchObject({ code: "bad_snapshot" });
    const compiled = new WebAssembly.Module(wat(ENTRIES.replace(") 1)", ") 1 2)")));
    expect((await refusal(compiled)).message).toMatch(/bytes or URL/);
    expect(await refusal(wat(ENTRIES), { init: "init", run: "none" })).toMatchObject({
      code: "no_entry",
    });
  });

  test.each([
    ["gives another code", `(result i32) (i32.const 4)`, /gave 4/],
    ["traps", `(unreachable)`, /trapped/],
  ])("an init that %s", async (_name, body, why) => {
    const guest = `(memory (export "memory") 1) (func (export "init") ${body}) (func (export "go"))`;
    const error = await refusal(wat(guest));
    expect([error.code, error.message]).toEqual(["bad_snapshot", expect.stringMatching(why)]);
  });

  test("an init that does not end", { timeout: 20_000 }, async () => {
    const guest = `(memory (export "memory") 1) (func (export "init") (loop (br 0))) (func (export "go"))`;
    const started = performance.now();
    expect(await refusal(wat(guest), { ...SPEC, timeoutMs: 300 })).toMatchObject({
      code: "bad_snapshot",
      data: { reason: "timeout", timeoutMs: 300 },
    });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test.each([
    [{ ...SPEC, timeoutMs: 0 }],
    [{ ...SPEC, timeoutMs: Infinity }],
    [7],
    [{ init: "init" }],
    [{ ...SPEC, args: "json" }],
    [{ ...SPEC, args: ["\0"] }],
    [{ ...SPEC, env: { A: 1 } }],
    [{ ...SPEC, image: 7 }],
    [{ ...SPEC, cache: "yes" }],
  ])("the options %j", async (snapshot) => {
    expect(await refusal(wat(ENTRIES), snapshot as object)).toMatchObject({ code: "bad_option" });
  });
});
