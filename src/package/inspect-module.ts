// Says everything that keeps a WebAssembly module from being a function package (ABI 1); page, worker and Node.
import { SandboxError } from "../errors.ts";
import { INSPECT_PROBLEMS, MODULE_BYTES } from "../limits.ts";
import { WALK_ALL } from "../wasm/deep-walk.ts";
import type { Feature, FeatureUse, LaterFeature } from "../wasm/features.ts";
import type { ModuleExport, ModuleFacts, ModuleImport } from "../wasm/module-facts.ts";
import { ModuleWalker } from "../wasm/module-walker.ts";
import { sectionPieces } from "../wasm/section-pieces.ts";
import { Breather } from "../files/breather.ts";
import { HTTP_FUNCTIONS, typeText, WASI_FUNCTIONS } from "../wasm/wasi-functions.ts";

/** Bytes read between two looks at the clock. */
const PIECE_BYTES = 2 ** 22;

/** What a problem is about: the file, an import, an export, or a feature by its name. */
export type ModuleProblemCode =
  | "not_wasm" // no module at all; the message says what it looks like
  | "component" // a component instead of a core module
  | "truncated" // the file ends early
  | "malformed" // bytes that break the binary format
  | "too_large" // more bytes than a module may have
  | "import_module" // an import from neither wasi_snapshot_preview1 nor subako_http
  | "import_name" // a function that the named module does not have
  | "import_type" // an import that is no function, or whose type is another
  | "export_missing" // no `_start` or no `memory`
  | "export_type" // a `_start` or `memory` of another kind or type
  | "more_problems" // the list was cut; the message says how many are left out
  | LaterFeature; // a feature newer than WebAssembly 2.0

/** One thing that keeps a module from being a package. */
export interface ModuleProblem {
  readonly code: ModuleProblemCode;
  /** For people. */
  readonly message: string;
  /** Offset in the file, where there is one: of a feature, its first use. */
  readonly offset?: number;
  /** Function that it is in, imported functions counted, as engines number them. */
  readonly functionIndex?: number;
}

/** The report of `inspectModule`. A module without problems can be loaded as a package. */
export interface ModuleReport {
  readonly problems: readonly ModuleProblem[];
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly ModuleExport[];
  /** Names of all features that it uses beyond the first version of WebAssembly, allowed ones too. */
  readonly features: readonly Feature[];
}

/**
 * Reads a whole module and lists every problem, not only the first: what is wrong with the file, imports that a package
 * cannot have, exports that it lacks, and features that are not part of WebAssembly 2.0, in types, sections and code.
 * Never rejects for what is in the bytes. Linear in their number: a module of 26 MB takes less than half as long as
 * `WebAssembly.validate`. Types inside function bodies are left to the engine, which judges them when it compiles.
 *
 * @example
 * const { problems } = await inspectModule(await file.arrayBuffer());
 * for (const { message } of problems) list.append(message);
 */
export async function inspectModule(source: BufferSource): Promise<ModuleReport> {
  const bytes = ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
  const problems = new ProblemList();
  const facts = await readAll(bytes, problems);
  if (facts !== undefined) {
    // Of a file that breaks off before its exports, nobody knows what they would have been.
    if (facts.exports.length > 0 || problems.isEmpty) checkExports(facts, problems);
    for (const entry of facts.imports) checkImport(entry, problems);
    for (const use of facts.features) if (!use.standard) problems.add(featureProblem(use));
  }
  return {
    problems: problems.finish(),
    imports: facts?.imports ?? [],
    exports: facts?.exports ?? [],
    features: facts?.features.map(({ feature }) => feature) ?? [],
  };
}

/** Keeps the first problems and counts the rest, so that a hostile module cannot fill the memory with them. */
class ProblemList {
  readonly #problems: ModuleProblem[] = [];
  #left = 0;

  get isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  get isFull(): boolean {
    return this.#problems.length >= INSPECT_PROBLEMS;
  }

  add(problem: ModuleProblem): void {
    if (!this.isFull) this.#problems.push(problem);
    else this.#left++;
  }

  addError({ code, message, data }: SandboxError): void {
    const { offset, functionIndex } = (data ?? {}) as { offset?: number; functionIndex?: number };
    this.add({
      code: code as ModuleProblemCode,
      message,
      ...(offset === undefined ? {} : { offset }),
      ...(functionIndex === undefined ? {} : { functionIndex }),
    });
  }

