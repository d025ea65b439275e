// The import `sallyport::load_code`: the rest of a guest's code, which joins the instance that asks for it; worker.
//
// It gets no powers: it sees what the guest exported, and has no memory or table of its own, which nobody would have
// bounded. It has no start function either: that would run below a frame of JavaScript, where nothing can suspend.

import { wasi } from "@bjorn3/browser_wasi_shim";
import { DEFERRED_CODE_BYTES, LOAD_AGAIN_MS, MODULE_LINKS, MODULE_TYPES } from "../limits.ts";
import type { CallAnswer, Step } from "../wire/blocking-call.ts";

/** Where all imports come from: the guest. */
const FROM = "primary";
/** Bytes of magic and version. */
const HEADER = 8;
const TYPE = 1;
const IMPORT = 2;
const EXPORT = 7;
/** Custom, type, import, function, global, export, element, code, data and data count sections: all that may be there. */
const SECTIONS = [0, TYPE, IMPORT, 3, 6, EXPORT, 9, 10, 11, 12];

/** The deferred code of a worker's guests: asked for and compiled once. */
export class DeferredCode {
  #module: WebAssembly.Module | undefined;
  /** What is answered without the page, and until when: who asks in a loop is to run out of time, which stands still else. */
  #refused = 0;
  #until = 0;
  /**
   * What an instance was told. It is joined once, be it put back for another run, or asked for by one again: code that
   * took what an earlier joining left in the table would show how many there were, and keep all of them alive.
   */
  readonly #joined = new WeakMap<WebAssembly.Instance, number>();

  /** The code, where no run can ask for it. Gives the errno of {@link DeferredCode.join}. */
  give(bytes: Uint8Array<ArrayBuffer>): number {
    try {
      if (!mayBeLoaded(bytes)) return wasi.ERRNO_NOEXEC;
      this.#module = new WebAssembly.Module(bytes);
      return wasi.ERRNO_SUCCESS;
    } catch {
      return wasi.ERRNO_NOEXEC; // the engine's words for it would reach nobody
    }
  }

  /**
   * `load_code() -> errno`: 0 once the code's functions, segments and globals are part of the instance; 29 (io) when the
   * page has none, or could not load it; 45 (noexec) when it is no module that may be loaded, or does not fit; 52 (nosys)
   * before there is an instance. What a refused module's segments wrote before one of them was out of range stays
   * written, as everywhere in WebAssembly.
   */
  join(instance: WebAssembly.Instance | undefined): Step {
    if (!instance) return wasi.ERRNO_NOSYS;
    if (this.#module) {
      const errno = this.#joined.get(instance) ?? link(this.#module, instance.exports);
      this.#joined.set(instance, errno);
      return errno;
    }
    if (performance.now() < this.#until) return this.#refused;
    const resume = (answer: CallAnswer): Step => {
      this.#refused = answer.ok
        ? this.give(answer.bytes as Uint8Array<ArrayBuffer>)
        : wasi.ERRNO_IO;
      this.#until = answer.ok ? Infinity : performance.now() + LOAD_AGAIN_MS;
      return this.#refused || this.join(instance);
    };
    return { wait: "call", kind: "code", request: new Uint8Array(0), resume };
  }
}

function link(module: WebAssembly.Module, exports: WebAssembly.Exports): number {
  try {
    new WebAssembly.Instance(module, { [FROM]: importsOf(module, exports) });
    return wasi.ERRNO_SUCCESS;
  } catch {
    return wasi.ERRNO_NOEXEC;
  }
}

/** Whether the file has allowed sections only, as an engine will split it, and links that are few enough. */
function mayBeLoaded(code: Uint8Array): boolean {
  let at = HEADER;
  let links = 0;
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
    // Two bytes are the least that one takes, wherever in a group it lies.
    if (section === TYPE && size > 2 * MODULE_TYPES) return false;
    // Each becomes an object of the worker.
    if (section === IMPORT || section === EXPORT) links += number();
    at = end;
  }
  return at === code.length && at <= DEFERRED_CODE_BYTES && links <= MODULE_LINKS;
}

/** Its imports out of the guest's exports, and out of its table where the name is the number of a slot. Throws for others. */
function importsOf(
  module: WebAssembly.Module,
  exports: WebAssembly.Exports,
): Record<string, WebAssembly.ImportValue> {
  // A module may import "__proto__".
  const imports = Object.create(null) as Record<string, WebAssembly.ImportValue>;
  const table = Object.values(exports).find((value) => value instanceof WebAssembly.Table);
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    const value = Object.hasOwn(exports, name)
      ? exports[name]!
      : kind === "function" && /^\d+$/.test(name) && table?.get(+name);
    // Of a global of references an engine would take any value.
    if (from !== FROM || !value || (kind === "global" && !(value instanceof WebAssembly.Global)))
      throw new Error();
    imports[name] = value as WebAssembly.ImportValue;
  }
  return imports;
}
