// Reads vector files: named sets of tools are put in place of their names; Node and pages.

import type { Vector, VectorTool } from "./run-vector.ts";

/**
 * The vectors by file, from the texts of all files of the folder, `tools.json` among them.
 *
 * @throws Error for a vector without its source, or with a set of tools that does not exist
 */
export function readVectors(texts: Readonly<Record<string, string>>): Record<string, Vector[]> {
  const sets = JSON.parse(texts["tools.json"] ?? "{}") as Record<string, VectorTool[]>;
  const files: Record<string, Vector[]> = {};
  for (const [name, text] of Object.entries(texts)) {
    if (name === "tools.json") continue;
    const { vectors } = JSON.parse(text) as { vectors: (Vector & { tools: unknown })[] };
    files[name] = vectors.map((vector) => {
      const tools = typeof vector.tools === "string" ? sets[vector.tools] : vector.tools;
      if (tools === undefined || !vector.source)
        throw new Error(`${name}: ${vector.name} is not whole`);
      return { ...vector, tools };
    });
  }
  return files;
}
