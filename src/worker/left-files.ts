// Copies of what a guest left in its files, and a word of its own where the browser has no memory for them; worker.

import { SandboxError } from "../errors.ts";
import type { LostFiles, RunOutcome } from "../wire/messages.ts";
import type { LeftTrees } from "./left-trees.ts";
import type { WasiHost } from "./wasi.ts";

type Left = Pick<RunOutcome, "files" | "folders" | "trees" | "lost">;

/**
 * What goes to the page of the files of a run that ended so: of the changed files, and of what is to be written to granted
 * folders, all or nothing each. Without memory for one of them the run keeps everything else, and `lost` says so.
 *
 * @throws SandboxError `resource_exhausted` for a package, whose call has no other result than its trees
 */
export function leftFiles(
  { end, exitCode }: Pick<RunOutcome, "end" | "exitCode">,
  wasi: WasiHost,
  trees: LeftTrees | undefined,
): Left {
  const lost: LostFiles = { what: [], message: "" };
  const copied = <T>(what: "files" | "folders", copy: () => T): T | undefined => {
    try {
      return copy();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      lost.what.push(what);
      lost.message = `no memory for copies of what the guest changed: ${error.message}`;
      return undefined;
    }
  };
  if (trees) {
    // What a package did not finish is not kept.
    if (end !== "exited" || exitCode !== 0) return {};
    const read = copied("files", () => trees.read());
    if (read === undefined) throw new SandboxError("resource_exhausted", lost.message);
    return { files: {}, trees: read };
  }
  // What a guest had under way when it was stopped stays where it was. What is somebody's disk goes first.
  const wholly = end === "exited" || end === "trapped";
  const folders = wholly ? copied("folders", () => wasi.folderChanges()) : undefined;
  const files = copied("files", () => wasi.changedFiles());
  return {
    ...(files ? { files } : {}),
    ...(folders ? { folders } : {}),
    ...(lost.what.length > 0 ? { lost } : {}),
  };
}
