// Copies of what a guest left in its files, and a word of its own where the browser has no memory for them; worker.

import { SandboxError } from "../errors.ts";
import type { RunOutcome } from "../wire/messages.ts";
import type { LeftTrees } from "./left-trees.ts";
import type { WasiHost } from "./wasi.ts";

type Left = Pick<RunOutcome, "files" | "folders" | "trees" | "noMemory">;

/**
 * What goes to the page of the files of a run that ended so. Never a part of it: without memory for all the run keeps its
 * other results, and `noMemory` says so.
 *
 * @throws SandboxError `resource_exhausted` for a package, whose call has no other result than its trees
 */
export function leftFiles(
  { end, exitCode }: Pick<RunOutcome, "end" | "exitCode">,
  wasi: WasiHost,
  trees: LeftTrees | undefined,
): Left {
  try {
    // What a package did not finish is not kept.
    if (trees) return end === "exited" && exitCode === 0 ? { files: {}, trees: trees.read() } : {};
    // What a guest had under way when it was stopped stays where it was.
    const wholly = end === "exited" || end === "trapped";
    return { files: wasi.changedFiles(), ...(wholly ? { folders: wasi.folderChanges() } : {}) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const noMemory = `the browser has no memory for copies of the changed files: ${error.message}`;
    if (trees) throw new SandboxError("resource_exhausted", noMemory);
    return { noMemory };
  }
}
