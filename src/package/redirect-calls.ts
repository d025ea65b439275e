// Rewrites the code section of a module: calls of some functions go to others, and bodies are added at the end; anywhere.

import { ByteReader } from "../wasm/byte-reader.ts";
import { ImmediateReader } from "../wasm/immediates.ts";
import { leb } from "../wasm/limits-entry.ts";
import type { ModuleShape } from "../wasm/module-shape.ts";
import { IMMEDIATE as I, OPCODES, PREFIXED } from "../wasm/opcodes.ts";

const CALL = 0x10;
const FIRST_PREFIX = 0xfb;

/** What to change in a code section. */
export interface CodeChange {
  /** Function indices by the ones that take their place in calls. */
  readonly redirects: ReadonlyMap<number, number>;
  /** Whole bodies, locals and end included, without their size. */
  readonly added: readonly Uint8Array[];
}

/** Gives the content of the section anew, in pieces. The section has to be well-formed: inspect the module first. */
export function redirectCalls(
  section: Uint8Array,
  shape: ModuleShape,
  { redirects, added }: CodeChange,
): Uint8Array[] {
  const reader = new ByteReader(section);
  const count = reader.u32();
  const parts: Uint8Array[] = [lebBytes(count + added.length)];
  const immediates = new ImmediateReader(shape);
  let kept = reader.at;
  for (let left = count; left > 0; left--) {
    const start = reader.at;
    const size = reader.u32();
    const from = reader.at;
    const to = from + size;
    reader.at = to;
    if (!mayCall(section, from, to, redirects)) continue;
    const body = redirectBody(section, from, to, immediates, redirects);
    if (body === undefined) continue;
    parts.push(section.subarray(kept, start), ...withSize(body));
    kept = to;
  }
  parts.push(section.subarray(kept), ...added.flatMap((body) => withSize([body])));
  return parts;
}

/** An unsigned number as LEB128. */
export function lebBytes(value: number): Uint8Array {
  return Uint8Array.from(leb(value));
}

function withSize(body: readonly Uint8Array[]): Uint8Array[] {
  return [lebBytes(body.reduce((sum, { length }) => sum + length, 0)), ...body];
}

/** A quick look: the bytes of such a call occur, as one or as part of something else. */
function mayCall(
  bytes: Uint8Array,
  from: number,
  to: number,
  redirects: ReadonlyMap<number, number>,
): boolean {
  for (let at = bytes.indexOf(CALL, from); at >= 0 && at < to; at = bytes.indexOf(CALL, at + 1)) {
    const index = indexAt(bytes, at + 1, to);
    if (index !== undefined && redirects.has(index)) return true;
  }
  return false;
}

function indexAt(bytes: Uint8Array, at: number, to: number): number | undefined {
  let value = 0;
  for (let i = 0; i < 5 && at + i < to; i++) {
    const byte = bytes[at + i]!;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return value;
  }
  return undefined;
}

/** The body in pieces, its calls changed; undefined when there was none to change. */
function redirectBody(
  bytes: Uint8Array,
  from: number,
  to: number,
  immediates: ImmediateReader,
  redirects: ReadonlyMap<number, number>,
): Uint8Array[] | undefined {
  const reader = (immediates.reader = new ByteReader(bytes, from, to));
  for (let groups = reader.u32(); groups > 0; groups--) {
    reader.u32();
    reader.byte();
  }
  const parts: Uint8Array[] = [];
  let kept = from;
  while (reader.at < to) {
    const at = reader.at;
    const opcode = reader.byte();
    if (opcode !== CALL) {
      skip(opcode, at, immediates);
      continue;
    }
    const place = reader.at;
    const target = redirects.get(reader.u32());
    if (target === undefined) continue;
    parts.push(bytes.subarray(kept, place), lebBytes(target));
    kept = reader.at;
  }
  return parts.length === 0 ? undefined : [...parts, bytes.subarray(kept, to)];
}

/** Passes over what follows an opcode of WebAssembly 2.0. */
function skip(opcode: number, at: number, immediates: ImmediateReader): void {
  const { reader } = immediates;
  const kind = OPCODES.immediate[opcode]!;
  switch (kind) {
    case I.end:
    case I.else:
      return;
    case I.i32:
      return reader.skipSigned(32);
    case I.f32:
      return reader.skip(4);
    case I.f64:
      return reader.skip(8);
    case I.block:
      return immediates.blockType();
    case I.prefix: {
      const table = PREFIXED[opcode - FIRST_PREFIX]!;
      return immediates.read(table.immediate[reader.u32()] ?? I.unknown, at);
    }
    default:
      return immediates.read(kind, at);
  }
}
