// A WebAssembly module as its sections, and back; Node built-ins only.
import { readNumber, writeNumber } from "./leb128.mjs";

/** What a module begins with: its mark and its version. */
const HEADER_BYTES = 8;

/** Numbers of sections. */
export const SECTION = {
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  export: 7,
  element: 9,
  code: 10,
};

/** @returns {{ id: number, body: Uint8Array }[]} in their order; the bodies are views */
export function readSections(module) {
  const sections = [];
  for (let at = HEADER_BYTES; at < module.length;) {
    const [size, body] = readNumber(module, at + 1);
    sections.push({ id: module[at], body: module.subarray(body, body + size) });
    at = body + size;
  }
  return sections;
}

/** @returns {Buffer} the module that begins as `module` does, with these sections */
export function writeSections(module, sections) {
  const parts = sections.flatMap(({ id, body }) => [
    Uint8Array.of(id),
    writeNumber(body.length),
    body,
  ]);
  return Buffer.concat([module.subarray(0, HEADER_BYTES), ...parts]);
}

/** The content of a section that is a list: how many entries there are, and the bytes behind that number. */
export function readList(body) {
  const [count, at] = readNumber(body, 0);
  return { count, rest: body.subarray(at) };
}

/** The content of a section that is a list of entries. */
export function writeList(count, ...parts) {
  return Buffer.concat([writeNumber(count), ...parts]);
}
