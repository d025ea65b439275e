// Facts of a module that was given compiled, as far as engines tell them; page, worker and Node.
import type { ExternalKind, MemoryFacts, ModuleFacts, TableFacts } from "./module-facts.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";

/** What the type reflection proposal adds to a descriptor, where an engine has it. */
interface Reflected {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly type?: {
    readonly minimum?: number;
    readonly maximum?: number;
    readonly shared?: boolean;
    readonly address?: string;
    readonly element?: string;
    readonly mutable?: boolean;
    readonly value?: string;
  };
}

/**
 * Reads the facts of a compiled module from `WebAssembly.Module.imports` and `exports`. They say less than bytes do:
 * function types, offsets, globals that are not exported and what bodies do are not known, so `mutableGlobalsExported`
 * is false and `features` empty; `memory.initial` and `memory.maximum` are undefined unless the engine reflects types.
 */
export function factsOfModule(module: WebAssembly.Module): ModuleFacts {
  const imports = WebAssembly.Module.imports(module) as (Reflected & { readonly module: string })[];
  const exports = WebAssembly.Module.exports(module) as Reflected[];
  const memories = ofKind(imports, "memory").map((entry) => memoryFacts(entry, true));
  const exported = ofKind(exports, "memory").map((entry) => memoryFacts(entry, false));
  // An exported memory may be an imported one; with one of each there is no telling, and the import is memory 0.
  if (memories.length === 0) memories.push(...exported.slice(0, 1));
  const importedFunctionCount = ofKind(imports, "function").length;
  return {
    byteLength: 0,
    imports: imports.map(({ module: from, name, kind }) => ({ module: from, name, kind })),
    exports: exports.map(({ name, kind }) => ({ name, kind })),
    memory: memories[0],
    memories,
    tables: ofKind(imports, "table").map((entry) => tableFacts(entry, true)),
    globals: [],
    functionCount: importedFunctionCount,
    importedFunctionCount,
    start: undefined,
    hasNameSection: WebAssembly.Module.customSections(module, "name").length > 0,
    hasDataSection: true,
    mutableGlobalsExported: false,
    features: [],
  };
}

function ofKind<Entry extends Reflected>(entries: readonly Entry[], kind: ExternalKind): Entry[] {
  return entries.filter((entry) => entry.kind === kind);
}

function memoryFacts({ type }: Reflected, imported: boolean): MemoryFacts {
  const maximum = type?.maximum;
  return {
    initial: type?.minimum,
    ...(maximum === undefined ? {} : { maximum, declaredMaximum: maximum }),
    imported,
    shared: type?.shared ?? false,
    is64: type?.address === "i64",
    pageBytes: WASM_PAGE_BYTES,
  };
}

function tableFacts({ type }: Reflected, imported: boolean): TableFacts {
  const maximum = type?.maximum;
  return {
    element: type?.element ?? "funcref",
    initial: type?.minimum,
    ...(maximum === undefined ? {} : { maximum, declaredMaximum: maximum }),
    imported,
    is64: type?.address === "i64",
  };
}
