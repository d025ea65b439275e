// Reads constant expressions: initial values of globals, offsets of segments, elements; page, worker and Node.
import type { ByteReader } from "./byte-reader.ts";
import { FEATURE } from "./features.ts";
import type { ModuleShape } from "./module-shape.ts";
import { hex, readHeapType } from "./value-types.ts";

const END = 0x0b;

/** Reads up to and with the `end` of a constant expression, noting what WebAssembly 2.0 does not allow in one. */
export function readConstExpression(reader: ByteReader, shape: ModuleShape): void {
  for (;;) {
    const { offset, at } = reader;
    const opcode = reader.byte();
    if (opcode === END) return;
    if ((opcode >= 0x6a && opcode <= 0x6c) || (opcode >= 0x7c && opcode <= 0x7e)) {
      shape.log.note(FEATURE.extended_const, offset);
    } else if (opcode === 0x23) {
      if (reader.u32() >= shape.importedGlobals) shape.log.note(FEATURE.gc, offset);
    } else readConstant(reader, shape, opcode, at);
  }
}

function readConstant(reader: ByteReader, shape: ModuleShape, opcode: number, at: number): void {
  if (opcode === 0x41) reader.skipSigned(32);
  else if (opcode === 0x42) reader.skipSigned(64);
  else if (opcode === 0x43) reader.skip(4);
  else if (opcode === 0x44) reader.skip(8);
  else if (opcode === 0xd0) readHeapType(reader, shape.log);
  else if (opcode === 0xd2) {
    shape.log.note(FEATURE.reference_types, reader.base + at);
    reader.u32();
  } else if (opcode === 0xfd) {
    if (reader.u32() !== 12) throw reader.fail("constant expression required", at);
    shape.log.note(FEATURE.simd, reader.base + at);
    reader.skip(16);
  } else if (opcode === 0xfb) readGcConstant(reader, shape, at);
  else throw reader.fail(`constant expression required, found opcode 0x${hex(opcode)}`, at);
}

/** struct.new and array.new in their kinds, ref.i31 and the conversions between any and extern. */
function readGcConstant(reader: ByteReader, shape: ModuleShape, at: number): void {
  shape.log.note(FEATURE.gc, reader.base + at);
  const opcode = reader.u32();
  if (opcode === 0 || opcode === 1 || opcode === 6 || opcode === 7) reader.u32();
  else if (opcode === 8) {
    reader.u32();
    reader.u32();
  } else if (opcode < 26 || opcode > 28) throw reader.fail("constant expression required", at);
}
