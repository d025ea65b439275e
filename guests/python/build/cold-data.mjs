// Takes constant data that few programs need out of a linked module, so that it can be read from a file later; Node built-ins only.
import { createHash } from "node:crypto";
import { readNumber, writeNumber, writeSigned } from "./leb128.mjs";

const DATA_SECTION = 11;
/** Bytes of the digest that a module and the file of its data have in common. */
const CHECK_BYTES = 8;
/** Address, length and place in the file. */
const PART_BYTES = 12;

/**
 * @param {Uint8Array} module as the linker wrote it
 * @param {string} map the linker's map of it
 * @param {readonly string[]} objects whose constants are cut, in the order of source/cold.c's numbers
 * @param {string} table where the map has the table that is filled in: a check, then a part for each object
 * @param {number} offset where in the file the data will lie
 * @returns {{ module: Buffer, data: Buffer }}
 */
export function cutColdData(module, map, objects, table, offset) {
  const sections = sectionsOf(map);
  const ranges = objects.map((object) => rangeOf(sections, object));
  const { start, end } = dataSection(module);
  const segments = readSegments(module, start);
  const parts = ranges.map(([from, to]) => bytesAt(segments, from, to));
  const check = createHash("sha256").update(Buffer.concat(parts)).digest().subarray(0, CHECK_BYTES);
  const filled = Buffer.alloc(CHECK_BYTES + PART_BYTES * parts.length);
  check.copy(filled);
  let place = offset + CHECK_BYTES;
  for (const [index, part] of parts.entries()) {
    const at = CHECK_BYTES + PART_BYTES * index;
    for (const value of [ranges[index][0], part.length, place].entries()) {
      filled.writeUInt32LE(value[1], at + value[0] * 4);
    }
    place += part.length;
  }
  const [where] = sections.filter(({ name }) => name === table);
  if (!where || where.size < filled.length) throw new Error(`the map has no room at ${table}`);
  bytesAt(segments, where.address, where.address + filled.length).set(filled);
  const left = ranges.reduce(without, segments);
  const content = [writeNumber(left.length), ...left.flatMap(writeSegment)];
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const before = module.subarray(0, start.section);
  const written = [before, Uint8Array.of(DATA_SECTION), writeNumber(length), ...content];
  return {
    module: Buffer.concat([...written, module.subarray(end)]),
    data: Buffer.concat([check, ...parts]),
  };
}

/** What the map says of the sections of data: addresses and sizes. */
function sectionsOf(map) {
  const shape = /^ *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +(\S+:\(\.[^)]+\))$/gm;
  return [...map.matchAll(shape)].map(([, address, size, name]) => ({
    address: parseInt(address, 16),
    size: parseInt(size, 16),
    name,
  }));
}

/** From the first to the last constant of an object; nobody else's may lie between. */
function rangeOf(sections, object) {
  const own = sections.filter(({ name }) => name.startsWith(`${object}:(.rodata`));
  if (own.length === 0) throw new Error(`the map has no constants of ${object}`);
  const from = Math.min(...own.map(({ address }) => address));
  const to = Math.max(...own.map(({ address, size }) => address + size));
  const others = sections.filter(
    ({ address, name }) => !own.some((one) => one.name === name) && address >= from && address < to,
  );
  if (others.length > 0) throw new Error(`${others[0].name} lies among the constants of ${object}`);
  return [from, to];
}

/** Where its section of data begins, and its content, and where it ends. */
export function dataSection(module) {
  for (let at = 8; at < module.length;) {
    const [size, body] = readNumber(module, at + 1);
    if (module[at] === DATA_SECTION) return { start: { section: at, body }, end: body + size };
    at = body + size;
  }
  throw new Error("the module has no data");
}

/** Active segments of the one memory, as the linker writes them. */
function readSegments(module, { body }) {
  let [count, at] = readNumber(module, body);
  const segments = [];
  for (; count > 0; count -= 1) {
    if (module[at] !== 0 || module[at + 1] !== 0x41) throw new Error("a segment of another kind");
    let address;
    [address, at] = readNumber(module, at + 2);
    if (module[at] !== 0x0b) throw new Error("a segment whose place is computed");
    const [length, start] = readNumber(module, at + 1);
    segments.push({ address, bytes: Buffer.from(module.subarray(start, start + length)) });
    at = start + length;
  }
  return segments;
}

/** A view of what lies at these addresses. */
function bytesAt(segments, from, to) {
  const found = segments.find(
    ({ address, bytes }) => from >= address && to <= address + bytes.length,
  );
  if (!found) throw new Error("data that lies in no segment");
  return found.bytes.subarray(from - found.address, to - found.address);
}

function without(segments, [from, to]) {
  return segments.flatMap(({ address, bytes }) => {
    const end = address + bytes.length;
    if (from < address || to > end) return [{ address, bytes }];
    return [
      { address, bytes: bytes.subarray(0, from - address) },
      { address: to, bytes: bytes.subarray(to - address) },
    ].filter((one) => one.bytes.length > 0);
  });
}

/** The parts of an active segment of the one memory. */
export function writeSegment({ address, bytes }) {
  const head = [Uint8Array.of(0, 0x41), writeSigned(address), Uint8Array.of(0x0b)];
  return [...head, writeNumber(bytes.length), bytes];
}
