// Leaves only the named exports in a module: one linked module serves as a command and as a reactor; Node built-ins only.
import { readNumber } from "./leb128.mjs";
import { SECTION, readSections, writeList, writeSections } from "./sections.mjs";

/**
 * @param {Uint8Array} module
 * @param {readonly string[]} names each of them has to be there
 * @returns {Buffer} the module with no other exports
 */
export function keepExports(module, names) {
  let kept = [];
  const sections = readSections(module).map(({ id, body }) => {
    if (id !== SECTION.export) return { id, body };
    kept = readExports(body).filter(({ name }) => names.includes(name));
    return { id, body: writeExports(kept) };
  });
  const absent = names.filter((name) => !kept.some((entry) => entry.name === name));
  if (absent.length > 0) throw new Error(`the module does not export ${absent.join(", ")}`);
  return writeSections(module, sections);
}

/** @returns {{ name: string, kind: number, index: number, bytes: Uint8Array }[]} `bytes` is the whole entry */
export function readExports(body) {
  let [count, at] = readNumber(body, 0);
  const list = [];
  for (; count > 0; count -= 1) {
    const from = at;
    const [length, nameAt] = readNumber(body, at);
    const name = new TextDecoder().decode(body.subarray(nameAt, nameAt + length));
    const kind = body[nameAt + length];
    let index;
    [index, at] = readNumber(body, nameAt + length + 1);
    list.push({ name, kind, index, bytes: body.subarray(from, at) });
  }
  return list;
}

/** The section of entries that {@link readExports} gave. */
export function writeExports(entries) {
  return writeList(entries.length, ...entries.map(({ bytes }) => bytes));
}
