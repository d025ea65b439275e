// Finds out whether a compiled module bounds its memory; worker.
//
// A compiled Module does not tell its memory's limits. But linking does: an import that declares a maximum takes only a
// memory whose own maximum is not larger. So the module is instantiated once, with imports that do nothing, and its
// memory offered to a module of a few bytes.

import { SandboxError } from "../errors.ts";
import { WASM_PAGE_BYTES } from "../limits.ts";
import { unsigned } from "../wire/suspending-adapter.ts";

/** Throws SandboxError `memory_unbounded`, for the page to complete, when the exported memory may grow past `pages`. */
export function checkDeclaredMemory(module: WebAssembly.Module, pages: number): void {
  if (WebAssembly.Module.imports(module).some(({ kind }) => kind === "memory")) return; // bounded per run
  try {
    const memory = exportedMemory(module);
    if (memory) new WebAssembly.Instance(importerOf(pages), { m: { m: memory } });
  } catch {
    // A start function that wants a real run ends up here too: what cannot be checked is refused.
    throw new SandboxError("memory_unbounded", `memory past ${pages * WASM_PAGE_BYTES} bytes`);
  }
}

function exportedMemory(module: WebAssembly.Module): WebAssembly.Memory | undefined {
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") return undefined; // the run says what is missing
    (imports[from] ??= {})[name] = () => {
      throw new Error(); // not while the memory is checked
    };
  }
  const { memory } = new WebAssembly.Instance(module, imports).exports;
  return memory instanceof WebAssembly.Memory ? memory : undefined; // the run says that there is none
}

/** (module (import "m" "m" (memory 0 pages))) */
function importerOf(pages: number): WebAssembly.Module {
  const content = [1, 1, 0x6d, 1, 0x6d, 2, 1, 0, ...unsigned(pages)];
  return new WebAssembly.Module(
    new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, content.length, ...content]),
  );
}
