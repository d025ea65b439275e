// A module whose memory is as an image of it says, from the first instant: no image is loaded beside it; Node built-ins only.
import { keepExports } from "./keep-exports.mjs";
import { writeNumber } from "./leb128.mjs";
import { dataSection, writeSegment } from "./cold-data.mjs";

const MAGIC = "spsnap02";
const PREFIX_BYTES = 16;
const PAGE_BYTES = 65_536;
const DATA_SECTION = 11;
/** So many zeros in a row are left out; a segment of its own costs about as much as sending them. */
const GAP_BYTES = 64;

/**
 * @param {Uint8Array} module
 * @param {Uint8Array} image of it, plain
 * @param {readonly string[]} names the exports that are left: what starts it would start it again
 * @returns {Buffer}
 */
export function startModule(module, image, names) {
  const { pages, globals, stretches, content } = readImage(image);
  const { exports } = freshInstance(module);
  const memory = Buffer.from(exports.memory.buffer);
  if (memory.length !== pages * PAGE_BYTES) throw new Error("the image's memory has grown");
  for (const [name, , text] of globals) {
    if (String(exports[name].value) !== text) throw new Error(`the image changed ${name}`);
  }
  let at = content;
  for (let index = 0; index < stretches.length; index += 2) {
    const [start, length] = [stretches[index], stretches[index + 1]];
    memory.set(image.subarray(at, at + length), start);
    at += length;
  }
  return withMemory(keepExports(module, names), memory);
}

/** The parts of what src/page/snapshot-image.ts writes. */
function readImage(image) {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const text = (from, length) => Buffer.from(image.subarray(from, from + length)).toString();
  if (text(0, MAGIC.length) !== MAGIC) throw new Error("the image is of another version");
  const room = view.getUint32(8, true);
  const count = view.getUint32(12, true);
  const places = PREFIX_BYTES + room;
  const { pages, globals } = JSON.parse(text(PREFIX_BYTES, room));
  const stretches = Array.from({ length: count * 2 }, (_, index) =>
    view.getUint32(places + index * 4, true),
  );
  return { pages, globals, stretches, content: places + count * 8 };
}

/** Nothing of the guest runs: it has no start function. */
function freshInstance(bytes) {
  const module = new WebAssembly.Module(bytes);
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = () => {};
  }
  return new WebAssembly.Instance(module, imports);
}

function withMemory(module, memory) {
  const { start, end } = dataSection(module);
  const segments = [...segmentsOf(memory)].map(writeSegment);
  const content = [writeNumber(segments.length), ...segments.flat()];
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const head = [Uint8Array.of(DATA_SECTION), writeNumber(length)];
  const parts = [module.subarray(0, start.section), ...head, ...content, module.subarray(end)];
  return Buffer.concat(parts);
}

function* segmentsOf(memory) {
  const zeros = Buffer.alloc(GAP_BYTES);
  for (let start = nextByte(memory, 0); start < memory.length;) {
    const gap = memory.indexOf(zeros, start);
    const end = gap < 0 ? memory.length : gap;
    yield { address: start, bytes: memory.subarray(start, end) };
    start = nextByte(memory, end);
  }
}

/** The first place from here on that is not zero. */
function nextByte(memory, from) {
  let at = from;
  while (at < memory.length && memory[at] === 0) at += 1;
  return at;
}
