// The import `sallyport::load_code`: more code for the guest that runs, compiled from its own memory; worker.
//
// Loaded code gets no powers: it sees what the guest exported, and has no memory or table of its own, which nobody would
// have bounded. It has no start function either: that would run below a frame of JavaScript, where nothing can suspend.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { LOAD_CODE_BYTES, MODULE_LINKS } from "../limits.ts";

/** What of a run loading code needs, and changes. */
export interface CodeGuest {
  readonly instance?: WebAssembly.Instance;
  readonly memory?: WebAssembly.Memory;
  /** What it loaded so far, or tried to. Past 0 bytes its instance is not what its module says: it serves no other run. */
  readonly loaded: { bytes: number; links: number };
}

/** Where all imports come from: the guest that loads. */
const FROM = "primary";
/** Bytes of magic and version. */
const HEADER = 8;
const IMPORT = 2;
const EXPORT = 7;
/** Custom, type, import, function, global, export, element, code, data and data count sections: all that may be there. */
const SECTIONS = [0, 1, IMPORT, 3, 6, EXPORT, 9, 10, 11, 12];

/**
 * `load_code(ptr, len) -> errno`: the range holds a module, whose functions, segments and globals join the guest's instance.
 * 0 once they have; 21 (fault) for a range outside memory; 22 (fbig) past what a run may load; 52 (nosys) before there
 * is an instance; 45 (noexec) for anything else that keeps it from being loaded. What a refused module's segments wrote
 * before one of them was out of range stays written, as everywhere in WebAssembly.
 */
export function loadCode(guest: CodeGuest, ptr: number, len: number): number {
  const { instance, memory, loaded } = guest;
  if (!instance || !memory) return wasi.ERRNO_NOSYS;
  const { buffer } = memory;
  const at = ptr >>> 0;
  const length = len >>> 0;
  if (at + length > buffer.byteLength) return wasi.ERRNO_FAULT;
  if (length > LOAD_CODE_BYTES - loaded.bytes) return wasi.ERRNO_FBIG;
  loaded.bytes += length;
  try {
    // A copy: what was judged is what is compiled.
    const code = new Uint8Array(buffer, at, length).slice();
    if (mayBeLoaded(code, loaded)) {
      const module = new WebAssembly.Module(code);
      new WebAssembly.Instance(module, { [FROM]: importsOf(module, instance.exports) });
      return wasi.ERRNO_SUCCESS;
    }
  } catch {
    // Neither the engine's words for it nor ours would reach anybody.
  }
  return wasi.ERRNO_NOEXEC;
}

/** Whether the file has allowed sections only, as an engine will split it, and links that are few enough. */
function mayBeLoaded(code: Uint8Array, loaded: CodeGuest["loaded"]): boolean {
  let at = HEADER;
  /** Past every end and every limit for what is no number. */
  const number = (): number => {
    let value = 0;
    for (let unit = 1; unit <= 2 ** 28; unit *= 128) {
      const byte = code[at++] ?? 255;
      value += (byte % 128) * unit;
      if (byte < 128) return value;
    }
    return Infinity;
  };
  while (at < code.length) {
    const section = code[at++]!;
    if (!SECTIONS.includes(section)) return false;
    const size = number();
    const end = at + size;
    if (section === IMPORT || section === EXPORT) {
      // Each becomes an object of the worker.
      const links = number();
      if (links > MODULE_LINKS - loaded.links) return false;
      loaded.links += links;
    }
    at = end;
  }
  return at === code.length;
}

/** Its imports out of the guest's exports, and out of its table where the name is the number of a slot. Throws for others. */
function importsOf(
  module: WebAssembly.Module,
  exports: WebAssembly.Exports,
): Record<string, WebAssembly.ImportValue> {
  // A module may import "__proto__".
  const imports = Object.create(null) as Record<string, WebAssembly.ImportValue>;
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const own = Object.hasOwn(exports, name);
    const table = exports["__indirect_function_table"] as WebAssembly.Table;
    const value = own
      ? exports[name]!
      : kind === "function" && /^\d+$/.test(name) && table.get(+name);
    // Of a global of references an engine would take any value.
    if (from !== FROM || !value || (kind === "global" && !(value instanceof WebAssembly.Global)))
      throw new Error();
    imports[name] = value as WebAssembly.ImportValue;
  }
  return imports;
}
