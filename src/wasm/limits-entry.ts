// The limits of a memory or table: read, bounded to what the host allows, and written back; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { TABLE_ENTRIES, WASM_PAGE_BYTES } from "../limits.ts";
import type { ByteReader } from "./byte-reader.ts";
import { concatenate } from "./concatenate.ts";
import { FEATURE } from "./features.ts";
import type { Limits, MemoryShape, ModuleShape, TableShape } from "./module-shape.ts";
import { hex } from "./value-types.ts";

const HAS_MAXIMUM = 1;
const SHARED = 2;
const IS_64 = 4;
const HAS_PAGE_SIZE = 8;

/** Reads limits of a memory or a table and notes the features their flags ask for. */
export function readLimits(reader: ByteReader, shape: ModuleShape, of: "memory" | "table"): Limits {
  const { offset, at: from } = reader;
  const flags = reader.byte();
  if (flags > (of === "memory" ? 15 : 7))
    throw reader.fail(`malformed limits flags 0x${hex(flags)}`, from);
  const shared = (flags & SHARED) !== 0;
  const is64 = (flags & IS_64) !== 0;
  if (shared)
    shape.log.note(of === "memory" ? FEATURE.shared_memory : FEATURE.shared_everything, offset);
  if (is64) shape.log.note(of === "memory" ? FEATURE.memory64 : FEATURE.table64, offset);
  const initial = is64 ? reader.u64() : reader.u32();
  const declaredMaximum =
    (flags & HAS_MAXIMUM) === 0 ? undefined : is64 ? reader.u64() : reader.u32();
  const to = reader.at;
  const pageBytes = (flags & HAS_PAGE_SIZE) === 0 ? WASM_PAGE_BYTES : readPageSize(reader, shape);
  if (declaredMaximum !== undefined && declaredMaximum < initial) {
    throw reader.fail(`a ${of} whose maximum is smaller than its start`, from);
  }
  // Bounding would otherwise make modules right that engines refuse.
  if (shared && declaredMaximum === undefined)
    throw reader.fail(`a shared ${of} without a maximum`, from);
  if (of === "memory" && (declaredMaximum ?? initial) * pageBytes > (is64 ? 2 ** 64 : 2 ** 32)) {
    throw reader.fail("a memory that is larger than its addresses reach", from);
  }
  return {
    initial,
    declaredMaximum,
    maximum: declaredMaximum,
    shared,
    is64,
    pageBytes,
    flags,
    offset,
    from,
    to,
  };
}

function readPageSize(reader: ByteReader, shape: ModuleShape): number {
  const { offset, at } = reader;
  shape.log.note(FEATURE.custom_page_sizes, offset);
  const exponent = reader.u32();
  if (exponent !== 0 && exponent !== 16)
    throw reader.fail("a page size that is neither 1 nor 65,536 bytes", at);
  return 2 ** exponent;
}

/**
 * Gives every memory the largest maximum that keeps all of them together within `memoryBytes`: each has what it starts
 * with, and what is left over goes to the first that may grow. Throws `too_large` when the starts alone do not fit.
 */
export function boundMemories(memories: readonly MemoryShape[], memoryBytes: number): void {
  const start = memories.reduce((sum, { limits }) => sum + limits.initial * limits.pageBytes, 0);
  if (start > memoryBytes) {
    throw new SandboxError(
      "too_large",
      `the module starts with ${start} bytes of memory; memoryBytes is ${memoryBytes}`,
      {
        data: { initialBytes: start, memoryBytes },
      },
    );
  }
  let spare = memoryBytes - start;
  for (const { limits } of memories) {
    const addressable = limits.is64 ? 2 ** 53 : 2 ** 32 / limits.pageBytes;
    spare -= bound(limits, Math.floor(spare / limits.pageBytes), addressable) * limits.pageBytes;
  }
}

/** The same for tables, which share TABLE_ENTRIES. */
export function boundTables(tables: readonly TableShape[]): void {
  const start = tables.reduce((sum, { limits }) => sum + limits.initial, 0);
  if (start > TABLE_ENTRIES) {
    throw new SandboxError(
      "too_large",
      `the module starts with ${start} table entries; the limit is ${TABLE_ENTRIES}`,
      {
        data: { initialEntries: start, tableEntries: TABLE_ENTRIES },
      },
    );
  }
  let spare = TABLE_ENTRIES - start;
  for (const { limits } of tables) spare -= bound(limits, spare, 2 ** 32 - 1);
}

/** Sets the maximum and returns by how much it exceeds the start. */
function bound(limits: Limits, spare: number, addressable: number): number {
  limits.maximum = Math.min(
    limits.declaredMaximum ?? Infinity,
    limits.initial + spare,
    addressable,
  );
  return limits.maximum - limits.initial;
}

/** A section body with the limits in it rewritten, or undefined when nothing changes. */
export function rewriteLimits(
  body: Uint8Array,
  all: readonly Limits[],
): Uint8Array<ArrayBuffer> | undefined {
  const changed = all.filter(({ maximum, declaredMaximum }) => maximum !== declaredMaximum);
  if (changed.length === 0) return undefined;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const limits of changed) {
    parts.push(body.subarray(at, limits.from));
    parts.push(Uint8Array.from(writeLimits(limits)));
    at = limits.to;
  }
  parts.push(body.subarray(at));
  return concatenate(parts);
}

function writeLimits({ flags, initial, maximum }: Limits): number[] {
  return [flags | HAS_MAXIMUM, ...leb(initial), ...leb(maximum as number)];
}

/** The shortest unsigned LEB128 of an integer up to 2^53. */
export function leb(value: number): number[] {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  bytes.push(value);
  return bytes;
}