  finish(): readonly ModuleProblem[] {
    if (this.#left === 0) return this.#problems;
    return [
      ...this.#problems,
      { code: "more_problems", message: `and ${this.#left} more problems` },
    ];
  }
}

/** The facts, as far as they could be read; undefined when the file is no module at all. */
async function readAll(bytes: Uint8Array, problems: ProblemList): Promise<ModuleFacts | undefined> {
  const breather = new Breather();
  const walker = new ModuleWalker(
    {
      memoryBytes: "declared",
      maxBytes: MODULE_BYTES,
      deep: WALK_ALL,
      onMalformed: (error) => {
        // Bytes that are broken in so many places are not worth the errors that each takes.
        if (problems.isFull) throw error;
        problems.addError(error);
      },
    },
    () => {},
  );
  try {
    for (const piece of sectionPieces(bytes, PIECE_BYTES)) {
      walker.push(piece);
      // oxlint-disable-next-line no-await-in-loop -- the page has its turns in between
      await breather.breathe();
    }
    return walker.end();
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    problems.addError(error);
    const isModule = error.code === "truncated" || error.code === "malformed";
    return isModule ? walker.shape.facts(bytes.length) : undefined;
  }
}

function checkImport(
  { module, name, kind, type, offset }: ModuleImport,
  problems: ProblemList,
): void {
  const place = offset === undefined ? {} : { offset };
  const what = `import ${module}.${name}`;
  const known =
    module === "wasi_snapshot_preview1"
      ? WASI_FUNCTIONS
      : module === "subako_http"
        ? HTTP_FUNCTIONS
        : undefined;
  if (known === undefined) {
    const message = `${what} (${kind}): a package imports from wasi_snapshot_preview1 and subako_http only`;
    problems.add({ code: "import_module", message, ...place });
    return;
  }
  const wanted = known.get(name);
  if (wanted === undefined) {
    problems.add({
      code: "import_name",
      message: `${what}: ${module} has no such function`,
      ...place,
    });
  } else if (kind !== "function") {
    problems.add({
      code: "import_type",
      message: `${what} is a ${kind} and has to be a function`,
      ...place,
    });
  } else if (type === undefined || typeText(type) !== typeText(wanted)) {
    const has = type === undefined ? "no function type" : typeText(type);
    problems.add({
      code: "import_type",
      message: `${what} has type ${has} instead of ${typeText(wanted)}`,
      ...place,
    });
  }
}

function checkExports({ exports }: ModuleFacts, problems: ProblemList): void {
  for (const name of ["_start", "memory"]) {
    const found = exports.find((entry) => entry.name === name);
    const place = found?.offset === undefined ? {} : { offset: found.offset };
    const kind = name === "memory" ? "memory" : "function";
    if (found === undefined) {
      problems.add({
        code: "export_missing",
        message: `the module has no export ${name}, ${WHY[name]}`,
      });
    } else if (found.kind !== kind) {
      problems.add({
        code: "export_type",
        message: `export ${name} is a ${found.kind} and has to be a ${kind}`,
        ...place,
      });
    } else if (
      kind === "function" &&
      (found.type === undefined || typeText(found.type) !== "() -> ()")
    ) {
      const type = found.type === undefined ? "no function type" : typeText(found.type);
      problems.add({
        code: "export_type",
        message: `export ${name} has type ${type} instead of () -> ()`,
        ...place,
      });
    }
  }
}

const WHY: Readonly<Record<string, string>> = {
  _start: "where a WASI command begins",
  memory: "its linear memory",
};

function featureProblem({
  feature,
  count = 0,
  offset = 0,
  functionIndex,
}: FeatureUse): ModuleProblem {
  const place =
    functionIndex === undefined
      ? `at offset ${offset}`
      : `in function ${functionIndex} at offset ${offset}`;
  const times = count === 1 ? "once" : `${count} times`;
  return {
    code: feature as LaterFeature,
    message: `uses ${feature.replaceAll("_", " ")}, which is not part of WebAssembly 2.0: first ${place}, ${times}`,
    offset,
    ...(functionIndex === undefined ? {} : { functionIndex }),
  };
}
