// Reads the sections that say what a module is made of, bodies and data aside; page, worker and Node.
import { MODULE_ENTRIES, MODULE_LINKS, MODULE_MEMORIES, MODULE_TABLES } from "../limits.ts";
import type { ByteReader } from "./byte-reader.ts";
import { readConstExpression } from "./const-expression.ts";
import { FEATURE } from "./features.ts";
import { readLimits } from "./limits-entry.ts";
import type { ExternalKind } from "./module-facts.ts";
import type { ModuleShape } from "./module-shape.ts";
import { readTypeSection } from "./type-section.ts";
import { hex, readReferenceType, readValueType } from "./value-types.ts";

/** One for all: most globals are not exported. */
const NOT_EXPORTED: readonly string[] = [];

const KINDS: readonly ExternalKind[] = ["function", "table", "memory", "global", "tag"];

/** Reads the whole body of a section into the shape. */
export type SectionReader = (reader: ByteReader, shape: ModuleShape) => void;

/** Readers by section number; sections without one (custom, element, code, data) are not needed for facts. */
export const SECTION_READERS: readonly (SectionReader | undefined)[] = [
  undefined,
  readTypeSection,
  readImportSection,
  readFunctionSection,
  readTableSection,
  readMemorySection,
  readGlobalSection,
  readExportSection,
  readStartSection,
  undefined,
  undefined,
  undefined,
  readDataCountSection,
  readTagSection,
];

function readImportSection(reader: ByteReader, shape: ModuleShape): void {
  const functionTypes: number[] = [];
  shape.functionTypes = functionTypes;
  for (let count = reader.count(4, MODULE_LINKS, "imports"); count > 0; count--) {
    const { offset } = reader;
    const module = reader.name();
    const name = reader.name();
    const kind = readImportKind(reader, shape);
    const typeIndex = kind === "function" ? readTypeIndex(reader, shape) : -1;
    if (kind === "function") functionTypes.push(typeIndex);
    else readImported(kind, reader, shape);
    shape.imports.push({ module, name, kind, offset, typeIndex });
  }
  shape.importedFunctions = shape.functionTypes.length;
  shape.importedGlobals = shape.globals.length;
}

function readImported(
  kind: Exclude<ExternalKind, "function">,
  reader: ByteReader,
  shape: ModuleShape,
): void {
  if (kind === "table") readTable(reader, shape, true);
  else if (kind === "memory") readMemory(reader, shape, true);
  else if (kind === "global") readGlobalType(reader, shape, true);
  else readTag(reader, shape);
}

/** An imported function may ask for exactly its type, which custom descriptors add. */
function readImportKind(reader: ByteReader, shape: ModuleShape): ExternalKind {
  if (reader.peek() !== 0x20) return readKind(reader);
  shape.log.note(FEATURE.custom_descriptors, reader.offset);
  reader.at++;
  return "function";
}

function readKind(reader: ByteReader): ExternalKind {
  const kind = KINDS[reader.byte()];
  if (kind === undefined) throw reader.fail("malformed import or export kind", reader.at - 1);
  return kind;
}

function readTypeIndex(reader: ByteReader, shape: ModuleShape): number {
  const { at } = reader;
  const index = reader.u32();
  if (index >= shape.types.length) throw reader.fail(`unknown type ${index}`, at);
  return index;
}

/** In one loop, because it has to be quick before it is compiled; what it does not judge goes through the reader. */
function readFunctionSection(reader: ByteReader, shape: ModuleShape): void {
  const { bytes, end } = reader;
  const functions = reader.count(1, MODULE_ENTRIES, "functions");
  if (takeShortIndices(reader, shape, functions)) return;
  const types = shape.types.length;
  const functionTypes = [...shape.functionTypes];
  shape.functionTypes = functionTypes;
  for (let count = functions; count > 0; count--) {
    const { at } = reader;
    const low = bytes[at] as number;
    const isShort = low < 0x80;
    const index = isShort ? low : (low & 0x7f) | ((bytes[at + 1] as number) << 7);
    const next = isShort ? at + 1 : at + 2;
    if (next <= end && index < types && index < 0x4000) {
      functionTypes.push(index);
      reader.at = next;
    } else functionTypes.push(readTypeIndex(reader, shape));
  }
}

