// Reads the type section: function types, and what garbage collection and stack switching add; page, worker and Node.
import { FUNCTION_PARAMETERS, MODULE_ENTRIES, MODULE_TYPES } from "../limits.ts";
import type { ByteReader } from "./byte-reader.ts";
import { FEATURE } from "./features.ts";
import type { ModuleShape } from "./module-shape.ts";
import { hex, readHeapType, readValueType } from "./value-types.ts";

const FUNC = 0x60;
const STRUCT = 0x5f;
const ARRAY = 0x5e;
const CONT = 0x5d;
const SUB = 0x50;
const SUB_FINAL = 0x4f;
const REC = 0x4e;
const SHARED = 0x65;
const DESCRIBES = 0x4c;
const DESCRIPTOR = 0x4d;

/** Fields of a struct type (WebAssembly JavaScript Interface, limits). */
const STRUCT_FIELDS = 10_000;

export function readTypeSection(reader: ByteReader, shape: ModuleShape): void {
  shape.types.begin(reader.bytes);
  for (let groups = reader.count(1, MODULE_TYPES, "types"); groups > 0; groups--) {
    if (reader.peek() !== REC) {
      readSubType(reader, shape);
      continue;
    }
    shape.log.note(FEATURE.gc, reader.offset);
    reader.at++;
    for (let members = reader.count(1, MODULE_TYPES, "types"); members > 0; members--)
      readSubType(reader, shape);
  }
}

function readSubType(reader: ByteReader, shape: ModuleShape): void {
  const form = reader.peek();
  if (form === SUB || form === SUB_FINAL) {
    shape.log.note(FEATURE.gc, reader.offset);
    reader.at++;
    for (let supers = reader.count(1, MODULE_ENTRIES, "supertypes"); supers > 0; supers--)
      reader.u32();
  }
  if (reader.peek() === SHARED) {
    shape.log.note(FEATURE.shared_everything, reader.offset);
    reader.at++;
  }
  for (const clause of [DESCRIBES, DESCRIPTOR]) {
    if (reader.peek() !== clause) continue;
    shape.log.note(FEATURE.custom_descriptors, reader.offset);
    reader.at++;
    reader.u32();
  }
  readCompositeType(reader, shape);
}

function readCompositeType(reader: ByteReader, shape: ModuleShape): void {
  const offset = reader.offset;
  const form = reader.byte();
  if (shape.types.length === MODULE_TYPES) throw reader.fail(`more than ${MODULE_TYPES} types`);
  if (form === FUNC) {
    const { at } = reader;
    const params = readValueTypes(reader, shape, "parameters");
    const results = readValueTypes(reader, shape, "results");
    if (results > 1) shape.log.note(FEATURE.multi_value, offset);
    shape.types.add(at, params + results);
    return;
  }
  if (form === STRUCT) {
    shape.log.note(FEATURE.gc, offset);
    for (let fields = reader.count(2, STRUCT_FIELDS, "fields"); fields > 0; fields--)
      readField(reader, shape);
  } else if (form === ARRAY) {
    shape.log.note(FEATURE.gc, offset);
    readField(reader, shape);
  } else if (form === CONT) {
    shape.log.note(FEATURE.stack_switching, offset);
    readHeapType(reader, shape.log);
  } else throw reader.fail(`unknown type form 0x${hex(form)}`, reader.at - 1);
  shape.types.add();
}

function readField(reader: ByteReader, shape: ModuleShape): void {
  const packed = reader.peek();
  if (packed === 0x78 || packed === 0x77) reader.at++;
  else readValueType(reader, shape.log);
  if (reader.byte() > 1) throw reader.fail("malformed mutability", reader.at - 1);
}

/** Checks a vector of value types and returns how many there are. Numbers, of which most are, in a short loop. */
function readValueTypes(reader: ByteReader, shape: ModuleShape, what: string): number {
  const count = reader.count(1, FUNCTION_PARAMETERS, what);
  for (let left = count; left > 0; left--) {
    const byte = reader.bytes[reader.at] as number;
    if (byte >= 0x7c && byte <= 0x7f && reader.left > 0) reader.at++;
    else readValueType(reader, shape.log);
  }
  return count;
}
