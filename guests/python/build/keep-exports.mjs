// Leaves only the named exports in a module: one linked module serves as a command and as a reactor; Node built-ins only.
import { readNumber, writeNumber } from "./leb128.mjs";

const EXPORT_SECTION = 7;

/**
 * @param {Uint8Array} module
 * @param {readonly string[]} names each of them has to be there
 * @returns {Uint8Array} the module with no other exports
 */
export function keepExports(module, names) {
  const parts = [module.subarray(0, 8)];
  let at = 8;
  let kept = [];
  while (at < module.length) {
    const id = module[at];
    const [size, body] = readNumber(module, at + 1);
    const end = body + size;
    if (id === EXPORT_SECTION) {
      kept = entries(module, body).filter(({ name }) => names.includes(name));
      const content = [writeNumber(kept.length), ...kept.map(({ bytes }) => bytes)];
      const length = content.reduce((sum, part) => sum + part.length, 0);
      parts.push(Uint8Array.of(id), writeNumber(length), ...content);
    } else {
      parts.push(module.subarray(at, end));
    }
    at = end;
  }
  const absent = names.filter((name) => !kept.some((entry) => entry.name === name));
  if (absent.length > 0) throw new Error(`the module does not export ${absent.join(", ")}`);
  return Buffer.concat(parts);
}

function entries(module, start) {
  let [count, at] = readNumber(module, start);
  const list = [];
  for (; count > 0; count -= 1) {
    const from = at;
    const [length, nameAt] = readNumber(module, at);
    const name = new TextDecoder().decode(module.subarray(nameAt, nameAt + length));
    at = readNumber(module, nameAt + length + 1)[1];
    list.push({ name, bytes: module.subarray(from, at) });
  }
  return list;
}