/**
 * Where each index is a byte, as in most modules, the engine's own functions do all of it: a loop over ten thousand of them
 * takes milliseconds in code that runs for the first time. False where the loop has to look.
 */
function takeShortIndices(reader: ByteReader, shape: ModuleShape, functions: number): boolean {
  const { bytes, at, end } = reader;
  if (end - at !== functions) return false;
  const indices = bytes.subarray(at, end);
  // Node's Buffer is an array whose slice() is no copy, and sorting it would change the module.
  const greatest = new Uint8Array(indices).sort().at(-1) ?? 0;
  if (greatest >= Math.min(shape.types.length, 0x80)) return false;
  const all = new Uint32Array(shape.functionTypes.length + functions);
  all.set(shape.functionTypes);
  all.set(indices, shape.functionTypes.length);
  shape.functionTypes = all;
  reader.at = end;
  return true;
}

function readTableSection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(3, MODULE_TABLES, "tables"); count > 0; count--)
    readTable(reader, shape, false);
}

/** A table, in a section perhaps with the value its entries start with (0x40 0x00 before it). */
function readTable(reader: ByteReader, shape: ModuleShape, imported: boolean): void {
  const { offset, at } = reader;
  const hasInitial = !imported && reader.peek() === 0x40;
  if (hasInitial) {
    reader.at++;
    if (reader.byte() !== 0) throw reader.fail("malformed table", at);
    shape.log.note(FEATURE.typed_function_references, offset);
  }
  const element = readReferenceType(reader, shape.log, true);
  const limits = readLimits(reader, shape, "table");
  if (hasInitial) readConstExpression(reader, shape);
  if (shape.tables.length === 1) shape.log.note(FEATURE.reference_types, offset);
  shape.tables.push({ element, limits, imported });
}

function readMemorySection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(2, MODULE_MEMORIES, "memories"); count > 0; count--)
    readMemory(reader, shape, false);
}

function readMemory(reader: ByteReader, shape: ModuleShape, imported: boolean): void {
  const { offset } = reader;
  const limits = readLimits(reader, shape, "memory");
  if (shape.memories.length > 0) shape.log.note(FEATURE.multi_memory, offset);
  shape.memories.push({ limits, imported });
}

function readGlobalSection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(3, MODULE_ENTRIES, "globals"); count > 0; count--) {
    readGlobalType(reader, shape, false);
    readConstExpression(reader, shape);
  }
}

function readGlobalType(reader: ByteReader, shape: ModuleShape, imported: boolean): void {
  const type = readValueType(reader, shape.log);
  const { offset } = reader;
  const flags = reader.byte();
  if (flags > 3) throw reader.fail(`malformed mutability 0x${hex(flags)}`, reader.at - 1);
  if (flags > 1) shape.log.note(FEATURE.shared_everything, offset);
  shape.globals.push({ type, mutable: (flags & 1) === 1, imported, exportedAs: NOT_EXPORTED });
}

function readExportSection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(3, MODULE_LINKS, "exports"); count > 0; count--) {
    const { offset } = reader;
    const name = reader.name();
    const kind = readKind(reader);
    const index = reader.u32();
    const global = kind === "global" ? shape.globals[index] : undefined;
    if (global !== undefined) global.exportedAs = [...global.exportedAs, name];
    shape.exports.push({ name, kind, index, offset });
  }
}

function readStartSection(reader: ByteReader, shape: ModuleShape): void {
  shape.start = reader.u32();
}

function readDataCountSection(reader: ByteReader, shape: ModuleShape): void {
  shape.log.note(FEATURE.bulk_memory, reader.offset);
  shape.dataCount = reader.u32();
}

function readTagSection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(2, MODULE_ENTRIES, "tags"); count > 0; count--)
    readTag(reader, shape);
}

function readTag(reader: ByteReader, shape: ModuleShape): void {
  shape.log.note(FEATURE.exceptions, reader.offset);
  if (reader.byte() !== 0) throw reader.fail("malformed tag attribute", reader.at - 1);
  reader.u32();
  shape.tags++;
}
