// Bounds and reads a module whose bytes are all at hand; page, worker and Node.
import { concatenate, joinInPlace, unshared } from "./concatenate.ts";
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
  const { parts, facts } = partsOf(bytes, limits);
  const [first] = parts;
  return {
    bytes: parts.length === 1 && first !== undefined ? unshared(first) : concatenate(parts),
    facts,
  };
}

/**
 * The same, where the buffer of the bytes is nobody else's: what is written anew takes room in front of them, if there is
 * some, and a large module is not copied. `restore` puts back the bytes as they came.
 */
export function boundInPlace(
  bytes: Uint8Array<ArrayBuffer>,
  limits: WalkLimits,
): { readonly bytes: Uint8Array<ArrayBuffer>; readonly facts: ModuleFacts; restore(): void } {
  const { parts, facts } = partsOf(bytes, limits);
  const joined = joinInPlace(parts, bytes) ?? { bytes: concatenate(parts), restore: () => {} };
  return { facts, ...joined };
}

function partsOf(bytes: Uint8Array, limits: WalkLimits) {
  const parts: Uint8Array[] = [];
  const walker = new ModuleWalker(limits, (part) => parts.push(part));
  walker.push(bytes);
  return { parts, facts: walker.end() };
}

/** Reads a module's facts and changes nothing. Throws as `boundModule` does. */
export function readModule(bytes: Uint8Array, maxBytes?: number): ModuleFacts {
  const walker = new ModuleWalker({ memoryBytes: "declared", maxBytes }, () => {});
  walker.push(bytes);
  return walker.end();
}
