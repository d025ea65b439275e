// What the section readers gather while a module passes by, and how it becomes facts; page, worker and Node.
import { FeatureLog } from "./features.ts";
import type {
  BodyFacts,
  ExternalKind,
  FunctionType,
  ModuleExport,
  ModuleFacts,
  ModuleImport,
} from "./module-facts.ts";
import { TypeList } from "./type-list.ts";
import type { ValueType } from "./value-types.ts";

/** The limits of a memory or table as read, and where they lie in their section, so that they can be rewritten. */
export interface Limits {
  readonly initial: number;
  readonly declaredMaximum: number | undefined;
  /** What bounding makes of it; the same as declared until then. */
  maximum: number | undefined;
  readonly shared: boolean;
  readonly is64: boolean;
  readonly pageBytes: number;
  readonly flags: number;
  /** Offset in the module. */
  readonly offset: number;
  /** The piece of the section body that holds flags, initial and maximum (not the page size). */
  readonly from: number;
  readonly to: number;
}

export interface MemoryShape {
  readonly limits: Limits;
  readonly imported: boolean;
}

export interface TableShape extends MemoryShape {
  readonly element: ValueType;
}

export interface GlobalShape {
  readonly type: ValueType;
  readonly mutable: boolean;
  readonly imported: boolean;
  exportedAs: readonly string[];
}

interface ImportShape {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
  readonly offset: number;
  readonly typeIndex: number;
}

interface ExportShape {
  readonly name: string;
  readonly kind: ExternalKind;
  readonly index: number;
  readonly offset: number;
}

/** Grows while sections are read; `facts()` is taken once at the end. */
export class ModuleShape {
  readonly log = new FeatureLog();
  readonly types = new TypeList();
  readonly imports: ImportShape[] = [];
  readonly exports: ExportShape[] = [];
  /** Type indices of all functions, imported ones first. */
  functionTypes: readonly number[] | Uint32Array = [];
  readonly tables: TableShape[] = [];
  readonly memories: MemoryShape[] = [];
  readonly globals: GlobalShape[] = [];
  tags = 0;
  importedFunctions = 0;
  importedGlobals = 0;
  start: number | undefined;
  dataCount: number | undefined;
  hasNameSection = false;
  hasDataSection = false;
  bodies: BodyFacts | undefined;

  functionType(index: number): FunctionType | undefined {
    const typeIndex = this.functionTypes[index];
    return typeIndex === undefined ? undefined : this.types.functionType(typeIndex);
  }

  facts(byteLength: number): ModuleFacts {
    const memories = this.memories.map(({ limits, imported }) => ({
      initial: limits.initial,
      ...maxima(limits),
      imported,
      shared: limits.shared,
      is64: limits.is64,
      pageBytes: limits.pageBytes,
    }));
    return {
      byteLength,
      imports: this.imports.map((entry) => this.#import(entry)),
      exports: this.exports.map((entry) => this.#export(entry)),
      memory: memories[0],
      memories,
      tables: this.tables.map(({ element, limits, imported }) => ({
        element,
        initial: limits.initial,
        ...maxima(limits),
        imported,
        is64: limits.is64,
      })),
      globals: this.globals,
      functionCount: this.functionTypes.length,
      importedFunctionCount: this.importedFunctions,
      start: this.start,
      hasNameSection: this.hasNameSection,
      hasDataSection: this.hasDataSection,
      mutableGlobalsExported: this.globals.every(
        (global) => !global.mutable || global.imported || global.exportedAs.length > 0,
      ),
      features: this.log.uses(),
      ...(this.bodies === undefined ? {} : { bodies: this.bodies }),
    };
  }

  #import({ module, name, kind, offset, typeIndex }: ImportShape): ModuleImport {
    const type = kind === "function" ? this.types.functionType(typeIndex) : undefined;
    return { module, name, kind, ...(type === undefined ? {} : { type }), offset };
  }

  #export({ name, kind, index, offset }: ExportShape): ModuleExport {
    const type = kind === "function" ? this.functionType(index) : undefined;
    return { name, kind, ...(type === undefined ? {} : { type }), index, offset };
  }
}

function maxima({ maximum, declaredMaximum }: Limits): {
  maximum?: number;
  declaredMaximum?: number;
} {
  return {
    ...(maximum === undefined ? {} : { maximum }),
    ...(declaredMaximum === undefined ? {} : { declaredMaximum }),
  };
}
