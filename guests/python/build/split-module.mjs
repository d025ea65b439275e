// Splits a module in two by what typical programs call: the functions that none of them calls are loaded when the first one is
// called; Node.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readExports, writeExports } from "./keep-exports.mjs";
import { readNumber, writeNumber, writeSigned } from "./leb128.mjs";
import { cache, run } from "./run-step.mjs";
import { SECTION, readList, readSections, writeList, writeSections } from "./sections.mjs";
import { tools } from "./toolchain.mjs";

/** Begins the names of exports that wasm-split adds, for the second module. */
const ADDED = "%";
/** Where wasm-split imports what is not there from, each function by its slot of the table. */
const PLACEHOLDER = "placeholder";
/** Kinds of imports and exports, and types. */
const KIND = { function: 0, table: 1, memory: 2, global: 3 };
const FUNCTION_TYPE = 0x60;
const OP = { end: 0x0b, call: 0x10, callIndirect: 0x11, localGet: 0x20, i32: 0x41 };

/**
 * wasm-split puts an import in the place of each function that is not there, and an export for each that the second module
 * calls: thousands, and both are dear when a module starts. So the imports become functions of the first module, which have
 * the second one loaded, put what they were called with where it was meant to go, and are called no more, since the second
 * module fills the table's slots; and the exports become slots of the table. The table's name tells builds apart.
 *
 * @param {Uint8Array} module exports its table
 * @param {(counting: Uint8Array) => Uint8Array[]} profile runs typical programs, and gives the profile of each
 * @param {string} loader an export that has the host load the second module; it calls nothing but imports
 * @returns {Promise<{ primary: Buffer, deferred: Buffer }>}
 */
export async function splitModule(module, profile, loader) {
  const file = (name) => join(cache, `split-${name}`);
  const wasmSplit = (...words) => run(tools.wasmSplit, words);
  const whole = file("whole.wasm");
  writeFileSync(whole, module);
  await wasmSplit("--instrument", whole, "-o", file("counting.wasm"));
  const profiles = profile(readFileSync(file("counting.wasm"))).map((bytes, index) => {
    writeFileSync(file(`${index}.profile`), bytes);
    return file(`${index}.profile`);
  });
  const merged = file("all.profile");
  await wasmSplit("--merge-profiles", ...profiles, "-o", merged);
  const [first, second] = [file("first.wasm"), file("second.wasm")];
  const how = [`--profile=${merged}`, `--export-prefix=${ADDED}`];
  await wasmSplit(whole, ...how, "-o1", first, "-o2", second);

  const both = [first, second].map((path) => readFileSync(path));
  const parts = partsOf(both[0]);
  const digest = createHash("sha256").update(Buffer.concat(both)).digest("hex");
  const table = `table ${digest.slice(0, 16)}`;
  return {
    primary: withStubs(parts, loader, table),
    deferred: withSlots(both[1], parts.slots, table),
  };
}

/** What has to be known of the first module; `slots` are those of the added exports, by name. */
function partsOf(module) {
  const sections = new Map(readSections(module).map(({ id, body }) => [id, body]));
  const { kept, placeholders } = splitImports(sections.get(SECTION.import));
  const exports = readExports(sections.get(SECTION.export));
  const tableSize = readTable(sections.get(SECTION.table));
  const added = exports.filter(
    ({ name, kind }) => name.startsWith(ADDED) && kind === KIND.function,
  );
  const slots = new Map(added.map(({ name }, index) => [name, tableSize + index]));
  return { module, sections, kept, placeholders, exports, added, slots, tableSize };
}

/** The first module with functions in the place of placeholders, and its table under this name. */
function withStubs(parts, loader, table) {
  const { module, sections, kept, placeholders, exports, added, tableSize } = parts;
  const types = readList(sections.get(SECTION.type));
  const functions = readList(sections.get(SECTION.function));
  const code = readList(sections.get(SECTION.code));
  const elements = readList(sections.get(SECTION.element));
  const load = exports.find(({ name }) => name === loader);
  if (!load || load.index < kept.length + placeholders.length)
    throw new Error(`${loader} has to be called by the programs that are profiled`);
  const parameters = parameterCounts(types);
  const stubs = placeholders.map(({ slot, type }) =>
    stub(load.index, parameters[type], slot, type),
  );
  const left = exports.filter((entry) => entry !== load && !added.includes(entry));
  const changed = {
    // The placeholders are the last functions that are imported: as the first that are not, they keep their numbers.
    import: writeList(kept.length, ...kept),
    function: writeList(
      placeholders.length + functions.count,
      ...placeholders.map(({ type }) => writeNumber(type)),
      functions.rest,
    ),
    table: writeTable(tableSize + added.length),
    export: writeExports(
      left.map((entry) => (entry.kind === KIND.table ? exportEntry(table, entry) : entry)),
    ),
    element: writeList(
      elements.count + 1,
      elements.rest,
      Uint8Array.of(0, OP.i32, ...writeSigned(tableSize), OP.end),
      writeList(added.length, ...added.map(({ index }) => writeNumber(index))),
    ),
    code: writeList(placeholders.length + code.count, ...stubs, code.rest),
  };
  for (const [name, body] of Object.entries(changed)) sections.set(SECTION[name], body);
  return writeSections(
    module,
    [...sections].map(([id, body]) => ({ id, body })),
  );
}

