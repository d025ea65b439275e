// stubs(): what a model must know to write guest code that calls these tools; page, worker and Node.

import { SandboxError } from "../errors.ts";
import type { Tool } from "../tools/tool.ts";
import { pythonStubs } from "./stub-python.ts";
import { stubTool } from "./stub-schema.ts";
import { typescriptStubs } from "./stub-typescript.ts";

/** Options of {@link stubs}. */
export interface StubOptions {
  /** The guest's language; Python by default. TypeScript serves JavaScript guests too. */
  readonly language?: "python" | "typescript";
}

/**
 * Renders tools as source text for a prompt: for Python each tool's `def` line and docstring under
 * `from host import tools`, for TypeScript a declaration of the module `host`.
 *
 * @throws SandboxError `bad_tool` for something that tool() did not make, `bad_option` for another language
 * @example
 * stubs([lookupRegion]);
 * // from host import tools
 * //
 * // # Each is called as tools.<name>(...).
 * //
 * // def lookup_region(code: str):
 * //     """Region of a code"""
 */
export function stubs(tools: Iterable<Tool>, options: StubOptions = {}): string {
  const language = options.language ?? "python";
  if (language !== "python" && language !== "typescript") {
    throw new SandboxError("bad_option", 'language must be "python" or "typescript"');
  }
  const read = Array.from(tools, stubTool);
  return language === "python" ? pythonStubs(read) : typescriptStubs(read);
}
