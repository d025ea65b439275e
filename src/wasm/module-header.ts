// Judges the first eight bytes of a file: a core module, a component, or something else and what; page, worker and Node.
import { SandboxError } from "../errors.ts";
import { malformed } from "./byte-reader.ts";

/** Bytes of magic and version. */
export const HEADER_BYTES = 8;
const MAGIC = [0x00, 0x61, 0x73, 0x6d] as const;

/** Starts of files that are often found where a module was expected. */
const LOOK_ALIKES: readonly (readonly [start: RegExp, what: string])[] = [
  [/^\s*<[!?a-z]/i, "an HTML page, as a server sends for a missing file"],
  [/^\s*\(\s*(module|component)/, "WebAssembly text (WAT), which has to be assembled first"],
  [/^version https:\/\/git-lfs/, "a Git LFS pointer, not the file itself"],
  [/^\x1f\x8b/, "gzip-compressed"],
  [/^\x28\xb5\x2f\xfd/, "Zstandard-compressed"],
  [/^PK[\x03\x05]/, "a zip archive"],
  [/^\x7fELF/, "a native program (ELF)"],
  [/^(\xcf\xfa\xed\xfe|\xca\xfe\xba\xbe)/, "a native program (Mach-O)"],
  [/^MZ/, "a native program (Windows)"],
  [/^!<arch>/, "an archive of object files"],
  [/^BC\xc0\xde/, "LLVM bitcode"],
  [/^\s*[[{]/, "JSON"],
  [/^(#!|\/\/|\/\*|\s*(import|export|const|function|"use strict")\b)/, "a script"],
];

/**
 * Throws unless `start`, the first bytes of a file (more than eight help to say what they are), begin a core module:
 * `not_wasm`, `component`, `truncated` for a header that ends early, or `malformed` for an unknown version.
 */
export function checkHeader(start: Uint8Array): void {
  const matching = MAGIC.findIndex((byte, index) => start[index] !== byte);
  if (start.length === 0)
    throw new SandboxError("not_wasm", "no WebAssembly module: the file is empty");
  if (matching >= 0 && matching < start.length) {
    throw new SandboxError(
      "not_wasm",
      `no WebAssembly module: the bytes look like ${describe(start)}`,
    );
  }
  if (start.length < HEADER_BYTES) {
    throw new SandboxError(
      "truncated",
      `the module ends after ${start.length} bytes, inside its header`,
      {
        data: { offset: start.length },
      },
    );
  }
  if (start[6] === 1 && start[7] === 0) {
    throw new SandboxError(
      "component",
      "a WebAssembly component where a core module is needed; build for wasm32-wasip1 instead of wasm32-wasip2",
    );
  }
  if (start[4] !== 1 || start[5] !== 0 || start[6] !== 0 || start[7] !== 0) {
    throw malformed(`unknown binary version ${hexBytes(start.subarray(4, 8))}`, 4);
  }
}

function describe(start: Uint8Array): string {
  const text = String.fromCharCode(...start.subarray(0, 64));
  for (const [pattern, what] of LOOK_ALIKES) if (pattern.test(text)) return what;
  const line = text.split(/[\r\n]/, 1)[0] ?? "";
  if (/^[\x20-\x7e]{4,}$/.test(line))
    return `text that begins ${JSON.stringify(line.slice(0, 32))}`;
  return `bytes that begin ${hexBytes(start.subarray(0, 8))}`;
}

function hexBytes(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
}
