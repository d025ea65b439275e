// Passes over plain function bodies at the speed of the processor, in WebAssembly; page, worker and Node.
import { STANDARD_FEATURES } from "./features.ts";
import { IMMEDIATE as I, OPCODES, type OpcodeTable, PREFIXED } from "./opcodes.ts";
import { SCANNER_BINARY } from "./scanner-binary.ts";
import { FOLLOWS, GUARD, INFO, LARGEST_WINDOW, LAYOUT, PASS } from "./scanner-layout.ts";

/** Bytes of code that the first scan takes; each takes twice as much as the last, so that a small module costs little. */
const FIRST_WINDOW = 32 * 2 ** 10;
/** Bytes after a window that a number at its end may be read from. */
const SLACK = 64;
const PAGE = 65_536;

/** What one scan passed over. */
export interface Scan {
  /** Where in the piece the first body that was not taken begins, at its size. */
  readonly next: number;
  /** Bodies taken, refused ones counted. */
  readonly taken: number;
  /** Bodies that need a closer look, in order: index from the first taken, start and end in the piece. */
  readonly refused: readonly RefusedBody[];
  /** Numbers of standard features, as bits. */
  readonly seen: number;
}

export interface RefusedBody {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly taken: WebAssembly.Global;
  readonly refused: WebAssembly.Global;
  readonly seen: WebAssembly.Global;
  scan(from: number, limit: number, bodies: number): number;
}

let shared: BodyScanner | undefined | null;

/** The scanner of this realm; undefined where the page's policy does not let WebAssembly compile. */
export function bodyScanner(): BodyScanner | undefined {
  if (shared === undefined) {
    try {
      shared = new BodyScanner();
    } catch {
      shared = null;
    }
  }
  return shared ?? undefined;
}

/**
 * Scans bodies for instructions that are well-formed and of WebAssembly 2.0, and refuses every body with anything else
 * in it, or whose effects matter, for the walker in JavaScript to judge. So it decides nothing but "plain".
 */
export class BodyScanner {
  readonly #exports: Exports;
  #window = FIRST_WINDOW;

