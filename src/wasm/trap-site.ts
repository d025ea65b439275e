// Where a guest trapped: function, index and offset from an error's stack and the name section; page, worker and Node.
import { FUNCTION_NAME_CHARACTERS } from "../limits.ts";
import { ByteReader } from "./byte-reader.ts";

/** The innermost frame of a guest, as far as the engine tells it. */
export interface TrapSite {
  readonly functionName?: string;
  /** Imported functions counted, as in the module. */
  readonly functionIndex?: number;
  /** Offset in the module. */
  readonly offset?: number;
}

/** Frames looked at; a stack that overflowed has its innermost ones first. */
const FRAMES = 64;

/**
 * Reads the innermost guest frame of an error, or of a stack's text; undefined when there is none. Engines write
 * `at name (url:wasm-function[12]:0x1f)` (V8), `name@url:wasm-function[12]:0x1f` (SpiderMonkey), `name or 12@<?>:wasm-function[12]`
 * (JavaScriptCore), formerly `<?>.wasm-function[name or 12]@[wasm code]`; names only when the module has a name section.
 *
 * @example
 * try { run(); } catch (error) { console.log(trapSite(error)?.functionName); } // "parse_header"
 */
export function trapSite(error: unknown): TrapSite | undefined {
  const given = error instanceof Error ? error.stack : error;
  const stack = typeof given === "string" ? given : "";
  for (const line of stack.split("\n", FRAMES)) {
    const site = siteOfLine(line);
    if (site !== undefined) return site;
  }
  return undefined;
}

function siteOfLine(line: string): TrapSite | undefined {
  const at = line.lastIndexOf("wasm-function[");
  if (at < 0) return undefined;
  const [, inside = "", offset] =
    /^wasm-function\[(.*?)\](?::(0x[0-9a-f]+))?/.exec(line.slice(at)) ?? [];
  const isIndex = /^\d+$/.test(inside);
  const text = isIndex ? nameBefore(line.slice(0, at)) : inside;
  // JavaScriptCore calls a function without a name by its index.
  const name = isIndex && text === inside ? undefined : text;
  return {
    ...(name ? { functionName: shortened(name) } : {}),
    ...(isIndex ? { functionIndex: Number(inside) } : {}),
    ...(offset === undefined ? {} : { offset: Number(offset) }),
  };
}

/** What stands before the address: names hold spaces and brackets themselves, as `std::pair<int, int>::f(char)` does. */
function nameBefore(text: string): string | undefined {
  const v8 = /^\s*at (.*) \(\S*$/.exec(text)?.[1];
  const other = v8 === undefined && !/^\s*at /.test(text) ? /^(.*?)@/.exec(text)?.[1] : undefined;
  return (v8 ?? other)?.replace(/^async /, "");
}

function shortened(name: string): string {
  return name.length > FUNCTION_NAME_CHARACTERS
    ? `${name.slice(0, FUNCTION_NAME_CHARACTERS)}…`
    : name;
}

const FUNCTION_NAMES = 1;

/**
 * The name that a module's name section gives a function, by its index with imported functions counted; undefined when
 * it gives none or is broken. Takes a compiled module, or the contents of its name section.
 */
export function functionName(
  source: WebAssembly.Module | Uint8Array,
  index: number,
): string | undefined {
  const section =
    source instanceof Uint8Array ? source : WebAssembly.Module.customSections(source, "name")[0];
  if (section === undefined) return undefined;
  try {
    return findName(
      new ByteReader(section instanceof Uint8Array ? section : new Uint8Array(section)),
      index,
    );
  } catch {
    return undefined; // names are a courtesy of the compiler: a broken section breaks nothing
  }
}

function findName(reader: ByteReader, index: number): string | undefined {
  while (reader.left > 0) {
    const subsection = reader.byte();
    const size = reader.u32();
    if (subsection !== FUNCTION_NAMES) {
      reader.skip(size);
      continue;
    }
    for (let count = reader.u32(); count > 0; count--) {
      const named = reader.u32();
      if (named === index) return shortened(reader.name());
      reader.skip(reader.u32());
    }
    return undefined;
  }
  return undefined;
}
