// Value, reference and heap types of the binary format, as their WAT names; page, worker and Node.
import type { ByteReader } from "./byte-reader.ts";
import { FEATURE, type FeatureLog } from "./features.ts";

/** A value type by its WAT name: "i32", "v128", "funcref", "(ref null 3)". */
export type ValueType = string;

const NUMBER_TYPES: Readonly<Record<number, ValueType>> = {
  0x7f: "i32",
  0x7e: "i64",
  0x7d: "f32",
  0x7c: "f64",
};

/** Abstract heap types by their byte: name, name of the nullable reference, feature. */
const HEAP_TYPES: Readonly<
  Record<number, readonly [heap: string, reference: ValueType, feature: number]>
> = {
  0x70: ["func", "funcref", FEATURE.reference_types],
  0x6f: ["extern", "externref", FEATURE.reference_types],
  0x6e: ["any", "anyref", FEATURE.gc],
  0x6d: ["eq", "eqref", FEATURE.gc],
  0x6c: ["i31", "i31ref", FEATURE.gc],
  0x6b: ["struct", "structref", FEATURE.gc],
  0x6a: ["array", "arrayref", FEATURE.gc],
  0x71: ["none", "nullref", FEATURE.gc],
  0x72: ["noextern", "nullexternref", FEATURE.gc],
  0x73: ["nofunc", "nullfuncref", FEATURE.gc],
  0x69: ["exn", "exnref", FEATURE.exnref],
  0x74: ["noexn", "nullexnref", FEATURE.exnref],
  0x68: ["cont", "contref", FEATURE.stack_switching],
  0x75: ["nocont", "nullcontref", FEATURE.stack_switching],
};

const SHARED = 0x65;
const EXACT = 0x62;
const REF_NULL = 0x63;
const REF = 0x64;

/** Reads a value type and notes the feature it belongs to. */
export function readValueType(reader: ByteReader, log: FeatureLog): ValueType {
  const byte = reader.peek();
  const number = NUMBER_TYPES[byte];
  if (number !== undefined) {
    reader.at++;
    return number;
  }
  if (byte === 0x7b) {
    log.note(FEATURE.simd, reader.offset);
    reader.at++;
    return "v128";
  }
  return readReferenceType(reader, log);
}

/** Reads a reference type. `funcref` in a table is no feature of its own, so a caller may say that it is plain. */
export function readReferenceType(
  reader: ByteReader,
  log: FeatureLog,
  plainFuncref = false,
): ValueType {
  const offset = reader.offset;
  const byte = reader.byte();
  if (byte === REF_NULL || byte === REF) {
    log.note(FEATURE.typed_function_references, offset);
    return `(ref ${byte === REF_NULL ? "null " : ""}${readHeapType(reader, log)})`;
  }
  if (byte === SHARED) {
    log.note(FEATURE.shared_everything, offset);
    return `(ref null ${readShared(reader, log)})`;
  }
  const known = HEAP_TYPES[byte];
  if (known === undefined) throw reader.fail(`malformed type 0x${hex(byte)}`, reader.at - 1);
  if (!plainFuncref || byte !== 0x70) log.note(known[2], offset);
  return known[1];
}

/** Reads a heap type: an abstract one by name, or the index of a defined type. */
export function readHeapType(reader: ByteReader, log: FeatureLog): string {
  const offset = reader.offset;
  const start = reader.at;
  const byte = reader.peek();
  if (byte === SHARED) {
    reader.at++;
    log.note(FEATURE.shared_everything, offset);
    return readShared(reader, log);
  }
  const known = HEAP_TYPES[byte];
  if (known !== undefined) {
    reader.at++;
    log.note(known[2], offset);
    return known[0];
  }
  if (byte === EXACT) {
    reader.at++;
    log.note(FEATURE.custom_descriptors, offset);
    return `(exact ${reader.u32()})`;
  }
  const index = reader.s33();
  if (index < 0) throw reader.fail("malformed heap type", start);
  log.note(FEATURE.typed_function_references, offset);
  return String(index);
}

/** What follows `shared` is an abstract heap type and nothing deeper, so this does not recurse. */
function readShared(reader: ByteReader, log: FeatureLog): string {
  const offset = reader.offset;
  const known = HEAP_TYPES[reader.byte()];
  if (known === undefined) throw reader.fail("malformed shared heap type", reader.at - 1);
  log.note(known[2], offset);
  return `(shared ${known[0]})`;
}

/** Two hexadecimal digits. */
export function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}