  constructor() {
    const binary = Uint8Array.from(atob(SCANNER_BINARY), (character) => character.charCodeAt(0));
    const instance = new WebAssembly.Instance(new WebAssembly.Module(binary));
    this.#exports = instance.exports as unknown as Exports;
    const memory = new Uint8Array(this.#exports.memory.buffer);
    writeTables(memory);
    memory.fill(0x01, LAYOUT.idle, LAYOUT.idleEnd - 1);
    memory[LAYOUT.idleEnd - 1] = 0x0b;
  }

  /** Begins a module: the scans of the last one no longer say how large a window is worth it. */
  reset(): void {
    this.#window = FIRST_WINDOW;
  }

  /** Scans up to `bodies` bodies that lie in `piece` from `from` up to `to`. */
  scan(piece: Uint8Array, from: number, to: number, bodies: number): Scan {
    let size = Math.min(this.#window, to - from);
    let next = this.#scanWindow(piece, from, size, bodies);
    while (next === from && size < Math.min(to - from, LARGEST_WINDOW)) {
      size = Math.min(2 * size, to - from, LARGEST_WINDOW);
      next = this.#scanWindow(piece, from, size, bodies);
    }
    // A list of refused bodies that is full ends a scan early, and then a larger window would be copied for nothing.
    this.#window = Math.min(Math.max(2 * (next - from), FIRST_WINDOW), LARGEST_WINDOW);
    const { taken, refused, seen } = this.#exports;
    return {
      next,
      taken: taken.value as number,
      refused: this.#refused(refused.value as number, from - LAYOUT.window),
      seen: seen.value as number,
    };
  }

  #scanWindow(piece: Uint8Array, from: number, size: number, bodies: number): number {
    const { memory } = this.#exports;
    const missing = LAYOUT.window + size + SLACK - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    new Uint8Array(memory.buffer).set(piece.subarray(from, from + size), LAYOUT.window);
    return from + this.#exports.scan(LAYOUT.window, LAYOUT.window + size, bodies) - LAYOUT.window;
  }

  #refused(count: number, shift: number): RefusedBody[] {
    const numbers = new Uint32Array(this.#exports.memory.buffer, LAYOUT.refused, 3 * count);
    const bodies: RefusedBody[] = [];
    for (let at = 0; at < numbers.length; at += 3) {
      bodies.push({
        index: numbers[at] as number,
        start: (numbers[at + 1] as number) + shift,
        end: (numbers[at + 2] as number) + shift,
      });
    }
    return bodies.sort((a, b) => a.index - b.index);
  }
}

function writeTables(memory: Uint8Array): void {
  const info = new BigUint64Array(memory.buffer, LAYOUT.info, 256);
  for (let opcode = 0; opcode < 256; opcode++) {
    info[opcode] = infoOf(
      OPCODES.immediate[opcode] as number,
      OPCODES.feature[opcode] as number,
      opcode,
    );
    memory[LAYOUT.classes + opcode] =
      GUARD.any |
      (opcode >= 0x40 ? GUARD.notPlainFlags : 0) |
      (opcode === 0x40 || (opcode >= 0x7c && opcode <= 0x7f) ? 0 : GUARD.notPlainBlock) |
      (opcode === 0 ? 0 : GUARD.notZero);
  }
  const [, misc, simd] = PREFIXED as readonly [OpcodeTable, OpcodeTable, OpcodeTable];
  for (let opcode = 0; opcode < 32; opcode++)
    memory[LAYOUT.misc + opcode] = followsOf(misc, opcode);
  for (let opcode = 0; opcode < 256; opcode++)
    memory[LAYOUT.simd + opcode] = followsOf(simd, opcode);
}

/** What INFO says of an opcode. Instructions that it is not sure about are guarded, so that they are refused. */
function infoOf(immediate: number, feature: number, opcode: number): bigint {
  const numbers = immediate === I.prefix ? PREFIX_NUMBERS[opcode] : NUMBERS[immediate];
  const isKnown =
    numbers !== undefined && feature <= STANDARD_FEATURES.length && opcode !== TABLE_SET;
  const [count, guard, pass] = isKnown ? numbers : [0, GUARD.any, PASS.refuse];
  // Opcode and constant; where numbers follow, the place of the end of the last gives all bytes but one.
  const fixed = immediate === I.f32 ? 5 : immediate === I.f64 ? 9 : count === 0 ? 1 : 2;
  const numberBits = count === 0 ? INFO.noNumber : count === 2 ? INFO.twoNumbers : 0;
  const depth = immediate === I.block ? 1 : immediate === I.end ? -1 : 0;
  const low = (depth << INFO.depth) | (8 * fixed) | numberBits;
  // A length of 6 with one number, or of 7 with two, means a number of five bytes or more.
  const margin = (count === 0 ? -fixed : count === 1 ? 2 : 1) & 15;
  const high = guard | (pass << (INFO.pass - 32)) | ((1 << feature) << (INFO.features - 32));
  return (
    BigInt.asUintN(32, BigInt(low)) |
    (BigInt(high) << 32n) |
    (BigInt(margin) << BigInt(INFO.margin))
  );
}

const TABLE_SET = 0x26;

type Numbers = readonly [count: number, guard: number, pass: number];

/** How many numbers follow, which bytes after the opcode are not plain, and what is done where the loop does not judge. */
const NUMBERS: Readonly<Record<number, Numbers>> = {
  [I.none]: [0, 0, PASS.refuse],
  [I.end]: [0, 0, PASS.refuse],
  [I.f32]: [0, 0, PASS.refuse],
  [I.f64]: [0, 0, PASS.refuse],
  [I.index]: [1, 0, PASS.index],
  [I.i32]: [1, 0, PASS.i32],
  [I.i64]: [1, 0, PASS.i64],
  [I.block]: [1, GUARD.notPlainBlock, PASS.refuse],
  [I.memoryIndex]: [1, GUARD.notZero, PASS.refuse],
  [I.memarg]: [2, GUARD.notPlainFlags, PASS.memarg],
  [I.twoIndices]: [0, GUARD.any, PASS.twoIndices],
  [I.else]: [0, GUARD.any, PASS.else],
  [I.brTable]: [0, GUARD.any, PASS.brTable],
};

const PREFIX_NUMBERS: Readonly<Record<number, Numbers>> = {
  0xfc: [0, GUARD.any, PASS.misc],
  0xfd: [0, GUARD.any, PASS.simd],
};

const FOLLOWING: Readonly<Record<number, number>> = {
  [I.none]: FOLLOWS.nothing,
  [I.memarg]: FOLLOWS.memarg,
  [I.lane]: FOLLOWS.byte,
  [I.memargLane]: FOLLOWS.memargByte,
  [I.bytes16]: FOLLOWS.bytes16,
  [I.memoryIndex]: FOLLOWS.zero,
  [I.twoMemoryIndices]: FOLLOWS.twoZeros,
};

function followsOf({ immediate, feature }: OpcodeTable, opcode: number): number {
  const needs = feature[opcode] ?? 0;
  const follows = FOLLOWING[immediate[opcode] ?? I.unknown] ?? FOLLOWS.refuse;
  return needs > STANDARD_FEATURES.length || follows === FOLLOWS.refuse
    ? FOLLOWS.refuse
    : follows | (needs << 4);
}