/** Has the second module loaded, and calls the slot's function with the same arguments. */
function stub(load, parameters, slot, type) {
  const passed = Array.from({ length: parameters }, (_, at) => [OP.localGet, ...writeNumber(at)]);
  const body = Uint8Array.of(
    0, // locals
    ...[OP.call, ...writeNumber(load)],
    ...passed.flat(),
    ...[OP.i32, ...writeSigned(slot), OP.callIndirect, ...writeNumber(type), 0, OP.end],
  );
  return Buffer.concat([writeNumber(body.length), body]);
}

function exportEntry(name, { kind, index }) {
  const bytes = Buffer.from(name);
  return {
    bytes: Buffer.concat([
      writeNumber(bytes.length),
      bytes,
      Uint8Array.of(kind),
      writeNumber(index),
    ]),
  };
}

/** How many parameters each type has. */
function parameterCounts({ count, rest }) {
  let at = 0;
  return Array.from({ length: count }, () => {
    if (rest[at] !== FUNCTION_TYPE) throw new Error("a type that is none of a function");
    const [parameters, from] = readNumber(rest, at + 1);
    const [results, last] = readNumber(rest, from + parameters);
    at = last + results;
    return parameters;
  });
}

/** The bytes of the module's own imports, all of functions, and what the others stand for. */
function splitImports(body) {
  const imports = readImports(body);
  const first = imports.findIndex(({ from }) => from === PLACEHOLDER);
  const [kept, placeholders] = [imports.slice(0, first), imports.slice(first)];
  const isOdd = ({ kind }) => kind !== KIND.function;
  if (imports.some(isOdd) || placeholders.some(({ from }) => from !== PLACEHOLDER))
    throw new Error("the placeholders are not the last of all imports");
  return {
    kept: kept.map(({ bytes }) => bytes),
    placeholders: placeholders.map(({ name, type }) => ({ slot: Number(name), type })),
  };
}

/** The second module, which takes the first one's functions from its table, and that by its new name. */
function withSlots(module, slots, table) {
  const sections = readSections(module).map(({ id, body }) => {
    if (id !== SECTION.import) return { id, body };
    const entries = readImports(body).map(({ from, name, kind, rest, bytes }) => {
      if (kind === KIND.table) return importEntry(from, table, kind, Uint8Array.of(0, 0));
      const slot = kind === KIND.function ? slots.get(name) : undefined;
      return slot === undefined ? bytes : importEntry(from, String(slot), kind, rest);
    });
    return { id, body: writeList(entries.length, ...entries) };
  });
  return writeSections(module, sections);
}

/** Of a table its limits are left out: it is longer by now. */
function importEntry(from, name, kind, rest) {
  const texts = [from, name].map((text) => Buffer.from(text));
  const parts = texts.flatMap((text) => [writeNumber(text.length), text]);
  const type = kind === KIND.table ? [Uint8Array.of(0x70)] : [];
  return Buffer.concat([...parts, Uint8Array.of(kind), ...type, rest]);
}

function readImports(body) {
  const { count, rest } = readList(body);
  let at = 0;
  const text = () => {
    const [length, from] = readNumber(rest, at);
    at = from + length;
    return rest.toString("utf8", from, at);
  };
  return Array.from({ length: count }, () => {
    const start = at;
    const [from, name] = [text(), text()];
    const kind = rest[at];
    const described = at + 1;
    let type;
    if (kind === KIND.function) [type, at] = readNumber(rest, described);
    else if (kind === KIND.global) at = described + 2;
    else at = endOfLimits(rest, kind === KIND.table ? described + 1 : described);
    return {
      from,
      name,
      kind,
      type,
      rest: rest.subarray(described, at),
      bytes: rest.subarray(start, at),
    };
  });
}

function endOfLimits(bytes, at) {
  const [, second] = readNumber(bytes, at + 1);
  return bytes[at] === 0 ? second : readNumber(bytes, second)[1];
}

/** The size of the one table, which cannot grow. */
function readTable(body) {
  const [least, at] = readNumber(body, 3);
  if (body[0] !== 1 || body[2] !== 1 || readNumber(body, at)[0] !== least)
    throw new Error("more than one table, or one that grows");
  return least;
}

function writeTable(size) {
  return writeList(1, Uint8Array.of(0x70, 1), writeNumber(size), writeNumber(size));
}
