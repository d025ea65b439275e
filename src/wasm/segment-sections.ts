// Reads the element and data sections, for a full inspection only: facts do without them; page, worker and Node.
import type { ByteReader } from "./byte-reader.ts";
import { readConstExpression } from "./const-expression.ts";
import { FEATURE } from "./features.ts";
import type { ModuleShape } from "./module-shape.ts";
import { readReferenceType } from "./value-types.ts";

/** Element and data segments of a module (WebAssembly JavaScript Interface, limits). */
const ELEMENT_SEGMENTS = 10_000_000;
const DATA_SEGMENTS = 100_000;

// Bits of an element segment's flags.
const NOT_ACTIVE = 1;
/** With NOT_ACTIVE: declared only. Without: the table is named. */
const DECLARED_OR_NAMED = 2;
const EXPRESSIONS = 4;

export function readElementSection(reader: ByteReader, shape: ModuleShape): void {
  for (let count = reader.count(2, ELEMENT_SEGMENTS, "element segments"); count > 0; count--)
    readElements(reader, shape);
}

function readElements(reader: ByteReader, shape: ModuleShape): void {
  const { offset, at } = reader;
  const flags = reader.u32();
  if (flags > 7) throw reader.fail("malformed elements segment kind", at);
  if (flags !== 0) shape.log.note(FEATURE.bulk_memory, offset);
  if ((flags & NOT_ACTIVE) === 0) {
    if ((flags & DECLARED_OR_NAMED) !== 0) reader.u32();
    readConstExpression(reader, shape);
  }
  if ((flags & (NOT_ACTIVE | DECLARED_OR_NAMED)) !== 0) {
    if ((flags & EXPRESSIONS) !== 0) readReferenceType(reader, shape.log, true);
    else if (reader.byte() !== 0) throw reader.fail("malformed element kind", reader.at - 1);
  }
  for (let count = reader.count(1, ELEMENT_SEGMENTS, "elements"); count > 0; count--) {
    if ((flags & EXPRESSIONS) === 0) reader.u32();
    else readConstExpression(reader, shape);
  }
}

export function readDataSection(reader: ByteReader, shape: ModuleShape): void {
  const { at } = reader;
  const segments = reader.count(2, DATA_SEGMENTS, "data segments");
  if (shape.dataCount !== undefined && shape.dataCount !== segments) {
    throw reader.fail(
      `data count and data section have inconsistent lengths: ${shape.dataCount} and ${segments}`,
      at,
    );
  }
  for (let left = skipPlainData(reader, segments); left > 0; left = skipPlainData(reader, left - 1))
    readData(reader, shape);
}

/**
 * Skips segments for memory 0 at a constant address, which are all that most modules have, and tens of thousands of
 * them: in one loop, because it has to be quick before it is compiled. Returns how many of `count` are left.
 */
function skipPlainData(reader: ByteReader, count: number): number {
  const { bytes, end } = reader;
  let left = count;
  let at = reader.at;
  while (left > 0 && bytes[at] === 0 && bytes[at + 1] === 0x41) {
    let next = at + 2;
    while ((bytes[next] as number) >= 0x80) next++;
    // Five bytes and an END: a longer or broken address is left to the reader that says so.
    if (next - at > 5 || bytes[next + 1] !== 0x0b) break;
    next += 2;
    let size = 0;
    let scale = 1;
    for (; (bytes[next] as number) >= 0x80 && scale < 2 ** 21; scale *= 0x80)
      size += ((bytes[next++] as number) & 0x7f) * scale;
    if (!((bytes[next] as number) < 0x80)) break;
    size += (bytes[next++] as number) * scale;
    if (size > end - next) break;
    at = next + size;
    left--;
  }
  reader.at = at;
  return left;
}

function readData(reader: ByteReader, shape: ModuleShape): void {
  const { offset, at } = reader;
  const flags = reader.u32();
  if (flags > 2) throw reader.fail("malformed data segment flag", at);
  if (flags !== 0) shape.log.note(FEATURE.bulk_memory, offset);
  if (flags === 2 && reader.u32() !== 0) shape.log.note(FEATURE.multi_memory, offset);
  if (flags !== 1) readConstExpression(reader, shape);
  reader.skip(reader.u32());
}
