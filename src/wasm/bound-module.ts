// Bounds and reads a module whose bytes are all at hand; page, worker and Node.
import { concatenate, unshared } from "./concatenate.ts";
import type { ModuleFacts } from "./module-facts.ts";
import { ModuleWalker } from "./module-walker.ts";
import type { WalkLimits } from "./section-contents.ts";

/**
 * Bounds the memories and tables of a module and reads its facts. The bytes come back as they are (the same array when
 * it needs no copy), but for a memory or table section whose maximum had to be lowered or added.
 *
 * Throws SandboxError: `not_wasm` (saying what the bytes look like), `component`, `truncated`, `malformed` (with
 * `data.offset`), `too_large` (more bytes than `maxBytes`, or more memory to start with than `memoryBytes`).
 *
 * @example
 * const { bytes, facts } = boundModule(file, { memoryBytes: 256 * 2 ** 20 });
 * const module = await WebAssembly.compile(bytes); // memory.grow past 256 MiB gives -1
 */
export function boundModule(
  bytes: Uint8Array,
  limits: WalkLimits,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly facts: ModuleFacts } {
  const parts: Uint8Array[] = [];
  const walker = new ModuleWalker(limits, (part) => parts.push(part));
  walker.push(bytes);
  const facts = walker.end();
  const [first] = parts;
  return {
    bytes: parts.length === 1 && first !== undefined ? unshared(first) : concatenate(parts),
    facts,
  };
}

/** Reads a module's facts and changes nothing. Throws as `boundModule` does. */
export function readModule(bytes: Uint8Array, maxBytes?: number): ModuleFacts {
  const walker = new ModuleWalker({ memoryBytes: "declared", maxBytes }, () => {});
  walker.push(bytes);
  return walker.end();
}
