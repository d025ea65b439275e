// Writes a run's changes into the granted folders it ran on; page.

import { SandboxError } from "../errors.ts";
import type { Expected, FolderChange } from "./folder-changes.ts";
import type { FileHandle, FolderHandle } from "./folder-handle.ts";
import { fileAt, folderAt } from "./folder-host.ts";

/** A change that was not written. `bytes` is what the run wanted there, null for a removal. */
export interface FolderConflict {
  readonly folder: string;
  readonly path: string;
  readonly reason: string;
  readonly bytes: Uint8Array<ArrayBuffer> | null;
}

/**
 * Carries the changes out, one after the other. A file that was changed on the disk since the run looked at it is left
 * as it is.
 *
 * @throws SandboxError `conflict` after everything else has been written; its data is the list of
 * {@link FolderConflict}s, each with the bytes that the run wanted, so that nothing is lost.
 */
export async function writeBack(
  folders: readonly FolderHandle[],
  changes: readonly FolderChange[],
): Promise<void> {
  const conflicts: FolderConflict[] = [];
  for (const change of changes) {
    const folder = folders[change.folder];
    if (folder === undefined) continue;
    try {
      const reason = await carryOut(folder, change);
      if (reason !== undefined) conflicts.push(await conflict(folder, change, reason));
    } catch (error) {
      conflicts.push(await conflict(folder, change, String(error)));
    }
  }
  if (conflicts.length === 0) return;
  const paths = conflicts.map(({ path }) => path);
  throw new SandboxError("conflict", `not written back: ${paths.slice(0, 10).join(", ")}`, {
    data: conflicts,
  });
}

/** Does one change; gives the reason when it must not be done. */
async function carryOut(root: FolderHandle, change: FolderChange): Promise<string | undefined> {
  const { path } = change;
  const name = path.at(-1)!;
  if (change.change === "make-folder") {
    await folderAt(root, path, true);
    return undefined;
  }
  const folder = await folderAt(root, path.slice(0, -1));
  if (change.change === "remove-folder") {
    // Not recursive: what others put there meanwhile keeps it.
    await folder.removeEntry(name);
    return undefined;
  }
  const file = await existing(folder, name);
  if (!(await agrees(file, change.expected))) return "changed on the disk meanwhile";
  if (change.change === "delete") await folder.removeEntry(name);
  else await write(file ?? (await folder.getFileHandle(name, { create: true })), change);
  return undefined;
}

async function existing(folder: FolderHandle, name: string): Promise<FileHandle | undefined> {
  try {
    return await folder.getFileHandle(name);
  } catch (error) {
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}

async function agrees(file: FileHandle | undefined, expected: Expected): Promise<boolean> {
  if (file === undefined || expected === "absent")
    return file === undefined && expected === "absent";
  const { size, lastModified } = await file.getFile();
  return size === expected.size && lastModified === expected.modified;
}

async function write(file: FileHandle, change: FolderChange & { change: "write" }): Promise<void> {
  const writer = await file.createWritable({ keepExistingData: change.keep > 0 });
  try {
    await writer.truncate(change.keep);
    for (const { at, bytes } of change.parts) {
      await writer.write({ type: "write", position: at, data: bytes as Uint8Array<ArrayBuffer> });
    }
    await writer.truncate(change.size);
    await writer.close();
  } catch (error) {
    await writer.abort().catch(() => {});
    throw error;
  }
}

/** The bytes the run wanted: what the disk still has of the file's beginning, under the run's own. */
async function conflict(
  root: FolderHandle,
  change: FolderChange,
  reason: string,
): Promise<FolderConflict> {
  const told = { folder: root.name, path: change.path.join("/"), reason };
  if (change.change !== "write") return { ...told, bytes: null };
  const bytes = new Uint8Array(change.size);
  if (change.keep > 0) {
    const kept = await fileAt(root, change.path)
      .then(async (file) => await (await file.getFile()).slice(0, change.keep).arrayBuffer())
      .catch(() => new ArrayBuffer(0));
    bytes.set(new Uint8Array(kept));
  }
  for (const { at, bytes: part } of change.parts) bytes.set(part, at);
  return { ...told, bytes };
}
