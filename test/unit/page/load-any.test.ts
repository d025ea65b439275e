// Modules of any kind, cut anywhere, in pieces of any size, as long as their header says or not: loaded as their bytes are; Node.

import { expect, test } from "vitest";
import { loadModule } from "../../../src/page/load-module.ts";
import { readOn } from "../../../src/page/read-on.ts";
import { moduleOf } from "../wasm/wat.ts";

type Section = readonly [id: number, body: readonly number[]];

const text = (word: string): number[] => [...new TextEncoder().encode(word)];
const NAMES = [".debug_info", ".debug_", ".debug", "name", "producers", "target_features", "o", ""];
const SIZES = [0, 1, 5, 16, 17, 100, 600, 70_000];
const MODULE: readonly Section[] = [
  [1, [1, 0x60, 0, 0]],
  [3, [1, 0]],
  [4, [1, 0x70, 0, 1]],
  [5, [1, 0, 1]],
  [6, [1, 0x7f, 1, 0x41, 0, 0x0b]],
  [7, [2, 1, 97, 0, 0, 6, ...text("memory"), 2, 0]],
  [9, [0]],
  [12, [1]],
  [10, [1, 2, 0, 0x0b]],
  [11, [1, 0, 0x41, 0, 0x0b, 3, 1, 2, 3]],
];
const INVALID: Section = [10, [1, 3, 0, 0x6a, 0x0b]];
const MISPLACED: readonly Section[] = [...MODULE, [13, [0]], [14, [0]], [99, [1, 2]]];

/** Numbers that look random, the same each time. */
function dice(seed: number) {
  let state = seed;
  const below = (most: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % most;
  };
  const pick = <One>(all: readonly One[]): One => all[below(all.length)]!;
  return { below, pick, oneIn: (most: number): boolean => below(most) === 0 };
}

type Dice = ReturnType<typeof dice>;

function custom({ pick, oneIn }: Dice, name = pick(NAMES), size = pick(SIZES)): Section {
  const body = [name.length, ...text(name), ...Array<number>(size).fill(1)];
  if (oneIn(15)) body[0] = pick([0x80, 127, 255, 30]);
  if (oneIn(15) && name) body[1] = 0xff;
  return [0, body];
}

function anyModule(throws: Dice): Uint8Array<ArrayBuffer> {
  const { below, pick, oneIn } = throws;
  const parts: Section[] = [];
  for (const part of MODULE) {
    while (oneIn(5)) parts.push(custom(throws));
    if (oneIn(40)) continue;
    parts.push(part[0] === 10 && oneIn(12) ? INVALID : part);
    if (oneIn(60)) parts.push(pick(MODULE));
    // Compiled before the rest is there.
    if (part[0] === 10 && oneIn(12)) parts.push(custom(throws, ".debug_info", 4_900_000));
  }
  while (!oneIn(3)) parts.push(custom(throws));
  if (oneIn(8)) parts.push(pick(MISPLACED));
  const bytes = moduleOf(...parts);
  if (oneIn(8)) bytes[below(Math.min(bytes.length, 400))] = below(256);
  return oneIn(3) ? bytes.slice(0, below(pick([30, 120, bytes.length])) + 1) : bytes;
}

/** A body of these bytes, of which the beginning was read. */
async function begin(source: Uint8Array, { below, pick }: Dice) {
  const { length } = source;
  const most = pick([65_536, length > 5_000 ? 4_001 : 1, 1 + below(3_000)]);
  let taken = 0;
  const body = new ReadableStream({
    type: "bytes",
    pull(controller) {
      const view = controller.byobRequest!.view as Uint8Array<ArrayBuffer>;
      const piece = source.subarray(taken, taken + Math.min(view.length, most));
      taken += piece.length;
      if (piece.length === 0) controller.close();
      new Uint8Array(view.buffer, view.byteOffset).set(piece);
      controller.byobRequest!.respond(piece.length);
    },
  });
  const says = pick([length, length, 0, 40, length - 1, length + 1, length + 500_000]);
  const bytes = new Uint8Array(16 + says + 1).subarray(16, 16);
  let reads = below(3);
  return readOn({ bytes, rest: body.getReader({ mode: "byob" }) }, () => reads-- === 0);
}

/** What comes of it: the module's sections and facts, or the error. */
async function outcome(loading: ReturnType<typeof loadModule>): Promise<unknown> {
  try {
    const { module, facts, unchecked } = await loading;
    const names = NAMES.map((name) => WebAssembly.Module.customSections(module, name));
    const sizes = names.map((sections) => sections.map(({ byteLength }) => byteLength));
    return { facts, unchecked, exports: WebAssembly.Module.exports(module), sizes };
  } catch (error) {
    const { code, data } = error as { code: string; data: unknown };
    return { code, data };
  }
}

test("a body is loaded as its bytes are", { timeout: 60_000 }, async () => {
  const seen = new Set<unknown>();
  for (let seed = 1; seed <= 200; seed += 1) {
    const throws = dice(seed * 7_919);
    const source = anyModule(throws);
    const memoryBytes = throws.oneIn(8) ? "declared" : 10 * 65_536;
    const onRead = throws.oneIn(6) ? () => {} : undefined;
    const options = { memoryBytes, onRead, fetch } as const;
    // oxlint-disable no-await-in-loop -- one after the other
    const expected = await outcome(loadModule(source.slice(), options));
    const begun = await begin(source, throws);
    const began = performance.now() - throws.pick([0, 98, 200]);
    const early = async () => ({ ...begun, response: new Response(null), began });
    const found = await outcome(loadModule("/any.wasm", { ...options, early }));
    // oxlint-enable no-await-in-loop
    expect(found, `seed ${seed}`).toEqual(expected);
    seen.add((expected as { code?: string }).code);
  }
  for (const code of [undefined, "malformed", "truncated", "compile_failed"])
    expect(seen).toContain(code);
});
