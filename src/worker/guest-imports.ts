// Makes the import object of a guest: each import it names, behind a check that the run is not over; worker.

import type { BlockingCaller, BlockingEntry, PlainImport } from "../wire/blocking-call.ts";

/** What the sandbox provides, by module name. */
export interface ProvidedModule {
  readonly plain: Readonly<Record<string, PlainImport>>;
  readonly blocking: Readonly<Record<string, BlockingEntry>>;
  /** What to give for a function that the module does not have. */
  readonly absent?: () => number;
}

const known = new WeakMap<WebAssembly.Module, WebAssembly.ModuleImportDescriptor[]>();

/** A worker runs one module again and again. */
function importsOf(module: WebAssembly.Module): WebAssembly.ModuleImportDescriptor[] {
  let imports = known.get(module);
  if (!imports) known.set(module, (imports = WebAssembly.Module.imports(module)));
  return imports;
}

/**
 * Builds the import object. `check` runs before every import and throws once the run is over: a guest's `catch_all` may
 * swallow the exception, so each later import throws again and has no effect. What is not provided is left out: the page
 * has checked the names, and linking fails.
 */
export function guestImports(
  module: WebAssembly.Module,
  provided: Readonly<Record<string, ProvidedModule>>,
  memory: WebAssembly.Memory | undefined,
  caller: BlockingCaller,
  check: () => void,
): WebAssembly.Imports {
  // A module may import from "__proto__".
  const imports = Object.create(null) as Record<string, Record<string, WebAssembly.ImportValue>>;
  const blocking: Record<string, BlockingEntry> = {};
  const places: { module: string; name: string; key: string }[] = [];

  for (const { module: from, name, kind } of importsOf(module)) {
    const room = Object.hasOwn(provided, from) ? provided[from] : undefined;
    const place = (imports[from] ??= Object.create(null) as Record<string, never>);
    if (kind === "memory" && memory) {
      place[name] = memory;
    } else if (kind !== "function" || !room) {
      continue; // linking says so
    } else if (Object.hasOwn(room.blocking, name)) {
      const key = `${from}.${name}`;
      blocking[key] = checkedEntry(room.blocking[name]!, check);
      places.push({ module: from, name, key });
    } else if (Object.hasOwn(room.plain, name)) {
      place[name] = checked(room.plain[name]!, check);
    } else if (room.absent) {
      place[name] = checked(room.absent, check);
    }
  }
  const wrapped = caller.wrap(blocking);
  for (const { module: from, name, key } of places) imports[from]![name] = wrapped[key]!;
  return imports;
}

function checkedEntry({ run, parameters }: BlockingEntry, check: () => void): BlockingEntry {
  if (parameters === "iiii") {
    return {
      parameters,
      run: (a, b, c, d) => {
        check();
        return run(a, b, c, d);
      },
    };
  }
  return {
    parameters,
    run: (...args) => {
      check();
      return run(...args);
    },
  };
}

/** Wrappers of fixed arity: a rest parameter costs more than the import it guards. */
function checked(call: PlainImport, check: () => void): PlainImport {
  switch (call.length) {
    case 0:
      return () => {
        check();
        return call();
      };
    case 1:
      return (a) => {
        check();
        return call(a);
      };
    case 2:
      return (a, b) => {
        check();
        return call(a, b);
      };
    case 3:
      return (a, b, c) => {
        check();
        return call(a, b, c);
      };
    case 4:
      return (a, b, c, d) => {
        check();
        return call(a, b, c, d);
      };
    default:
      return (...args) => {
        check();
        return call(...args);
      };
  }
}
