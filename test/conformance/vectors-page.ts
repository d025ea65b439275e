// The conformance vectors in a page: what a test bundles, loads and starts; page.

import { createToolDoor } from "../../src/door/create-tool-door.ts";
import { tool } from "../../src/tools/tool.ts";
import { ToolDenied, ToolError } from "../../src/tools/tool-error.ts";
import { readVectors } from "./read-vectors.ts";
import { runVector } from "./run-vector.ts";

/** What went well and what did not. */
export interface VectorsReport {
  readonly passed: number;
  /** A line each: file, vector, what is wrong. */
  readonly failed: readonly string[];
}

/** Runs all vectors, given the texts of their files by name. */
async function runVectors(texts: Record<string, string>): Promise<VectorsReport> {
  const host = { tool, createToolDoor, ToolError, ToolDenied };
  const failed: string[] = [];
  let passed = 0;
  for (const [file, vectors] of Object.entries(readVectors(texts))) {
    for (const vector of vectors) {
      const problems = await runVector(host, vector);
      if (problems.length === 0) passed++;
      else failed.push(`${file}: ${vector.name}: ${problems.join("; ")}`);
    }
  }
  return { passed, failed };
}

Object.assign(globalThis, { runVectors });
