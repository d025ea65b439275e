// What the reader tells about a module without compiling it; page, worker and Node.
import type { FeatureUse } from "./features.ts";
import type { ValueType } from "./value-types.ts";

export type ExternalKind = "function" | "table" | "memory" | "global" | "tag";

/** A function's type, in WAT names. */
export interface FunctionType {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
  /** Of a function, up to 64 parameters and results; absent when the module was given compiled. */
  readonly type?: FunctionType;
  /** Offset of the entry in the module; absent when the module was given compiled. */
  readonly offset?: number;
}

export interface ModuleExport {
  readonly name: string;
  readonly kind: ExternalKind;
  /** Of a function, up to 64 parameters and results; absent when the module was given compiled. */
  readonly type?: FunctionType;
  /** Index in the index space of its kind; absent when the module was given compiled. */
  readonly index?: number;
  /** Offset of the entry in the module; absent when the module was given compiled. */
  readonly offset?: number;
}

/** One memory, in pages of `pageBytes`. */
export interface MemoryFacts {
  /** Pages to start with; undefined when the module was given compiled. */
  readonly initial: number | undefined;
  /** Pages that it may grow to, after bounding. For an imported memory: what the host must pass as its maximum. */
  readonly maximum?: number;
  /** Pages that the module itself names as its maximum. */
  readonly declaredMaximum?: number;
  readonly imported: boolean;
  readonly shared: boolean;
  /** Addressed by i64. */
  readonly is64: boolean;
  /** Bytes of a page: 65,536, or 1 with custom page sizes. */
  readonly pageBytes: number;
}

/** One table, in entries. */
export interface TableFacts {
  readonly element: ValueType;
  readonly initial: number | undefined;
  /** Entries that it may grow to, after bounding. */
  readonly maximum?: number;
  readonly declaredMaximum?: number;
  readonly imported: boolean;
  readonly is64: boolean;
}

export interface GlobalFacts {
  readonly type: ValueType;
  readonly mutable: boolean;
  readonly imported: boolean;
  /** Names it is exported by; empty when it is not. */
  readonly exportedAs: readonly string[];
}

/** What function bodies do to a module's tables and segments, for deciding whether an instance can be reset in place. */
export interface BodyFacts {
  /** table.set, table.init, table.copy, table.fill or table.grow occurs. */
  readonly tableWrites: boolean;
  /** data.drop or elem.drop occurs. */
  readonly segmentDrops: boolean;
}

/** Everything the reader knows of a module. */
export interface ModuleFacts {
  /** Bytes of the module as it came; 0 when it was given compiled. */
  readonly byteLength: number;
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  /** Memory 0. */
  readonly memory: MemoryFacts | undefined;
  readonly memories: readonly MemoryFacts[];
  readonly tables: readonly TableFacts[];
  readonly globals: readonly GlobalFacts[];
  /** Functions, imported ones counted. */
  readonly functionCount: number;
  /** Imported functions: the index of the first function with a body. */
  readonly importedFunctionCount: number;
  /** The start function runs while the module is instantiated, before any export is called. */
  readonly start: number | undefined;
  readonly hasNameSection: boolean;
  /** It may have data segments: of a module that was given compiled, nobody knows. */
  readonly hasDataSection: boolean;
  /** Every mutable global, imported ones left out, can be read and written by the host through an export. */
  readonly mutableGlobalsExported: boolean;
  /** Features seen in types and sections, and in bodies when they were walked. */
  readonly features: readonly FeatureUse[];
  /** Only when the function bodies were walked. */
  readonly bodies?: BodyFacts;
}
