// A module that is read into one array: when it is compiled, what of it, and what becomes of a body that is not as it should be; Node.

import { afterEach, expect, test, vi } from "vitest";
import { loadPlaced } from "../../../src/page/load-placed.ts";
import { type BegunBody, readOn } from "../../../src/page/read-on.ts";
import { moduleOf } from "../wasm/wat.ts";

const options = { memoryBytes: 10 * 65_536, fetch };
const custom = (name: string, size: number): [number, number[]] => [
  0,
  [name.length, ...new TextEncoder().encode(name), ...Array<number>(size).fill(1)],
];
const code: [number, number[]][] = [
  [1, [1, 0x60, 0, 0]],
  [3, [1, 0]],
  [5, [1, 0, 1]],
  [7, [1, 1, 97, 0, 0]],
  [10, [1, 2, 0, 0x0b]],
];
const debug = custom(".debug_info", 5_000_000);
const bounded = moduleOf(
  ...code.map((one): typeof one => (one[0] === 5 ? [5, [1, 1, 1, 10]] : one)),
);

/** A body of these bytes that breaks with `error` behind them, if there is one, and room for it as its header says. */
function body(
  source: Uint8Array,
  { says = source.length, error }: { says?: number; error?: Error } = {},
) {
  const seen = { taken: 0, cancelled: undefined as unknown };
  const stream = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const view = controller.byobRequest!.view as Uint8Array<ArrayBuffer>;
      const piece = source.subarray(seen.taken, seen.taken + Math.min(view.length, 65_536));
      seen.taken += piece.length;
      if (piece.length === 0 && error) return controller.error(error);
      if (piece.length === 0) controller.close();
      new Uint8Array(view.buffer, view.byteOffset).set(piece);
      controller.byobRequest!.respond(piece.length);
    },
    cancel: (reason) => void (seen.cancelled = reason),
  });
  const rest = stream.getReader({ mode: "byob" });
  const begun: BegunBody = { bytes: new Uint8Array(16 + says + 1).subarray(16, 16), rest };
  return { begun, seen };
}

/** What was compiled, and how much of the body was read by then. */
function watchCompiler(seen: { taken: number }) {
  const calls: { bytes: Uint8Array; taken: number }[] = [];
  const compile = WebAssembly.compile.bind(WebAssembly);
  vi.spyOn(WebAssembly, "compile").mockImplementation((bytes) => {
    calls.push({ bytes: (bytes as Uint8Array).slice(), taken: seen.taken });
    return compile(bytes);
  });
  return calls;
}

afterEach(() => void vi.restoreAllMocks());

const never = (): boolean => false;

test.each([
  ["nothing", []],
  ["what tools note", [custom("producers", 9), custom("target_features", 9)]],
])(
  "with %s behind much debugging information, it is compiled while that comes",
  async (_, behind) => {
    const source = moduleOf(...code, debug, ...behind);
    const { begun, seen } = body(source);
    const calls = watchCompiler(seen);
    const loaded = await loadPlaced(begun, options, never);
    expect(loaded).toMatchObject({ facts: { byteLength: source.length }, unchecked: false });
    expect(calls).toHaveLength(1);
    expect(calls[0]!.taken).toBeLessThan(1_000_000);
    expect(Buffer.compare(calls[0]!.bytes, bounded)).toBe(0);
  },
);

test("names behind it are compiled in, too, and little of it is not worth beginning early", async () => {
  const name = custom("name", 0);
  for (const [parts, times] of [
    [[...code, debug, name], 2],
    [[...code, custom(".debug_info", 4_000_000), name], 1],
    [[custom(".debug_info", 5_000_000), ...code, name], 1],
  ] as const) {
    const { begun, seen } = body(moduleOf(...parts));
    const calls = watchCompiler(seen);
    const loaded = await loadPlaced(begun, options, never);
    expect(calls).toHaveLength(times);
    expect(
      "module" in loaded && WebAssembly.Module.customSections(loaded.module, "name"),
    ).toHaveLength(1);
    vi.restoreAllMocks();
  }
});

test("one that comes slowly is given back with all that was read, until something is not kept", async () => {
  const source = moduleOf(...code, custom("large", 2_000_000));
  const { begun } = body(source);
  const stopped = await loadPlaced(
    begun,
    options,
    vi.fn().mockReturnValueOnce(false).mockReturnValue(true),
  );
  if ("module" in stopped) throw new Error("it was not stopped");
  expect(stopped.bytes.length).toBeGreaterThan(500_000);
  expect(stopped.bytes.length).toBeLessThan(source.length);
  const whole = await readOn(stopped, never);
  expect(whole.rest).toBe(false);
  expect(Buffer.compare(whole.bytes, source)).toBe(0);
  const cut = body(moduleOf(...code, debug));
  expect(
    await loadPlaced(await readOn(cut.begun, () => cut.seen.taken > 0), options, () => true),
  ).toHaveProperty("module");
});

test("a body may be longer than its header says", async () => {
  const source = moduleOf(...code, debug, custom("large", 2_000_000));
  for (const says of [0, 40, 600_000]) {
    const { begun, seen } = body(source, { says });
    const calls = watchCompiler(seen);
    expect(await loadPlaced(begun, options, never)).toHaveProperty("module");
    const [last] = calls.slice(-1);
    expect(
      Buffer.compare(
        last!.bytes,
        Buffer.concat([bounded, moduleOf(custom("large", 2_000_000)).subarray(8)]),
      ),
    ).toBe(0);
    vi.restoreAllMocks();
  }
});

test("what is no module, or less than one, is told by its code, and nobody reads on", async () => {
  const wrong = moduleOf(...code, [3, [1, 0]], custom("large", 2_000_000));
  const first = body(wrong);
  await expect(loadPlaced(first.begun, options, never)).rejects.toMatchObject({
    code: "malformed",
  });
  expect(first.seen.taken).toBeLessThan(wrong.length);
  expect(first.seen.cancelled).toMatchObject({ code: "malformed" });
  const invalid = moduleOf(...code.slice(0, -1), [10, [1, 3, 0, 0x6a, 0x0b]], debug);
  await expect(loadPlaced(body(invalid).begun, options, never)).rejects.toMatchObject({
    code: "compile_failed",
  });
  const cut = moduleOf(...code, debug).slice(0, -5);
  await expect(loadPlaced(body(cut).begun, options, never)).rejects.toMatchObject({
    code: "truncated",
  });
  for (const part of [cut, cut.subarray(0, 60)]) {
    const error = new Error("the line broke");
    await expect(loadPlaced(body(part, { error }).begun, options, never)).rejects.toBe(error);
  }
});
